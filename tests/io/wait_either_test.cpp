// io/wait_either: whichever comes first, and no wait is left behind.
#include "io/wait_either.hpp"

#include "catch.hpp"
#include "io/io_test.hpp"

using namespace httpd;
using namespace httpd::test;

namespace {

// A socket whose other end takes nothing more.
void fill(wired_socket& wire) {
  const std::string block(4096, 'x');
  client us{unique_fd{::dup(wire.socket.native_handle())}};
  while (us.send(block) > 0) continue;
}

}  // namespace

TEST_CASE("wait_either ends when the first socket can be written") {
  io::asio::io_context context{1};
  wired_socket to_write{context, 1}, to_read{context};
  fill(to_write);
  running<io::error_code> wait{context, io::wait_writable_or_readable(to_write.socket, to_read.socket)};
  REQUIRE_FALSE(wait.is_done());
  while (to_write.other.pull()) continue;
  CHECK_FALSE(wait.get());
}

TEST_CASE("wait_either ends when the second socket can be read") {
  io::asio::io_context context{1};
  wired_socket to_write{context, 1}, to_read{context};
  fill(to_write);
  running<io::error_code> wait{context, io::wait_writable_or_readable(to_write.socket, to_read.socket)};
  REQUIRE_FALSE(wait.is_done());
  to_read.other.send("x");
  CHECK_FALSE(wait.get());
}

TEST_CASE("wait_either ends once when both sockets are ready at the same time") {
  io::asio::io_context context{1};
  for (int i = 0; i < 100; ++i) {
    wired_socket to_write{context}, to_read{context};
    to_read.other.send("x");
    running<io::error_code> wait{context, io::wait_writable_or_readable(to_write.socket, to_read.socket)};
    CHECK_FALSE(wait.get());
  }
}

TEST_CASE("wait_either says so when both waits are cancelled, and the sockets may go at once") {
  io::asio::io_context context{1};
  wired_socket to_write{context, 1};
  auto to_read = std::make_unique<wired_socket>(context);
  fill(to_write);
  running<io::error_code> wait{context, io::wait_writable_or_readable(to_write.socket, to_read->socket)};
  SECTION("the one to write first") {
    to_write.socket.cancel();
    to_read->socket.cancel();
  }
  SECTION("the one to read first") {
    to_read->socket.cancel();
    to_write.socket.cancel();
  }
  SECTION("only the one to write") { to_write.socket.cancel(); }
  SECTION("only the one to read") { to_read->socket.cancel(); }
  SECTION("the one to read is closed") { to_read->socket.close(); }
  CHECK(wait.get() == io::asio::error::operation_aborted);
  to_read.reset();
  context.restart();
  context.poll();
}

TEST_CASE("wait_either takes one socket for both") {
  io::asio::io_context context{1};
  wired_socket wire{context, 1};
  fill(wire);
  running<io::error_code> wait{context, io::wait_writable_or_readable(wire.socket, wire.socket)};
  REQUIRE_FALSE(wait.is_done());
  SECTION("it can be read") {
    wire.other.send("x");
    CHECK_FALSE(wait.get());
  }
  SECTION("it can be written") {
    while (wire.other.pull()) continue;
    CHECK_FALSE(wait.get());
  }
  SECTION("the other end goes") {
    wire.other.close();
    CHECK_FALSE(wait.get());
  }
  SECTION("it is cancelled") {
    wire.socket.cancel();
    CHECK(wait.get() == io::asio::error::operation_aborted);
  }
}
