// What other processes can do, tried inside one and told to the test.
#pragma once

#include "base/fd.hpp"
#include "base/text.hpp"
#include "catch.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace httpd::test {

// What a forked process says, which has run `work`; it ends without the ends of this one.
inline std::string in_a_process(const std::function<std::string()>& work) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto said = work();
    [[maybe_unused]] const auto written = ::write(ends[1], said.data(), said.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char bytes[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;) said.append(bytes, std::size_t(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  return said;
}

// "NAME ok" or "NAME EACCES" for each call that was tried.
class attempts {
public:
  void note(std::string_view name, bool succeeded) {
    append(text_, name, ' ', succeeded ? "ok" : ::strerrorname_np(errno), '\n');
  }
  void open(std::string_view name, const std::string& path, int flags) {
    const unique_fd file{::open(path.c_str(), flags | O_CLOEXEC, 0600)};
    note(name, bool(file));
  }
  std::string text() && { return std::move(text_); }

private:
  std::string text_;
};

}  // namespace httpd::test
