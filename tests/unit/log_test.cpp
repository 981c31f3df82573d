// base/log: the shape of a line, one system call for each, and the rate limit.
#include "base/log.hpp"

#include "base/fd.hpp"
#include "catch.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

using namespace httpd;

namespace {

// Standard error for a while: a packet socket, so that each system call is one packet.
class captured_stderr {
public:
  captured_stderr() {
    int pair[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    reader_.reset(pair[0]);
    const unique_fd writer{pair[1]};
    saved_.reset(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    ::dup2(writer.get(), STDERR_FILENO);
  }
  ~captured_stderr() { restore(); }

  // What one call wrote; "" when there is none.
  std::string next() {
    std::string packet(100'000, '\0');
    const ssize_t size = ::recv(reader_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    packet.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return packet;
  }
  void close_reader() { reader_.reset(); }
  void restore() {
    if (!saved_) return;
    ::dup2(saved_.get(), STDERR_FILENO);
    saved_.reset();
  }

private:
  unique_fd reader_, saved_;
};

// Every digit of the time a zero, so that lines can be compared.
std::string with_zeroes_in_time(std::string line) {
  const auto end = line.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(23, line.size()));
  std::replace_if(line.begin(), end, is_digit, '0');
  return line;
}

}  // namespace

TEST_CASE("a line has the UTC time, the level, the process and its number") {
  captured_stderr captured;
  log::set_process_name("server");
  log::error("cannot open ", "x", ": ", 13);
  log::warning("w");
  log::notice("n");
  const std::string lines[] = {captured.next(), captured.next(), captured.next()};
  captured.restore();
  const std::string process = concat(" server ", ::getpid(), ": ");
  const std::string time = "0000-00-00 00:00:00.000 ";
  CHECK(with_zeroes_in_time(lines[0]) == concat(time, "[error]", process, "cannot open x: 13\n"));
  CHECK(with_zeroes_in_time(lines[1]) == concat(time, "[warning]", process, "w\n"));
  CHECK(with_zeroes_in_time(lines[2]) == concat(time, "[notice]", process, "n\n"));
}

TEST_CASE("the time of a line is the time now whatever the time zone") {
  ::setenv("TZ", "Asia/Tokyo", 1);
  ::tzset();
  captured_stderr captured;
  std::time_t before = std::time(nullptr);
  std::string line;
  std::string expected(32, '\0');
  while (true) {  // again when a second ended in between
    log::notice("x");
    line = captured.next();
    const std::time_t after = std::time(nullptr);
    if (before == after) break;
    before = after;
  }
  captured.restore();
  ::unsetenv("TZ");
  ::tzset();
  std::tm parts{};
  ::gmtime_r(&before, &parts);
  expected.resize(std::strftime(expected.data(), expected.size(), "%Y-%m-%d %H:%M:%S.", &parts));
  CHECK(line.substr(0, expected.size()) == expected);
}

TEST_CASE("a long message is one call and a line feed at its end is not doubled") {
  captured_stderr captured;
  const std::string message(50'000, 'm');
  log::notice(message);
  log::notice("ends\n\n");
  log::notice("");
  const std::string lines[] = {captured.next(), captured.next(), captured.next(), captured.next()};
  captured.restore();
  CHECK(lines[0].find(concat(": ", message, "\n")) != std::string::npos);
  CHECK(lines[0].back() == '\n');
  CHECK(lines[1].substr(lines[1].find("ends")) == "ends\n");
  CHECK(lines[2].substr(lines[2].size() - 3) == ": \n");
  CHECK(lines[3].empty());
}

TEST_CASE("logging where nobody reads neither throws nor changes errno") {
  captured_stderr captured;
  const auto old_handler = ::signal(SIGPIPE, SIG_IGN);
  captured.close_reader();
  errno = ENOENT;
  log::error("lost");
  const int after = errno;
  ::signal(SIGPIPE, old_handler);
  captured.restore();
  CHECK(after == ENOENT);
}

TEST_CASE("the rate limit lets one through and counts the rest") {
  log::rate_limit limit{std::chrono::hours{1}};
  unsigned suppressed = 99;
  CHECK(limit.allow(suppressed));
  CHECK(suppressed == 0);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(limit.allow(suppressed));

  log::rate_limit none{std::chrono::milliseconds{0}};
  CHECK(none.allow(suppressed));
  CHECK(none.allow(suppressed));

  log::rate_limit brief{std::chrono::milliseconds{20}};
  unsigned refused = 0;
  CHECK(brief.allow(suppressed));
  while (!brief.allow(suppressed)) ++refused;
  CHECK(suppressed == refused);
}

TEST_CASE("of many threads exactly one passes the rate limit") {
  log::rate_limit limit{std::chrono::hours{1}};
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      unsigned suppressed = 0;
      for (int i = 0; i < 1000; ++i) passed += limit.allow(suppressed);
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(passed == 1);
}
