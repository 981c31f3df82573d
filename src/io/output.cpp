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
  const auto from_kept = std::min(taken, pending());
  sent_ += from_kept;
  taken -= from_kept;
  if (sent_ == kept_.size()) {
    sent_ = 0;
    kept_.clear();
    if (kept_.capacity() > kept_capacity_bytes) kept_ = {};
  } else if (sent_ > kept_.size() / 2) {
    kept_.erase(0, sent_);
    sent_ = 0;
  }
  for (const auto part : parts) {
    const auto skipped = std::min(taken, part.size());
    taken -= skipped;
    kept_.append(part.substr(skipped));
  }
  return {};
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
