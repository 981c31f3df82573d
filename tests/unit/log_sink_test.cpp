// base/log_sink: a reader that is slow loses nothing, one that has stopped holds nobody up.
#include "base/log_sink.hpp"

#include "base/fd.hpp"
#include "catch.hpp"

#include <fcntl.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace httpd;

namespace {

struct pipe_ends {
  pipe_ends() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    reader.reset(ends[0]);
    writer.reset(ends[1]);
  }
  // Up to so many bytes of what is in it.
  std::string read(std::size_t bytes) const {
    std::string text(bytes, '\0');
    const auto size = ::read(reader.get(), text.data(), bytes);
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }
  unique_fd reader, writer;
};

bool write(log_sink& sink, int fd, std::string text) {
  iovec part{text.data(), text.size()};
  return sink.write(fd, &part, 1);
}

// Until the sink has waited in vain once.
void fill(log_sink& sink, const pipe_ends& pipe) {
  const std::string line(1000, 'x');
  while (write(sink, pipe.writer.get(), line)) {}
}

}  // namespace

TEST_CASE("parts are written in order and whole") {
  pipe_ends pipe;
  log_sink sink;
  std::string texts[] = {"one ", "", "two ", "three\n"};
  std::vector<iovec> parts;
  for (auto& text : texts) parts.push_back({text.data(), text.size()});
  CHECK(sink.write(pipe.writer.get(), parts.data(), 4));
  CHECK(pipe.read(100) == "one two three\n");
  CHECK_FALSE(sink.has_lost());
}

TEST_CASE("a reader that has stopped is waited for once and then no more") {
  pipe_ends pipe;
  log_sink sink;
  fill(sink, pipe);
  CHECK(sink.take_lost() == 1);
  // A wait each would last over an hour, and the test's time limit would end it.
  const std::string line(1000, 'x');
  for (int i = 0; i < 5000; ++i) CHECK_FALSE(write(sink, pipe.writer.get(), line));
  CHECK(sink.take_lost() == 5000);
  CHECK(sink.take_lost() == 0);
}

TEST_CASE("a reader that reads again gets what comes then") {
  pipe_ends pipe;
  log_sink sink;
  fill(sink, pipe);
  while (pipe.read(1 << 20).size() == 1 << 20) {}
  CHECK(write(sink, pipe.writer.get(), "again\n"));
  CHECK(pipe.read(100) == "again\n");
}

TEST_CASE("a slow reader loses nothing, even of a text larger than the pipe") {
  pipe_ends pipe;
  log_sink sink;
  const std::string text(1 << 20, 'x');
  std::size_t received = 0;
  std::thread reader{[&] {
    while (received < text.size()) received += pipe.read(30'000).size();
  }};
  CHECK(write(sink, pipe.writer.get(), text));
  reader.join();
  CHECK(received == text.size());
}

TEST_CASE("a reader that takes a little for ever is waited for a second in all") {
  pipe_ends pipe;
  log_sink sink;
  std::atomic<bool> done{false};
  std::thread reader{[&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
      pipe.read(4096);
    }
  }};
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(write(sink, pipe.writer.get(), std::string(1 << 20, 'x')));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{10});  // instead of 50
  CHECK(sink.take_lost() == 1);
  done = true;
  reader.join();
}

TEST_CASE("the descriptor stays as others use it") {
  pipe_ends pipe;
  log_sink sink;
  fill(sink, pipe);
  CHECK((::fcntl(pipe.writer.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("a file and a device are written plainly, a closed descriptor is a loss") {
  char name[] = "/tmp/log-sink-XXXXXX";
  const unique_fd file{::mkstemp(name)};
  REQUIRE(file);
  ::unlink(name);
  log_sink sink;
  for (int i = 0; i < 100; ++i) CHECK(write(sink, file.get(), std::string(10'000, 'x')));
  CHECK(::lseek(file.get(), 0, SEEK_END) == 1'000'000);
  const unique_fd null{::open("/dev/null", O_WRONLY)};
  CHECK(write(sink, null.get(), std::string(10'000, 'x')));
  CHECK_FALSE(write(sink, -1, "x"));
}
