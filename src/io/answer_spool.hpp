// What clients have not taken yet of answers that are read ahead for them, beyond what memory may hold: one
// nameless file per thread, cut into blocks, so that slow readers use up no descriptors.
#pragma once

#include "base/fd.hpp"
#include "io/allowance.hpp"
#include "io/asio.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace httpd::io {

// The file of one thread, made when it is first needed. A block that is given back takes no room on the disk
// any more where the file system can do that.
class answer_spool {
public:
  static constexpr std::size_t block_bytes = 64 * 1024;

  // `budget`: bytes, for the files of all threads. `memory_bytes` of one answer stay in memory.
  answer_spool(allowance& budget, std::size_t memory_bytes) noexcept
      : budget_{budget}, memory_bytes_{memory_bytes} {}
  answer_spool(const answer_spool&) = delete;
  answer_spool& operator=(const answer_spool&) = delete;

  std::size_t memory_bytes() const noexcept { return memory_bytes_; }
  // A block of one's own; none when the budget is used up, or the disk but for a reserve for uploads. That is
  // logged, now and then.
  std::optional<std::uint32_t> take();
  void give(std::uint32_t block) noexcept;
  // Returns how many bytes were written: fewer when the disk is full. Never crosses the end of the block.
  std::size_t write(std::uint32_t block, std::size_t offset, std::string_view bytes) noexcept;
  error_code read(std::uint32_t block, std::size_t offset, char* to, std::size_t bytes) const noexcept;

private:
  error_code make_room() noexcept;
  static void complain(std::string_view why) noexcept;

  allowance& budget_;
  const std::size_t memory_bytes_;
  unique_fd file_;
  std::uint32_t blocks_ = 0;         // the length of the file
  std::vector<std::uint32_t> free_;  // of them
};

// One answer's bytes in the file, first in, first out. Lives on the thread of its spool, which outlives it.
class spooled_bytes {
public:
  explicit spooled_bytes(answer_spool& in) noexcept : spool_{in} {}
  ~spooled_bytes();
  spooled_bytes(const spooled_bytes&) = delete;
  spooled_bytes& operator=(const spooled_bytes&) = delete;

  std::uint64_t size() const noexcept { return size_; }
  // Returns how many bytes there was room for.
  std::size_t append(std::string_view bytes);
  // Sends what the peer takes now, but not so much that one fast client holds the thread. `sent` is added to.
  error_code send_to(stream&, std::uint64_t& sent);

private:
  void drop(std::size_t bytes) noexcept;

  answer_spool& spool_;
  std::deque<std::uint32_t> blocks_;
  std::size_t first_ = 0;                        // in the first block: the next byte to send
  std::size_t end_ = answer_spool::block_bytes;  // in the last block: where it is filled up to
  std::uint64_t size_ = 0;
};

}  // namespace httpd::io
