// io/deadline: limits fire once, can be set anew, and idle ones can be told apart.
#include "io/deadline.hpp"

#include "catch.hpp"
#include "io/io_test.hpp"

using namespace httpd;
using namespace httpd::test;

namespace {

io::awaitable<io::error_code> wait_readable(io::stream& socket) {
  const auto [error] = co_await socket.async_wait(io::stream::wait_read, io::token);
  co_return error;
}

bool was_aborted(const io::error_code& e) { return e == io::asio::error::operation_aborted; }

void wait_past(std::chrono::milliseconds time) {
  const auto end = io::coarse_clock::now() + time;
  while (io::coarse_clock::now() < end) continue;
}

}  // namespace

TEST_CASE("a deadline that passes ends what waits, once") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  io::deadline_list list;
  io::deadline limit{list, wire.socket};
  running<io::error_code> first{context, wait_readable(wire.socket)};
  limit.set(20ms);
  list.tick();
  CHECK_FALSE(first.is_done());
  CHECK_FALSE(limit.expired());
  wait_past(20ms);
  list.tick();
  CHECK(was_aborted(first.get()));
  CHECK(limit.expired());
  // Not again: the next wait has a limit only when one is set.
  running<io::error_code> second{context, wait_readable(wire.socket)};
  list.tick();
  CHECK_FALSE(second.is_done());
  wire.socket.close();
  second.get();
}

TEST_CASE("a deadline set again starts anew and one that is cleared never passes") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  io::deadline_list list;
  io::deadline limit{list, wire.socket};
  running<io::error_code> wait{context, wait_readable(wire.socket)};
  limit.set(0ms);
  limit.set(10s);
  list.tick();
  CHECK_FALSE(wait.is_done());
  limit.set(0ms);
  limit.clear();
  list.tick();
  CHECK_FALSE(wait.is_done());
  limit.set(0ms);
  list.tick();
  CHECK(was_aborted(wait.get()));
  REQUIRE(limit.expired());
  limit.set(10s);
  CHECK_FALSE(limit.expired());
}

TEST_CASE("only idle deadlines end at shutdown, and all of them when the time of grace is over") {
  io::asio::io_context context{1};
  wired_socket idle_wire{context}, busy_wire{context};
  io::deadline_list list;
  io::deadline idle{list, idle_wire.socket}, busy{list, busy_wire.socket};
  idle.set_idle(true);
  running<io::error_code> idle_wait{context, wait_readable(idle_wire.socket)};
  running<io::error_code> busy_wait{context, wait_readable(busy_wire.socket)};
  list.expire_idle();
  CHECK(was_aborted(idle_wait.get()));
  CHECK(idle.expired());
  CHECK_FALSE(busy_wait.is_done());
  CHECK_FALSE(busy.expired());
  list.expire_all();
  CHECK(was_aborted(busy_wait.get()));
  CHECK(busy.expired());
}

TEST_CASE("deadlines leave their list in any order") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  io::deadline_list list;
  const auto kept = std::make_unique<io::deadline>(list, wire.socket);
  auto a = std::make_unique<io::deadline>(list, wire.socket);
  auto b = std::make_unique<io::deadline>(list, wire.socket);
  auto c = std::make_unique<io::deadline>(list, wire.socket);
  b.reset();
  list.expire_all();
  CHECK(kept->expired());
  CHECK(a->expired());
  CHECK(c->expired());
  c.reset();
  a.reset();
  kept->set(0ms);
  list.tick();
  CHECK(kept->expired());
}
