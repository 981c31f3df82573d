// io/output: what is sent at once, what is kept, in which order, and files.
#include "io/output.hpp"

#include "catch.hpp"
#include "io/failing_calls.hpp"
#include "io/io_test.hpp"

#include <fcntl.h>

#include <array>

using namespace httpd;
using namespace httpd::test;

namespace {

using parts = std::vector<std::string_view>;

io::error_code send(io::output& out, const parts& what, bool more = false) { return out.send(what, more); }

}  // namespace

TEST_CASE("output sends all parts in one call when the peer takes them") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  io::output out{wire.socket};
  failing_calls::fail(0, 0, "sendmsg");
  {
    const failing_calls::armed armed;
    REQUIRE_FALSE(send(out, {"head ", "", "and ", "content"}));
  }
  CHECK(failing_calls::counted() == 1);
  CHECK(out.pending() == 0);
  CHECK(out.total_sent() == 16);
  wire.other.pull();
  CHECK(wire.other.received() == "head and content");
}

TEST_CASE("output makes no call when there is nothing to send") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  io::output out{wire.socket};
  failing_calls::fail(0, 0, "sendmsg");
  const failing_calls::armed armed;
  CHECK_FALSE(send(out, {"", ""}));
  CHECK_FALSE(out.push());
  CHECK(failing_calls::counted() == 0);
}

TEST_CASE("output keeps what the peer does not take and sends it first, in order") {
  io::asio::io_context context{1};
  wired_socket wire{context, 1};  // the kernel's least
  io::output out{wire.socket};
  const auto text = pattern(300'000);
  const std::string_view all = text;
  out.keep(all.substr(0, 10));
  std::size_t at = 10;
  // Sizes from one byte to far above the buffer, two parts a time, reading little in between.
  for (std::size_t size = 1; at < all.size(); size = size * 3 + 1) {
    const auto half = std::min(size / 2, all.size() - at);
    const auto rest = std::min(size - half, all.size() - at - half);
    REQUIRE_FALSE(send(out, {all.substr(at, half), all.substr(at + half, rest)}));
    at += half + rest;
    wire.other.pull(1000);
    REQUIRE(out.total_sent() + out.pending() == at);
  }
  CHECK(out.pending() > 0);
  while (out.pending() > 0) {
    wire.other.pull(777);
    REQUIRE_FALSE(out.push());
  }
  while (wire.other.pull()) continue;
  CHECK(wire.other.received() == text);
}

TEST_CASE("output that a call takes in part keeps exactly the rest") {
  // A full socket: nothing of three parts is taken, whatever their sizes.
  io::asio::io_context context{1};
  wired_socket wire{context, 1};
  io::output out{wire.socket};
  const std::string block(100'000, 'x');
  REQUIRE_FALSE(send(out, {block}));
  const auto kept = out.pending();
  REQUIRE(kept > 0);
  REQUIRE_FALSE(send(out, {"a", "bc", "def"}));
  CHECK(out.pending() == kept + 6);
  while (out.pending() > 0) {
    wire.other.pull();
    REQUIRE_FALSE(out.push());
  }
  while (wire.other.pull()) continue;
  CHECK(wire.other.received() == block + "abcdef");
}

TEST_CASE("output does not see an interrupted call and keeps everything when the peer takes nothing") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  io::output out{wire.socket};
  const failing_calls::armed armed;
  failing_calls::fail(1, EINTR, "sendmsg");
  REQUIRE_FALSE(send(out, {"first "}));
  CHECK(failing_calls::counted() == 2);
  failing_calls::fail(1, EAGAIN, "sendmsg");
  REQUIRE_FALSE(send(out, {"second"}));
  CHECK(out.pending() == 6);
  REQUIRE_FALSE(out.push());
  wire.other.pull();
  CHECK(wire.other.received() == "first second");
}

TEST_CASE("output reports that the peer has gone, without a signal") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  io::output out{wire.socket};
  wire.other.close();
  CHECK(send(out, {"lost"}) == boost::system::errc::broken_pipe);
}

TEST_CASE("output joins a head announced by MSG_MORE with what follows into one segment") {
  io::asio::io_context context{1};
  auto pair = make_tcp_pair();
  io::stream socket{context.get_executor()};
  socket.assign({AF_INET, 0}, pair.servers.release());
  client other{std::move(pair.ours)};
  io::output out{socket};
  REQUIRE_FALSE(send(out, {"head "}, true));
  CHECK(out.pending() == 0);
  CHECK_FALSE(other.pull());  // held back by the kernel
  REQUIRE_FALSE(send(out, {"content"}));
  const auto give_up_at = std::chrono::steady_clock::now() + 5s;
  while (!other.pull() && std::chrono::steady_clock::now() < give_up_at) continue;
  CHECK(other.received() == "head content");
}

TEST_CASE("a file part is sent as far as the peer takes it, and its early end is no error") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  const temporary_folder folder;
  const auto text = pattern(600'000);
  const unique_fd file{::open(folder.write("file", text).c_str(), O_RDONLY | O_CLOEXEC)};
  std::uint64_t offset = 100;
  io::error_code error;
  while (offset < text.size() + 50) {
    const auto before = offset;
    error = io::send_file_now(wire.socket, file.get(), offset, text.size() + 50);
    if (error && !io::would_block(error)) break;
    if (!error && offset == before) break;
    wire.other.pull();
  }
  CHECK_FALSE(error);
  CHECK(offset == text.size());
  while (wire.other.pull()) continue;
  CHECK(wire.other.received() == text.substr(100));
  wire.other.close();
  offset = 0;
  CHECK(io::send_file_now(wire.socket, file.get(), offset, 10) == boost::system::errc::broken_pipe);
}
