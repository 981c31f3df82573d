// Bytes on their way to a socket: sent at once as far as the peer takes them, the rest is kept, in memory and
// then in a file.
#pragma once

#include "io/answer_spool.hpp"
#include "io/asio.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace httpd::io {

class output {
public:
  // Without a spool everything is kept in memory.
  explicit output(stream& socket, answer_spool* spool = nullptr) noexcept
      : socket_{socket}, spool_{spool} {}

  // What is kept and then `parts`, in one sendmsg; copies only what the peer did not take. `more`
  // announces that bytes follow at once (MSG_MORE). At most 16 parts. From a file about 1 MiB goes at a time,
  // so that others have their turn: pending() tells.
  error_code send(std::span<const std::string_view> parts, bool more = false);
  // Keeps without sending.
  void keep(std::string_view bytes) { kept_.append(bytes); }
  // Sends what is kept as far as the peer takes it now.
  error_code push() { return send({}); }

  // False: more than memory should hold is kept there and the spool takes none of it now. Asks it again.
  bool has_room();
  // Nothing more will be sent for now: memory is given back as far as there is a file.
  void settle();

  std::uint64_t pending() const noexcept { return in_memory() + (spooled_ ? spooled_->size() : 0); }
  std::uint64_t total_sent() const noexcept { return total_; }

private:
  std::size_t in_memory() const noexcept { return kept_.size() - sent_; }
  void forget(std::size_t bytes);
  void spill(std::size_t above);
  error_code send_from_memory(std::span<const std::string_view> parts, bool more);

  stream& socket_;
  answer_spool* spool_;
  std::unique_ptr<spooled_bytes> spooled_;  // comes before what is kept in memory
  std::string kept_;
  std::size_t sent_ = 0;  // of kept_
  std::uint64_t total_ = 0;
};

// A send of one file part: as much as the peer takes now. `offset` moves on. Success with nothing
// moved means that the file ended early. would_block when the peer takes nothing.
error_code send_file_now(stream&, int file, std::uint64_t& offset, std::uint64_t end);

}  // namespace httpd::io
