// sendmsg and sendfile on a non-blocking socket, directly: what the peer takes at once needs no wait.
#include "io/output.hpp"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace httpd::io {

namespace {

// Kept memory above this is given back once it is sent: an idle connection stays small.
constexpr std::size_t kept_capacity_bytes = 256;

constexpr std::size_t max_parts = 16;

}  // namespace

error_code output::send(std::span<const std::string_view> parts, bool more) {
  if (spooled_) {
    for (const auto part : parts) kept_.append(part);
    parts = {};
    if (const auto error = spooled_->send_to(socket_, total_); error && !would_block(error)) return error;
    if (spooled_->size() == 0) spooled_.reset();
  }
  error_code error;
  if (!spooled_) error = send_from_memory(parts, more);
  if (spool_) spill(spool_->memory_bytes());
  return error;
}

error_code output::send_from_memory(std::span<const std::string_view> parts, bool more) {
  std::array<iovec, max_parts + 1> vectors;
  std::size_t count = 0;
  std::size_t total = 0;
  const auto add = [&](std::string_view bytes) {
    if (bytes.empty()) return;
    vectors[count++] = {const_cast<char*>(bytes.data()), bytes.size()};
    total += bytes.size();
  };
  add(std::string_view{kept_}.substr(sent_));
  for (const auto part : parts.first(std::min(parts.size(), max_parts))) add(part);
  if (total == 0) return {};

  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0);
  ssize_t result;
  do result = ::sendmsg(socket_.native_handle(), &message, flags);
  while (result < 0 && errno == EINTR);
  if (result < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return last_error();

  auto taken = result < 0 ? std::size_t{0} : std::size_t(result);
  total_ += taken;
  const auto from_kept = std::min(taken, in_memory());
  forget(from_kept);
  taken -= from_kept;
  for (const auto part : parts) {
    const auto skipped = std::min(taken, part.size());
    taken -= skipped;
    kept_.append(part.substr(skipped));
  }
  return {};
}

// The first bytes of what is kept in memory are sent, or in the file.
void output::forget(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ == kept_.size()) {
    sent_ = 0;
    kept_.clear();
    // While a file is in use the next bytes come at once.
    if (!spooled_ && kept_.capacity() > kept_capacity_bytes) kept_ = {};
  } else if (sent_ > kept_.size() / 2) {
    kept_.erase(0, sent_);
    sent_ = 0;
  }
}

void output::spill(std::size_t above) {
  if (in_memory() <= above) return;
  if (!spooled_) spooled_ = std::make_unique<spooled_bytes>(*spool_);
  forget(spooled_->append(std::string_view{kept_}.substr(sent_)));
  if (spooled_->size() == 0) spooled_.reset();
}

bool output::has_room() {
  if (!spool_) return true;
  spill(spool_->memory_bytes());
  return in_memory() <= spool_->memory_bytes();
}

void output::settle() {
  if (!spooled_) return;
  spill(0);
  if (kept_.empty()) kept_ = {};
}

error_code send_file_now(stream& socket, int file, std::uint64_t& offset, std::uint64_t end) {
  // The kernel moves at most 0x7ffff000 bytes a call; less keeps one download from holding a thread.
  constexpr std::uint64_t most = 1u << 20;
  auto position = static_cast<off_t>(offset);
  const auto wanted = static_cast<std::size_t>(std::min(end - offset, most));
  ssize_t result;
  do result = ::sendfile(socket.native_handle(), file, &position, wanted);
  while (result < 0 && errno == EINTR);
  if (result < 0) return last_error();
  offset += static_cast<std::uint64_t>(result);
  return {};
}

}  // namespace httpd::io
