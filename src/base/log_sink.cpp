// The descriptor is shared with others (a container's log), so it is never made non-blocking: each call is.
#include "base/log_sink.hpp"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>

namespace httpd {
namespace {

constexpr int patience_ms = 1000;
constexpr int most_parts = 4;

void skip(iovec*& parts, int& count, std::size_t written) noexcept {
  while (count > 0 && written >= parts->iov_len) {
    written -= parts->iov_len;
    ++parts;
    --count;
  }
  if (count == 0) return;
  parts->iov_base = static_cast<char*>(parts->iov_base) + written;
  parts->iov_len -= written;
}

// How a call is kept from waiting. `refusing`: the kernel says EAGAIN. `little`: what a pipe that is ready
// takes at once, for kernels that cannot refuse (pipes before Linux 6.5). `plain`: files wait for nobody.
enum class call { refusing, little, plain };

ssize_t write_once(call how, int fd, const iovec* parts, int count) noexcept {
  if (how != call::little) return ::pwritev2(fd, parts, count, -1, how == call::refusing ? RWF_NOWAIT : 0);
  iovec some[most_parts];
  std::size_t left = PIPE_BUF;
  int used = 0;
  for (; used < std::min(count, most_parts) && left > 0; ++used) {
    some[used] = {parts[used].iov_base, std::min(parts[used].iov_len, left)};
    left -= some[used].iov_len;
  }
  return ::pwritev2(fd, some, used, -1, 0);
}

bool is_regular_file(int fd) noexcept {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

// Some file systems never write without waiting, and say EAGAIN for ever.
bool cannot_refuse(int fd, int error) noexcept {
  return error == EOPNOTSUPP || error == EINVAL || (error == EAGAIN && is_regular_file(fd));
}

}  // namespace

bool log_sink::wait_for_reader(int fd, int& patience) noexcept {
  using namespace std::chrono;
  pollfd asked{fd, POLLOUT, 0};
  const auto begin = steady_clock::now();
  const int ready = ::poll(&asked, 1, stuck_.load(std::memory_order_relaxed) ? 0 : patience);
  const auto waited = duration_cast<milliseconds>(steady_clock::now() - begin).count();
  patience = static_cast<int>(std::max<std::int64_t>(patience - waited, 0));
  if (ready > 0) return true;
  stuck_.store(true, std::memory_order_relaxed);
  return false;
}

bool log_sink::write(int fd, iovec* parts, int count) noexcept {
  auto how = call::refusing;
  int patience = patience_ms;  // in all: a reader may take a little now and then for ever
  while (count > 0) {
    if (how == call::little && !wait_for_reader(fd, patience)) break;
    const ssize_t written = write_once(how, fd, parts, count);
    if (written >= 0) {
      skip(parts, count, static_cast<std::size_t>(written));
      stuck_.store(false, std::memory_order_relaxed);
    } else if (errno == EINTR) {
      continue;
    } else if (how == call::refusing && cannot_refuse(fd, errno)) {
      how = is_regular_file(fd) ? call::plain : call::little;
    } else if (errno != EAGAIN || !wait_for_reader(fd, patience)) {
      break;
    }
  }
  if (count > 0) lost_.fetch_add(1, std::memory_order_relaxed);
  return count == 0;
}

}  // namespace httpd
