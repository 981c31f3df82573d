// The exchange over HTTP/1: the body taken out of its framing, the answer put into it, the close.
#include "http/status.hpp"
#include "io/wait_either.hpp"
#include "server/http1.hpp"
#include "server/worker.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace httpd::server {

namespace {

// A body that nobody wanted is read to its end only up to here; beyond it a new connection is cheaper.
constexpr std::uint64_t discard_bytes = 64 * 1024;
constexpr unsigned receives_between_waits = 16;
// After a refusal: so long may a client go on sending before it reads the answer.
constexpr std::chrono::seconds linger_time{5};

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

void http1_connection::add_connection_field(std::string& out) const {
  if (!keep_alive_) out += "Connection: close\r\n";
  else if (request_->head.minor_version == 0) out += "Connection: keep-alive\r\n";
}

void http1_connection::begin(const http::response_head& head) {
  answer_.begun = true;
  answer_.status = head.status;
  answer_.no_content = http::forbids_content(head.status) || request_->head.method == "HEAD";
  if (!body_is_worth_reading()) {
    keep_alive_ = false;
    linger_ = true;
  }
  if (worker_.is_draining()) keep_alive_ = false;
  auto& text = worker_.scratch_head;
  text.clear();
  http::write_status_line(text, head.status, head.reason);
  const auto date_and_server = worker_.date_and_server();
  if (!head.has_date && !head.has_server) text += date_and_server;
  else {
    const auto date_end = date_and_server.find('\n') + 1;
    if (!head.has_date) text += date_and_server.substr(0, date_end);
    if (!head.has_server) text += date_and_server.substr(date_end);
  }
  text += head.fields;
  if (head.status == 205) {
    text += "Content-Length: 0\r\n";
  } else if (http::forbids_content(head.status)) {
    // 204 and 304 end with their head.
  } else if (head.content_length) {
    answer_.counted = true;
    answer_.left = *head.content_length;
    append(text, "Content-Length: ", *head.content_length, "\r\n");
  } else if (request_->head.method == "HEAD") {
    // The length of what GET would send is not known: none is invented.
  } else if (request_->head.minor_version >= 1) {
    answer_.chunked = true;
    text += "Transfer-Encoding: chunked\r\n";
  } else {
    answer_.until_close = true;
    keep_alive_ = false;
  }
  add_connection_field(text);
  text += "\r\n";
  out_.keep(text);
}

std::uint64_t http1_connection::missing() const noexcept {
  return answer_.counted && !answer_.no_content ? answer_.left : 0;
}

error_code http1_connection::client_gone(error_code error) noexcept {
  if (error) broken_ = true;
  return error;
}

error_code http1_connection::send(std::string_view content) {
  if (answer_.no_content) return {};
  if (answer_.counted) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(content.size(), answer_.left));
    answer_.excess += content.size() - n;
    answer_.left -= n;
    content = content.substr(0, n);
  }
  if (content.empty()) return client_gone(out_.push());
  answer_.content_sent += content.size();
  if (!answer_.chunked) {
    const std::array<std::string_view, 1> parts{content};
    return client_gone(out_.send(parts));
  }
  const http::chunk_header header{content.size()};
  const std::array<std::string_view, 3> parts{header.text(), content, http::chunk_end};
  return client_gone(out_.send(parts));
}

error_code http1_connection::finish() {
  answer_.finished = true;
  if (missing() > 0) broken_ = true;
  if (answer_.chunked && !answer_.no_content) {
    static constexpr std::array<std::string_view, 1> end{http::last_chunk};
    return client_gone(out_.send(end));
  }
  return client_gone(out_.push());
}

awaitable<error_code> http1_connection::wait_writable() {
  keep_input();
  deadline_.set(worker_.config.limits.send_timeout);
  const auto [error] = co_await socket_.async_wait(io::stream::wait_write, io::token);
  deadline_.clear();
  stalled_ = false;
  co_return client_gone(error);
}

awaitable<error_code> http1_connection::flush() {
  auto error = client_gone(out_.push());
  while (!error && out_.pending() > 0) {
    error = co_await wait_writable();
    if (!error) error = client_gone(out_.push());
  }
  co_return error;
}

awaitable<error_code> http1_connection::send_file(int file, std::uint64_t first, std::uint64_t size) {
  if (answer_.no_content || size == 0) co_return error_code{};
  if (const auto error = client_gone(out_.send({}, true))) co_return error;
  if (const auto error = co_await flush()) co_return error;
  auto offset = first;
  const auto end = first + size;
  while (offset < end) {
    const auto before = offset;
    const auto error = io::send_file_now(socket_, file, offset, end);
    const auto moved = offset - before;
    answer_.left -= moved;
    answer_.content_sent += moved;
    if (!error && moved == 0) {
      // The file was cut after its length was announced; the client must see a short answer.
      broken_ = true;
      co_return boost::system::errc::make_error_code(boost::system::errc::io_error);
    }
    if (error && !io::would_block(error)) co_return client_gone(error);
    if (error)
      if (const auto failed = co_await wait_writable()) co_return failed;
  }
  co_return error_code{};
}

awaitable<error_code> http1_connection::wait_for(io::stream& source) {
  keep_input();
  if (out_.pending() == 0) {
    if (stalled_) deadline_.clear();
    stalled_ = false;
    co_await source.async_wait(io::stream::wait_read, io::token);
    co_return error_code{};
  }
  // The limit runs from the last byte the client took, however often the source interrupts.
  if (!stalled_) deadline_.set(worker_.config.limits.send_timeout);
  stalled_ = true;
  auto error = co_await io::wait_writable_or_readable(socket_, source);
  if (deadline_.expired())
    co_return client_gone(boost::system::errc::make_error_code(boost::system::errc::timed_out));
  const auto before = out_.total_sent();
  error = client_gone(out_.push());
  if (out_.total_sent() != before) {
    stalled_ = false;
    deadline_.clear();
  }
  co_return error;
}

bool http1_connection::client_left() noexcept {
  // Not a peek: bytes that nobody has read may stand before the end.
  pollfd asked{socket_.native_handle(), POLLRDHUP, 0};
  if (::poll(&asked, 1, 0) <= 0 || (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) return false;
  broken_ = true;
  return true;
}

// Closing with unread input makes the kernel send RST, which destroys the answer at the client: so the
// writing side is closed first and what still comes is thrown away for a while (RFC 9112 9.6).
awaitable<> http1_connection::close() {
  error_code ignored;
  if (broken_ && answer_.begun && answer_.until_close) {
    // Nothing but a reset tells this client that its answer is cut.
    const linger now{1, 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  } else if (!broken_ && (linger_ || !input_.empty() || receive() == received::bytes)) {
    co_await flush();
    socket_.shutdown(io::stream::shutdown_send, ignored);
    deadline_.set(linger_time);
    for (;;) {
      input_ = {};
      const auto got = receive();
      if (got == received::closed || deadline_.expired()) break;
      const auto [error] = co_await socket_.async_wait(io::stream::wait_read, io::token);
      if (error) break;
    }
  }
  deadline_.clear();
  socket_.close(ignored);
}

}  // namespace httpd::server
