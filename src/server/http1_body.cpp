// The exchange over HTTP/1: the body of a request taken out of its framing.
#include "server/http1.hpp"
#include "server/worker.hpp"

#include <algorithm>
#include <array>

namespace httpd::server {

namespace {

// A body that nobody wanted is read to its end only up to here; beyond it a new connection is cheaper.
constexpr std::uint64_t discard_bytes = 64 * 1024;
constexpr unsigned receives_between_waits = 16;

}  // namespace

awaitable<body_part> http1_connection::read_body() {
  if (body_.done) {
    keep_input();
    co_return body_part{};
  }
  const auto most = worker_.config.limits.max_body_bytes;
  if (most != 0 && !body_.chunked && body_.left + body_.taken > most) co_return fail_body(413);
  for (;;) {
    if (!input_.empty()) {
      auto part = body_.chunked ? take_chunked() : take_counted();
      if (part.status != 0 || !part.bytes.empty()) co_return part;
      if (body_.done) {
        keep_input();
        co_return part;
      }
    }
    if (body_.expect_continue) {
      body_.expect_continue = false;
      static constexpr std::array<std::string_view, 1> go_on{"HTTP/1.1 100 Continue\r\n\r\n"};
      out_.send(go_on);
    }
    // Now and then a wait although more is there: a fast upload must not hold the thread.
    if (++body_.receives % receives_between_waits != 0) {
      const auto got = receive();
      if (got == received::closed) co_return fail_body(499);
      if (got == received::bytes) continue;
    }
    keep_input();
    deadline_.set(worker_.config.limits.body_timeout);
    const auto [error] = co_await socket_.async_wait(io::stream::wait_read, io::token);
    const bool late = deadline_.expired();
    deadline_.clear();
    if (error) co_return fail_body(late ? 408 : 499);
  }
}

body_part http1_connection::take_counted() {
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(body_.left, input_.size()));
  const auto bytes = input_.substr(0, n);
  input_.remove_prefix(n);
  body_.left -= n;
  body_.taken += n;
  body_.done = body_.left == 0;
  body_.expect_continue = false;
  return {0, bytes};
}

body_part http1_connection::take_chunked() {
  const auto part = body_.decoder.next(input_);
  input_.remove_prefix(part.consumed);
  body_.expect_continue = false;
  switch (part.what) {
    case http::chunked_decoder::status::data: {
      body_.taken += part.data.size();
      const auto most = worker_.config.limits.max_body_bytes;
      if (most != 0 && body_.taken > most) return fail_body(413);
      return {0, part.data};
    }
    case http::chunked_decoder::status::done:
      body_.done = true;
      return {};
    case http::chunked_decoder::status::bad:
      return fail_body(400);
    case http::chunked_decoder::status::more:
      break;
  }
  return {};
}

body_part http1_connection::fail_body(unsigned status) noexcept {
  keep_alive_ = false;
  if (status == 499) broken_ = true;
  else linger_ = true;
  return {status, {}};
}

bool http1_connection::body_is_worth_reading() const noexcept {
  return body_.done || (!body_.chunked && !body_.expect_continue && body_.left <= discard_bytes);
}

awaitable<> http1_connection::discard_body() {
  for (;;) {
    const auto part = co_await read_body();
    if (part.status != 0 || part.bytes.empty()) co_return;
  }
}

}  // namespace httpd::server
