// In front of pwritev2 (--wrap in CMakeLists.txt), which the error log alone uses.
#include "fuzz/captured_lines.hpp"

#include "fuzz/fuzz.hpp"
#include "http/bytes.hpp"

#include <sys/uio.h>
#include <unistd.h>

namespace httpd::fuzz {
namespace {

std::size_t count = 0;

ssize_t look_at(const iovec* parts, int parts_count) {
  std::size_t size = 0;
  for (int i = 0; i < parts_count; ++i) {
    const auto* const text = static_cast<const char*>(parts[i].iov_base);
    const bool is_last = i + 1 == parts_count;
    for (std::size_t at = 0; at < parts[i].iov_len; ++at) {
      const bool is_end = is_last && at + 1 == parts[i].iov_len;
      expect(is_end ? text[at] == '\n' : text[at] == '\t' || !http::is_control(text[at]),
             "a line of the error log is one line without control bytes");
    }
    size += parts[i].iov_len;
  }
  ++count;
  return static_cast<ssize_t>(size);
}

}  // namespace

std::size_t captured_lines() noexcept { return count; }

}  // namespace httpd::fuzz

extern "C" {
ssize_t __real_pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags);
ssize_t __wrap_pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags);
ssize_t __wrap_pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  return fd == STDERR_FILENO ? httpd::fuzz::look_at(parts, count)
                             : __real_pwritev2(fd, parts, count, offset, flags);
}
}
