// The first of two waits, the other one cancelled and collected.
#include "io/wait_either.hpp"

namespace httpd::io {

awaitable<error_code> wait_writable_or_readable(stream& to_write, stream& to_read) {
  // The second wait reports into this frame and rings the timer; the frame stays until it has.
  struct second_wait {
    bool done = false;
    bool ready = false;
  } read;
  timer rung{to_read.get_executor()};
  rung.expires_at(timer::time_point::max());
  auto on_read = [&read, &rung, &to_write](error_code error) {
    read.done = true;
    read.ready = !error;
    rung.cancel();
    error_code ignored;
    to_write.cancel(ignored);
  };
  to_read.async_wait(stream::wait_read, on_read);
  const auto [write_error] = co_await to_write.async_wait(stream::wait_write, token);
  if (!read.done) {
    error_code ignored;
    to_read.cancel(ignored);
    while (!read.done) co_await rung.async_wait(token);
  }
  co_return write_error && !read.ready ? write_error : error_code{};
}

}  // namespace httpd::io
