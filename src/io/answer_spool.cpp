// Blocks of a nameless file. Read and sent, not sendfile(): that would give the socket the very pages which
// the next answer overwrites.
#include "io/answer_spool.hpp"

#include "base/log.hpp"
#include "io/spool.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace httpd::io {

namespace {

constexpr std::uint64_t most_in_one_go = 1u << 20;

off_t place(std::uint32_t block, std::size_t offset) noexcept {
  return static_cast<off_t>(block) * off_t{answer_spool::block_bytes} + static_cast<off_t>(offset);
}

// Uploads are kept in the same folder, and fail where answers only wait: half of a small file system, 256 MiB
// of a large one, is theirs.
bool leaves_enough(int file) noexcept {
  constexpr std::uint64_t most_reserved = 256u << 20;
  struct statvfs about{};
  if (::fstatvfs(file, &about) != 0 || about.f_blocks == 0) return true;  // memfd: no size of its own
  const std::uint64_t unit = about.f_frsize;
  const auto reserved = std::min(about.f_blocks * unit / 2, most_reserved);
  return about.f_bavail * unit >= reserved + answer_spool::block_bytes;
}

}  // namespace

void answer_spool::complain(std::string_view why) noexcept {
  static log::rate_limit often{std::chrono::seconds{10}};
  unsigned suppressed = 0;
  if (often.allow(suppressed))
    log::warning("scripts wait for slow clients, their answers cannot be kept: ", why);
}

// A file with another block in it, if need be.
error_code answer_spool::make_room() noexcept {
  error_code error;
  if (!file_) file_ = open_spool_file(error);
  if (!error && !leaves_enough(file_.get()))
    error = boost::system::errc::make_error_code(boost::system::errc::no_space_on_device);
  return error;
}

std::optional<std::uint32_t> answer_spool::take() {
  // First, since it may fail, and now, so that give() cannot.
  if (free_.empty() && free_.capacity() <= blocks_) free_.reserve(2 * std::size_t{blocks_} + 16);
  if (!budget_.take(block_bytes)) {
    complain("--php-spool is used up");
    return std::nullopt;
  }
  if (const auto error = make_room()) {
    budget_.give(block_bytes);
    complain(error.message());
    return std::nullopt;
  }
  if (free_.empty()) return blocks_++;
  const auto block = free_.back();
  free_.pop_back();
  return block;
}

void answer_spool::give(std::uint32_t block) noexcept {
  budget_.give(block_bytes);
  free_.push_back(block);
  if (free_.size() < blocks_) {
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place(block, 0), block_bytes);
    return;
  }
  free_ = {};
  blocks_ = 0;
  static_cast<void>(!::ftruncate(file_.get(), 0));
}

std::size_t answer_spool::write(std::uint32_t block, std::size_t offset, std::string_view bytes) noexcept {
  bytes = bytes.substr(0, block_bytes - offset);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const auto n = ::pwrite(file_.get(), bytes.data() + written, bytes.size() - written,
                            place(block, offset + written));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      complain(last_error().message());
      break;
    }
    written += static_cast<std::size_t>(n);
  }
  return written;
}

error_code answer_spool::read(std::uint32_t block, std::size_t offset, char* to,
                              std::size_t bytes) const noexcept {
  while (bytes > 0) {
    const auto n = ::pread(file_.get(), to, bytes, place(block, offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return last_error();
    if (n == 0) return boost::system::errc::make_error_code(boost::system::errc::io_error);
    to += n;
    offset += static_cast<std::size_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
  return {};
}

spooled_bytes::~spooled_bytes() {
  for (const auto block : blocks_) spool_.give(block);
}

std::size_t spooled_bytes::append(std::string_view bytes) {
  const auto all = bytes.size();
  while (!bytes.empty()) {
    if (end_ == answer_spool::block_bytes) {
      blocks_.emplace_back();  // first: it may fail
      const auto block = spool_.take();
      if (!block) {
        blocks_.pop_back();
        break;
      }
      blocks_.back() = *block;
      end_ = 0;
    }
    const auto written = spool_.write(blocks_.back(), end_, bytes);
    end_ += written;
    size_ += written;
    bytes.remove_prefix(written);
    if (written > 0) continue;
    if (end_ == 0) {
      spool_.give(blocks_.back());
      blocks_.pop_back();
      end_ = answer_spool::block_bytes;
    }
    break;
  }
  return all - bytes.size();
}

void spooled_bytes::drop(std::size_t bytes) noexcept {
  first_ += bytes;
  size_ -= bytes;
  // The last block goes with its last byte, though more would fit into it.
  if (first_ < answer_spool::block_bytes && size_ > 0) return;
  if (size_ == 0) end_ = answer_spool::block_bytes;
  spool_.give(blocks_.front());
  blocks_.pop_front();
  first_ = 0;
}

error_code spooled_bytes::send_to(stream& to, std::uint64_t& sent) {
  std::array<char, answer_spool::block_bytes> buffer;
  for (std::uint64_t moved = 0; size_ > 0 && moved < most_in_one_go;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(size_, answer_spool::block_bytes - first_));
    if (const auto error = spool_.read(blocks_.front(), first_, buffer.data(), wanted)) {
      log::error("cannot read a kept answer: ", error.message());
      return error;
    }
    ssize_t n;
    do n = ::send(to.native_handle(), buffer.data(), wanted, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0) return last_error();
    const auto taken = static_cast<std::size_t>(n);
    sent += taken;
    moved += taken;
    drop(taken);
    if (taken < wanted) break;
  }
  return {};
}

}  // namespace httpd::io
