// The log writes with pwritev2(2) to standard error, and nothing else does: the linker puts this in front.
#include "io/captured_log.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <mutex>

namespace httpd::test {

namespace {

std::mutex mutex;
std::string* capture = nullptr;
std::string lines;

bool keep(const iovec* parts, int count, ssize_t& size) {
  const std::lock_guard lock{mutex};
  if (!capture) return false;
  const auto before = capture->size();
  for (int i = 0; i < count; ++i)
    capture->append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  size = static_cast<ssize_t>(capture->size() - before);
  return true;
}

}  // namespace

captured_log::captured_log() {
  const std::lock_guard lock{mutex};
  lines.clear();
  capture = &lines;
}

captured_log::~captured_log() {
  const std::lock_guard lock{mutex};
  capture = nullptr;
}

std::string captured_log::text() const {
  const std::lock_guard lock{mutex};
  return lines;
}

}  // namespace httpd::test

extern "C" {
ssize_t __real_pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags);
ssize_t __wrap_pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags);
ssize_t __wrap_pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  ssize_t size = 0;
  if (fd == STDERR_FILENO && httpd::test::keep(parts, count, size)) return size;
  return __real_pwritev2(fd, parts, count, offset, flags);
}
}
