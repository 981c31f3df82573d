// Bytes on their way to a socket: sent at once as far as the peer takes them, the rest is kept.
#pragma once

#include "io/asio.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace httpd::io {

class output {
public:
  explicit output(stream& socket) noexcept : socket_{socket} {}

  // What is kept and then `parts`, in one sendmsg; copies only what the peer did not take. `more`
  // announces that bytes follow at once (MSG_MORE). At most 16 parts.
  error_code send(std::span<const std::string_view> parts, bool more = false);
  // Keeps without sending.
  void keep(std::string_view bytes) { kept_.append(bytes); }
  // Sends what is kept as far as the peer takes it now.
  error_code push() { return send({}); }

  std::size_t pending() const noexcept { return kept_.size() - sent_; }
  std::uint64_t total_sent() const noexcept { return total_; }

private:
  stream& socket_;
  std::string kept_;
  std::size_t sent_ = 0;  // of kept_
  std::uint64_t total_ = 0;
};

// A send of one file part: as much as the peer takes now. `offset` moves on. Success with nothing
// moved means that the file ended early. would_block when the peer takes nothing.
error_code send_file_now(stream&, int file, std::uint64_t& offset, std::uint64_t end);

}  // namespace httpd::io
