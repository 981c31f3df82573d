// One client that sends or takes as fast as it can does not hold the thread that serves the others. Here the
// server runs in a thread of its own, as in production, and the fast client in another.
#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/failing_calls.hpp"
#include "io/fixture.hpp"

#include <boost/asio/post.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace httpd;
using namespace httpd::test;

namespace {

// Runs the server until it goes, which drains it.
class running_server {
public:
  explicit running_server(test_server& server) : server_{server} { server.finished = true; }
  ~running_server() {
    io::asio::post(server_.worker->context, [this] { server_.worker->drain(true); });
    thread_.join();
  }
  running_server(const running_server&) = delete;
  running_server& operator=(const running_server&) = delete;

private:
  test_server& server_;
  std::thread thread_{[this] { server_.worker->context.run(); }};
};

// Blocks until the whole answer is there.
bool is_answered(client& c) {
  const auto give_up_at = std::chrono::steady_clock::now() + 10s;
  while (!c.has(1) && std::chrono::steady_clock::now() < give_up_at)
    if (!c.pull()) std::this_thread::sleep_for(1ms);
  return c.has(1);
}

constexpr std::uint64_t much = 400u << 20;
constexpr std::uint64_t little = 64u << 20;  // what the kernel's buffers hold, and some

// How many bytes move(fd) moved between the request of another client and its answer.
std::uint64_t moved_meanwhile(test_server& server, client fast, client other, ssize_t (*move)(int)) {
  std::atomic<std::uint64_t> moved{0};
  std::atomic<bool> over{false};
  std::uint64_t meanwhile = 0;
  bool answered = false;
  {
    const running_server serving{server};
    std::thread mover{[&] {
      while (!over && moved < much)
        if (const auto n = move(fast.fd()); n > 0) moved += static_cast<std::uint64_t>(n);
    }};
    while (moved < 8u << 20) std::this_thread::yield();
    const auto before = moved.load();
    other.send(get("/small.txt"));
    answered = is_answered(other);
    meanwhile = moved - before;
    over = true;
    mover.join();
    fast.close_with_reset();
    other.close();
  }
  REQUIRE(answered);
  return meanwhile;
}

ssize_t send_block(int fd) {
  static const std::string block(1u << 20, 'b');
  return ::send(fd, block.data(), block.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t take_block(int fd) {
  static std::vector<char> block(4u << 20);
  return ::recv(fd, block.data(), block.size(), MSG_DONTWAIT);
}

}  // namespace

TEST_CASE("a fast upload does not hold the thread") {
  const captured_log log;
  test_server server{[](config::configuration& c) { c.limits.max_body_bytes = 0; }};
  auto fast = server.connect_tcp(), other = server.connect();
  fast.send("POST /a.php HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999\r\n\r\n");
  CHECK(moved_meanwhile(server, std::move(fast), std::move(other), send_block) < little);
}

TEST_CASE("a client that goes on sending after a refusal does not hold the thread") {
  const captured_log log;
  test_server server;
  auto fast = server.connect_tcp(), other = server.connect();
  fast.send("POST /a.php HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999\r\n\r\n");
  CHECK(moved_meanwhile(server, std::move(fast), std::move(other), send_block) < little);
}

TEST_CASE("a fast download does not hold the thread") {
  test_server server;
  const auto path = server.folder.write("www/huge.bin", "");
  REQUIRE(::truncate(path.c_str(), 4 * off_t{much}) == 0);
  auto fast = server.connect_tcp(), other = server.connect();
  fast.send(get("/huge.bin"));
  CHECK(moved_meanwhile(server, std::move(fast), std::move(other), take_block) < little);
}

namespace {

// The most calls of one name that the server made in one turn until `c` had its answer.
std::size_t most_calls_in_a_turn(test_server& server, client& c, const char* name) {
  failing_calls::fail(0, 0, name);
  std::size_t most = 0;
  const auto give_up_at = std::chrono::steady_clock::now() + 30s;
  while (!c.ended() && std::chrono::steady_clock::now() < give_up_at) {
    const auto before = failing_calls::counted();
    {
      const failing_calls::armed armed;
      server.worker->context.run_one_for(1ms);
    }
    most = std::max(most, failing_calls::counted() - before);
    if (server.peer) server.peer->step();
    c.pull();
  }
  REQUIRE(c.ended());
  return most;
}

}  // namespace

TEST_CASE("a download moves a megabyte at most before others have their turn") {
  test_server server;
  const auto path = server.folder.write("www/huge.bin", "");
  REQUIRE(::truncate(path.c_str(), off_t{20} << 20) == 0);
  auto c = server.connect(8 << 20);
  c.send(get("/huge.bin", "Connection: close\r\n"));
  CHECK(most_calls_in_a_turn(server, c, "sendfile") == 1);
  CHECK(c.received().size() > 20u << 20);
  CHECK(server.finish());
}

TEST_CASE("an answer that was kept in a file moves a megabyte at most before others have their turn") {
  test_server server;
  auto& php = server.php({{.parts = {plain_answer(pattern(20u << 20))}}});
  auto c = server.connect(8 << 20);
  c.send(get("/a.php", "Connection: close\r\n"));
  REQUIRE(server.run_until([&] { return php.connections() == 1 && php.all_closed(); }));
  CHECK(most_calls_in_a_turn(server, c, "pread") <= 17);
  CHECK(c.received().size() > 20u << 20);
  CHECK(server.finish());
}
