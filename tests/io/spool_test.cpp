// io/spool: memory up to the limit, then a nameless file; a full disk is an error, not a crash.
#include "io/spool.hpp"

#include "catch.hpp"
#include "io/failing_calls.hpp"
#include "io/fixture.hpp"

#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

using namespace httpd;
using namespace httpd::test;

namespace {

std::string content_of(const io::spool& body) {
  if (!body.is_file()) return std::string{body.in_memory()};
  std::string bytes(static_cast<std::size_t>(body.size()) + 1, '\0');
  const auto n = ::pread(body.file(), bytes.data(), bytes.size(), 0);
  bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return bytes;
}

// TMPDIR for the time of a test.
class temporary_files_in {
public:
  explicit temporary_files_in(const std::string& folder) {
    if (const auto* was = std::getenv("TMPDIR")) before_ = was;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~temporary_files_in() {
    if (before_.empty()) ::unsetenv("TMPDIR");
    else ::setenv("TMPDIR", before_.c_str(), 1);
  }
  temporary_files_in(const temporary_files_in&) = delete;
  temporary_files_in& operator=(const temporary_files_in&) = delete;

private:
  std::string before_;
};

// No file may grow beyond this; without privileges the nearest thing to a full disk.
class file_size_limit {
public:
  explicit file_size_limit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int);
};

io::error_code append_until_error(io::spool& body, std::size_t bytes) {
  const std::string block(10'000, 'b');
  io::error_code error;
  for (std::size_t i = 0; !error && i < bytes; i += block.size()) error = body.append(block);
  return error;
}

}  // namespace

TEST_CASE("a spool stays in memory up to its limit and is a file one byte above it") {
  const auto text = pattern(io::spool::memory_bytes + 1);
  const std::string_view all = text;
  io::spool body;
  REQUIRE_FALSE(body.append(all.substr(0, 1000)));
  REQUIRE_FALSE(body.append({}));
  REQUIRE_FALSE(body.append(all.substr(1000, io::spool::memory_bytes - 1000)));
  CHECK_FALSE(body.is_file());
  CHECK(body.in_memory() == all.substr(0, io::spool::memory_bytes));
  REQUIRE_FALSE(body.append(all.substr(io::spool::memory_bytes)));
  CHECK(body.is_file());
  CHECK(body.in_memory().empty());
  CHECK(body.size() == text.size());
  CHECK(content_of(body) == text);
}

TEST_CASE("a spool file holds everything in order and has no name") {
  const temporary_folder folder;
  const temporary_files_in there{folder.path()};
  const auto text = pattern(1'000'000);
  io::spool body;
  for (std::size_t at = 0, size = 1; at < text.size(); at += size, size = size * 2 % 99'991)
    REQUIRE_FALSE(body.append(std::string_view{text}.substr(at, size)));
  CHECK(content_of(body) == text);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a spool is filled by interrupted writes too") {
  const auto text = pattern(100'000);
  io::spool body;
  failing_calls::fail(1, EINTR, "write");
  {
    const failing_calls::armed armed;
    REQUIRE_FALSE(body.append(text));
  }
  CHECK(failing_calls::counted() > 1);
  CHECK(content_of(body) == text);
}

TEST_CASE("a spool finds another folder when TMPDIR does not exist") {
  const temporary_files_in nowhere{"/nonexistent"};
  io::spool body;
  const auto text = pattern(100'000);
  REQUIRE_FALSE(body.append(text));
  CHECK(content_of(body) == text);
}

TEST_CASE("a full disk comes back as an error from whichever write meets it") {
  for (std::size_t n = 1; n <= 4; ++n) {
    io::spool body;
    failing_calls::fail(n, ENOSPC, "write");
    const failing_calls::armed armed;
    CHECK(append_until_error(body, 200'000) == boost::system::errc::no_space_on_device);
  }
}

TEST_CASE("a spool on a file system without room says so") {
  const temporary_folder folder;
  const temporary_files_in there{folder.path()};
  auto body = std::make_unique<io::spool>();
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=128k") == 0) {
    const auto error = append_until_error(*body, 1'000'000);
    body.reset();
    ::umount2(folder.path().c_str(), MNT_DETACH);
    CHECK(error == boost::system::errc::no_space_on_device);
  } else {
    const file_size_limit limit{128 * 1024};
    CHECK(append_until_error(*body, 1'000'000) == boost::system::errc::file_too_large);
  }
}

TEST_CASE("a spool without a descriptor left says so") {
  io::spool body;
  failing_calls::fail(1, EMFILE, "open");
  {
    const failing_calls::armed armed;
    CHECK(append_until_error(body, 100'000) == boost::system::errc::too_many_files_open);
  }
  CHECK(failing_calls::counted() == 1);
  failing_calls::fail(0, 0);
}

TEST_CASE("so many spools are files at once as descriptors are kept for them, and one more is told so") {
  io::allowance files{2};
  const std::string large(io::spool::memory_bytes + 1, 'x');
  io::spool first{&files};
  REQUIRE_FALSE(first.append(large));
  {
    io::spool second{&files};
    REQUIRE_FALSE(second.append(large));
    io::spool third{&files};
    CHECK(third.append(large) == boost::system::errc::too_many_files_open);
    io::spool small{&files};
    CHECK_FALSE(small.append("small"));
  }
  CHECK(files.left() == 1);
  io::spool again{&files};
  CHECK_FALSE(again.append(large));
  CHECK(files.left() == 0);
}
