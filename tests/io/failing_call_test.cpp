// The n-th system call of the server fails, for every n: no crash, no hang, no session or descriptor left,
// and what an interrupted or repeated call may not change does not change.
#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/failing_calls.hpp"
#include "io/fixture.hpp"
#include "server/listener.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>

using namespace httpd;
using namespace httpd::test;

namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

int listen_on(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const auto address = address_of(path);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(fd, 16) != 0)
    throw std::runtime_error{"cannot listen"};
  return fd;
}

client connect_to(const std::string& path) {
  unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto address = address_of(path);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error{"cannot connect"};
  return client{std::move(fd)};
}

// Each run has files of its own: their validators differ.
std::string comparable(const std::vector<answer>& answers) {
  auto kept = answers;
  for (auto& one : kept)
    std::erase_if(one.fields, [](const auto& f) { return f.first == "etag" || f.first == "last-modified"; });
  return summary(kept);
}

const std::string upload = pattern(150'000);  // a spool file, sent to PHP by sendfile

// Accept, a small file, a part of a large one, a script, and an upload to a script; then everything once
// more in peace.
class scenario {
public:
  scenario() {
    server_.php({{.parts = {stdout_record("A: b\r\n\r\nfrom "), stdout_record("PHP"), end_record()}}});
    endpoint where;
    where.unix_path = path_;
    listener_ = std::make_unique<server::listener>(*server_.worker, listen_on(path_), where);
    io::asio::co_spawn(server_.worker->context, listener_->run(), io::asio::detached);
  }

  ~scenario() {
    listener_->stop(false);
    server_.finish();
  }
  scenario(const scenario&) = delete;
  scenario& operator=(const scenario&) = delete;

  // What came back, or "hangs" or "leaks".
  std::string run(std::size_t n, int error, const char* only = nullptr) {
    failing_calls::fail(n, error, only);
    const auto result = ask();
    calls = failing_calls::counted();
    failed = failing_calls::failed();
    failing_calls::fail(0, 0);
    if (result == "hangs") return result;
    // A fault of one request is no fault of the next.
    if (const auto again = ask(); !again.starts_with("200\n") || again.find("incomplete") != again.npos)
      return "does not recover: " + again.substr(0, 200);
    if (!server_.run_until([this] { return server_.peer->all_closed(); })) return "leaks a connection to PHP";
    listener_->stop(false);
    return server_.finish() ? result : "leaks a session";
  }

  std::size_t calls = 0;
  std::string failed;

private:
  std::string ask() {
    auto c = connect_to(path_);
    const auto request = get("/small.txt") + get("/large.bin", "Range: bytes=0-99999\r\n") + get("/a.php") +
                         post("/b.php", upload);
    std::size_t sent = 0;
    std::size_t seen = 0;
    const auto done = [&] {
      sent += c.send(std::string_view{request}.substr(sent));
      // Taking answers apart is dear: only when no more come at the moment.
      const bool quiet = std::exchange(seen, c.received().size()) == c.received().size();
      return c.ended() || (quiet && c.has(4));
    };
    if (!server_.run_until(done, {&c}, 5s)) return "hangs";
    return comparable(c.answers());
  }

  test_server server_;
  std::string path_ = server_.folder.path() + "/web.sock";
  std::unique_ptr<server::listener> listener_;
};

// Every n until none fails any more. What is not `invisible` may end a request, but nothing else.
void fail_every_call(int error, bool invisible, const char* only = nullptr) {
  const captured_log log;
  CAPTURE(std::strerror(error));
  std::string undisturbed;
  {
    scenario one;
    undisturbed = one.run(0, 0);
  }
  REQUIRE(undisturbed.find("from PHP") != undisturbed.npos);
  const auto before = open_descriptors();
  std::size_t n = 1;
  for (bool reached = true; reached; ++n) {
    scenario one;
    const auto result = one.run(n, error, only);
    reached = !one.failed.empty();
    CAPTURE(n, one.failed, result.substr(0, 300));
    CHECK(result != "hangs");
    CHECK_FALSE(result.starts_with("leaks"));
    CHECK_FALSE(result.starts_with("does not recover"));
    if (invisible) CHECK((result == undisturbed));
  }
  CHECK(n > 2);
  CHECK(open_descriptors() == before);
}

}  // namespace

TEST_CASE("an interrupted call is invisible, whichever it is") {
  const auto* only = GENERATE("sendmsg", "send", "recv", "sendfile", "accept4", "pread", "write");
  CAPTURE(only);
  fail_every_call(EINTR, true, only);
}

TEST_CASE("a call that must be made again later is invisible, whichever it is") {
  const auto* only = GENERATE("sendmsg", "send", "recv", "sendfile", "accept4", "connect");
  CAPTURE(only);
  fail_every_call(EAGAIN, true, only);
}

TEST_CASE("the end of memory in any call costs at most a request") { fail_every_call(ENOMEM, false); }

TEST_CASE("the end of descriptors in any call costs at most a request") {
  const auto* only = GENERATE("socket", "accept4", "syscall", "open");
  fail_every_call(EMFILE, false, only);
}

TEST_CASE("a reset in any call costs at most a connection") {
  const auto* only = GENERATE("sendmsg", "send", "recv", "sendfile", "connect", "accept4");
  fail_every_call(ECONNRESET, false, only);
}

TEST_CASE("a fault of the disk in any call costs at most a request") {
  const auto* only = GENERATE("pread", "fstatat", "syscall", "write", "sendfile", "open");
  fail_every_call(EIO, false, only);
}
