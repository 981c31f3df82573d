// The wrappers. Each asks whether it is its turn to fail, else calls the real function.
#include "io/failing_calls.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <cstring>

namespace httpd::test::failing_calls {

namespace {

struct {
  std::size_t n = 0;
  int error = 0;
  const char* only = nullptr;
  std::size_t counted = 0;
  const char* failed = "";
  bool armed = false;
} state;

bool my_turn(const char* name) noexcept {
  if (!state.armed) return false;
  // write() is also how Asio wakes its own thread: it fails only when it is named.
  if (state.only ? std::strcmp(state.only, name) != 0 : std::strcmp(name, "write") == 0) return false;
  if (++state.counted != state.n) return false;
  state.failed = name;
  errno = state.error;
  return true;
}

}  // namespace

void fail(std::size_t n, int error, const char* only) noexcept {
  state.n = n;
  state.error = error;
  state.only = only;
  state.counted = 0;
  state.failed = "";
}
std::size_t counted() noexcept { return state.counted; }
const char* failed() noexcept { return state.failed; }
armed::armed() noexcept { state.armed = true; }
armed::~armed() { state.armed = false; }

}  // namespace httpd::test::failing_calls

using httpd::test::failing_calls::my_turn;

// Names that begin with two underscores are the linker's.
extern "C" {

// A reset that is only said would leave a connection that still works.
static void really_reset(int fd, const char* name) {
  const int error = errno;
  if (error == ECONNRESET && std::strcmp(name, "accept4") != 0) ::shutdown(fd, SHUT_RDWR);
  errno = error;
}

#define WRAP(result, name, parameters, arguments) \
  result __real_##name parameters;                \
  result __wrap_##name parameters;                \
  result __wrap_##name parameters {               \
    if (!my_turn(#name)) return __real_##name arguments; \
    really_reset(fd, #name);                      \
    return -1;                                    \
  }

WRAP(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags))
WRAP(ssize_t, send, (int fd, const void* bytes, size_t size, int flags), (fd, bytes, size, flags))
WRAP(ssize_t, recv, (int fd, void* bytes, size_t size, int flags), (fd, bytes, size, flags))
WRAP(ssize_t, sendfile, (int fd, int from, off_t* at, size_t size), (fd, from, at, size))
WRAP(ssize_t, pread, (int fd, void* bytes, size_t size, off_t at), (fd, bytes, size, at))
WRAP(ssize_t, pwrite, (int fd, const void* bytes, size_t size, off_t at), (fd, bytes, size, at))
WRAP(ssize_t, write, (int fd, const void* bytes, size_t size), (fd, bytes, size))
WRAP(int, accept4, (int fd, sockaddr* from, socklen_t* size, int flags), (fd, from, size, flags))
WRAP(int, connect, (int fd, const sockaddr* to, socklen_t size), (fd, to, size))

#undef WRAP
#define WRAP(result, name, parameters, arguments) \
  result __real_##name parameters;                \
  result __wrap_##name parameters;                \
  result __wrap_##name parameters { return my_turn(#name) ? result{-1} : __real_##name arguments; }

WRAP(int, socket, (int family, int type, int protocol), (family, type, protocol))
WRAP(int, fstatat, (int folder, const char* name, struct stat* info, int flags), (folder, name, info, flags))
WRAP(long, syscall, (long number, long a, long b, long c, long d), (number, a, b, c, d))

int __real_open(const char* name, int flags, ...);
int __wrap_open(const char* name, int flags, mode_t mode);
int __wrap_open(const char* name, int flags, mode_t mode) {
  return my_turn("open") ? -1 : __real_open(name, flags, mode);
}

// Only adding needs memory, and Asio relies on that.
int __real_epoll_ctl(int epoll, int what, int fd, epoll_event* event);
int __wrap_epoll_ctl(int epoll, int what, int fd, epoll_event* event);
int __wrap_epoll_ctl(int epoll, int what, int fd, epoll_event* event) {
  if (what == EPOLL_CTL_ADD && my_turn("epoll_ctl")) return -1;
  return __real_epoll_ctl(epoll, what, fd, event);
}
}
