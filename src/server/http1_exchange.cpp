// The exchange over HTTP/1: the answer put into its framing and sent, the close.
#include "http/status.hpp"
#include "io/wait_either.hpp"
#include "server/http1.hpp"
#include "server/worker.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace httpd::server {

namespace {

// After a refusal: so long may a client go on sending before it reads the answer, in all and between two
// parts.
constexpr std::chrono::seconds linger_time{30};
constexpr std::chrono::seconds linger_pause{5};
// So often the room for answers is looked at while the client takes nothing.
constexpr std::chrono::milliseconds room_poll{500};

}  // namespace

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
  static constexpr std::array<std::string_view, 1> last{http::last_chunk};
  const bool ends_by_chunk = answer_.chunked && !answer_.no_content;
  const auto error = client_gone(ends_by_chunk ? out_.send(last) : out_.push());
  out_.settle();
  return error;
}

void http1_connection::start_send_limit() noexcept {
  if (stalled_) return;
  stalled_ = true;
  deadline_.set(worker_.config.limits.send_timeout);
  client_takes();
}

// Whether fewer bytes are on their way than when it was last asked. A slow reader may take them for minutes
// before the kernel says that there is room for more.
bool http1_connection::client_takes() noexcept {
  int now = 0;
  if (::ioctl(socket_.native_handle(), SIOCOUTQ, &now) != 0) now = 0;
  return now < std::exchange(unacknowledged_, now);
}

// After a wait for the client: sends what it takes. The limit runs from the last byte it took, however often
// the wait was interrupted.
error_code http1_connection::send_on() {
  if (deadline_.expired()) {
    if (worker_.all.was_cut || !client_takes())
      return client_gone(boost::system::errc::make_error_code(boost::system::errc::timed_out));
    deadline_.set(worker_.config.limits.send_timeout);
    return {};
  }
  const auto before = out_.total_sent();
  const auto error = client_gone(out_.push());
  if (out_.total_sent() != before) {
    stalled_ = false;
    deadline_.clear();
  }
  return error;
}

awaitable<error_code> http1_connection::wait_writable() {
  keep_input();
  start_send_limit();
  for (;;) {
    const auto [error] = co_await socket_.async_wait(io::stream::wait_write, io::token);
    if (error && deadline_.expired() && !worker_.all.was_cut && client_takes()) {
      deadline_.set(worker_.config.limits.send_timeout);
      continue;
    }
    deadline_.clear();
    stalled_ = false;
    co_return client_gone(error);
  }
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
    // A wait although the client may take more at once: others on this thread have their turn.
    if (offset < end)
      if (const auto failed = co_await wait_writable()) co_return failed;
  }
  co_return error_code{};
}

bool http1_connection::has_all() {
  if (out_.pending() > 0) return false;
  keep_input();
  if (std::exchange(stalled_, false)) deadline_.clear();
  return true;
}

awaitable<error_code> http1_connection::wait_for(io::stream& source) {
  if (has_all()) {
    co_await source.async_wait(io::stream::wait_read, io::token);
    co_return error_code{};
  }
  keep_input();
  start_send_limit();
  co_await io::wait_writable_or_readable(socket_, source);
  co_return send_on();
}

awaitable<error_code> http1_connection::wait_for_room() {
  keep_input();
  start_send_limit();
  const auto left = deadline_.left();
  const auto since = io::coarse_clock::now();
  deadline_.set(std::min(left, room_poll));
  co_await socket_.async_wait(io::stream::wait_write, io::token);
  const auto passed = io::coarse_clock::now() - since;
  if (deadline_.expired() && !worker_.all.was_cut && passed < left) {
    deadline_.set(left - passed);
    co_return error_code{};
  }
  co_return send_on();
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
    // A place beyond the limit of connections is wanted by the next one.
    const auto give_up_at = io::coarse_clock::now() + (extra_ ? std::chrono::seconds{1} : linger_time);
    deadline_.set(linger_pause);
    for (;;) {
      input_ = {};
      const auto got = receive();
      if (got == received::closed || io::coarse_clock::now() >= give_up_at) break;
      if (extra_) deadline_.set(std::chrono::seconds{1});
      else if (got == received::bytes) deadline_.set(linger_pause);
      const auto [error] = co_await socket_.async_wait(io::stream::wait_read, io::token);
      if (error) break;
    }
  }
  deadline_.clear();
  socket_.close(ignored);
}

}  // namespace httpd::server
