// The session: wait, receive, look, answer. The plain path (a small file that is in memory) runs without a
// copy, an allocation or a suspension from the received bytes to the sent answer.
#include "server/http1.hpp"

#include "server/answers.hpp"
#include "server/handler.hpp"
#include "server/routing.hpp"
#include "server/socket_address.hpp"
#include "server/worker.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace httpd::server {

namespace {

// Memory of carried bytes above this is given back when they are used up.
constexpr std::size_t carried_capacity_bytes = 256;

// A connection beyond the limit has so long for its request.
constexpr std::chrono::milliseconds extra_patience{1000};

bool has_conditions(const http::request_head& head) noexcept {
  for (const auto& field : head.fields) {
    const auto first = to_lower(field.name[0]);
    if (first == 'r' && iequals(field.name, "range")) return true;
    if (first == 'i' && field.name.size() > 3 && field.name[2] == '-') return true;
  }
  return false;
}

std::string local_address(io::stream& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.native_handle(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  const auto ip = to_ip_address(address);
  return ip ? ip->to_string() : std::string{};
}

}  // namespace

http1_connection::http1_connection(worker& w, io::stream socket, peer from, bool extra)
    : worker_{w}, socket_{std::move(socket)}, deadline_{w.deadlines, socket_}, out_{socket_, &w.answers},
      peer_{std::move(from)}, extra_{extra} {}

awaitable<> http1_connection::run() {
  const worker::session_count counted{worker_};
  auto next = step::need_input;
  while (next != step::close) {
    switch (next) {
      case step::need_input: {
        before_wait();
        const auto [error] = co_await socket_.async_wait(io::stream::wait_read, io::token);
        next = after_wait(error);
        break;
      }
      case step::look:
        next = look_at_input();
        break;
      case step::serve:
        co_await serve();
        next = after_request();
        break;
      case step::flush:
        co_await flush();
        next = after_request();
        break;
      case step::close:
        break;
    }
  }
  co_await close();
}

// The limit for a head counts from its first byte and no further byte moves it.
void http1_connection::before_wait() noexcept {
  keep_input();
  const auto& times = worker_.config.limits;
  if (!input_.empty()) {
    if (!head_started_) deadline_.set(extra_ ? extra_patience : times.header_timeout);
    head_started_ = true;
  } else if (last_chance_) {
    deadline_.set(std::chrono::seconds{1});
  } else {
    deadline_.set(extra_ ? extra_patience : requests_ == 0 ? times.header_timeout : times.idle_timeout);
    deadline_.set_idle(true);
    // The drain may have come while the last request was served.
    if (worker_.is_draining()) deadline_.set(std::chrono::milliseconds{0});
  }
}

http1_connection::step http1_connection::after_wait(error_code error) {
  deadline_.set_idle(false);
  if (error && !deadline_.expired()) return step::close;
  // Even after a cancelled wait: shutdown may have met a request that was just arriving.
  const auto got = receive();
  if (got == received::bytes) return step::look;
  if (got == received::closed) return step::close;
  if (!error) return step::need_input;
  if (!input_.empty()) return refuse(408);
  if (worker_.is_draining() && requests_ == 0 && !last_chance_) {
    last_chance_ = true;
    return step::need_input;
  }
  return step::close;
}

http1_connection::received http1_connection::receive() {
  if (input_.empty()) carried_.clear();
  auto& buffer = worker_.buffer;
  ssize_t n;
  do n = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return received::nothing_yet;
  if (n <= 0) return received::closed;
  const std::string_view bytes{buffer.data(), static_cast<std::size_t>(n)};
  if (input_.empty()) {
    input_ = bytes;
  } else {
    keep_input();
    carried_ += bytes;
    input_ = carried_;
  }
  return received::bytes;
}

// Before a suspension: the thread's buffer belongs to the next one who runs.
void http1_connection::keep_input() {
  if (input_.data() == carried_.data() && input_.size() == carried_.size()) return;
  if (input_.empty()) {
    carried_.clear();
    if (carried_.capacity() > carried_capacity_bytes) carried_ = {};
  } else {
    carried_ = std::string{input_};
  }
  input_ = carried_;
}

http1_connection::step http1_connection::look_at_input() {
  if (input_.empty()) return step::need_input;
  head_bytes_ = http::head_length(input_, scanned_);
  if (head_bytes_ == 0) {
    if (const auto status = http::refuse_partial_head(input_, head_limits(worker_.config)))
      return refuse(status);
    // One more byte in the moment when the time was over buys no more of it.
    return head_started_ && deadline_.expired() ? refuse(408) : step::need_input;
  }
  scanned_ = 0;
  head_started_ = false;
  timings_ = {.started = std::chrono::steady_clock::now()};
  auto& asked = worker_.scratch_request;
  if (const auto status = read_request(input_.substr(0, head_bytes_), worker_.config, peer_, asked))
    return refuse(status);
  if (extra_ && !asks_for_health(asked, worker_.config)) return refuse(503);
  start_request(asked);
  if (!answer_now(asked)) return step::serve;
  input_.remove_prefix(head_bytes_);
  request_done();
  request_ = nullptr;
  return out_.pending() > 0 ? step::flush : after_request();
}

// The head cannot be understood, so nothing after it can: answer and close.
http1_connection::step http1_connection::refuse(unsigned status) {
  const bool with_content = !http::begins_with_head_method(input_);
  auto& text = worker_.scratch_head;
  text.clear();
  append_refusal(text, status, worker_.date_and_server(), with_content);
  const std::array<std::string_view, 1> parts{text};
  out_.send(parts);
  ++worker_.requests;
  worker_.log.write_refused(peer_, input_, {status, with_content ? error_page(status).size() : 0});
  keep_alive_ = false;
  linger_ = true;
  return step::close;
}

// Without a suspension, if that is possible. Else it takes serve(), and the thread's scratch_route is for it.
bool http1_connection::answer_now(const server::request& asked) {
  worker_.refresh_root();
  const bool plain = asked.is_get_or_head() && !asked.head.has_body() && !has_conditions(asked.head);
  if (plain)
    if (const auto* file = worker_.files.peek(asked.path); file && send_whole(*file)) return true;
  auto where = find_route(asked, worker_.config, worker_.root, worker_.files);
  if (plain && where.file && send_whole(*where.file)) return true;
  if (!asked.head.has_body() && answer_at_once(*this, worker_, where)) return true;
  worker_.scratch_route = std::move(where);
  return false;
}

// Of a small file: the head from finished lines, and both in one call.
bool http1_connection::send_whole(const cached_file& file) {
  if (!file.in_memory || file.variants) return false;
  answer_.begun = answer_.finished = true;
  answer_.status = 200;
  auto& text = worker_.scratch_head;
  text.assign("HTTP/1.1 200 OK\r\n");
  append(text, worker_.date_and_server(), file.entity_fields, file.validator_fields, "Content-Length: ",
         file.size, "\r\n");
  add_connection_field(text);
  text += "\r\n";
  const bool with_content = request_->head.method == "GET";
  answer_.content_sent = with_content ? file.size : 0;
  const std::array<std::string_view, 2> parts{text, with_content ? std::string_view{file.bytes} : ""};
  if (out_.send(parts)) broken_ = true;
  return true;
}

awaitable<> http1_connection::serve() {
  auto where = std::move(worker_.scratch_route);
  // Ours, since the views into it outlive the suspensions to come.
  const std::string head{input_.substr(0, head_bytes_)};
  server::request asked{worker_.scratch_request};
  move_views(asked, input_.substr(0, head_bytes_), head.data());
  input_.remove_prefix(head_bytes_);
  keep_input();
  if (peer_.local_text.empty()) peer_.local_text = local_address(socket_);
  request_ = &asked;
  // Without a body that was tried where the head was looked at.
  if (body_.done || !answer_at_once(*this, worker_, where)) co_await handle(*this, worker_, where);
  if (!broken_ && !answer_.finished) broken_ = true;
  if (!broken_ && out_.pending() > 0) co_await flush();
  if (!broken_ && keep_alive_ && !body_.done) co_await discard_body();
  request_done();
  request_ = nullptr;
}

void http1_connection::start_request(server::request& asked) {
  ++requests_;
  deadline_.clear();
  stalled_ = false;
  request_ = &asked;
  answer_ = {};
  body_ = {};
  body_.chunked = asked.head.chunked;
  body_.left = asked.head.content_length.value_or(0);
  body_.done = !asked.head.has_body();
  body_.expect_continue = asked.head.expect_continue && !body_.done;
  const auto most = worker_.config.limits.keepalive_requests;
  const bool is_last = most != 0 && requests_ >= most;
  keep_alive_ = asked.head.keep_alive && !worker_.is_draining() && !is_last && !extra_;
  linger_ = linger_ || is_last;  // a client that knows of no limit may have sent its next request
}

void http1_connection::request_done() {
  ++worker_.requests;
  // 499, as nginx has it: the client left before there was an answer.
  const answered what{answer_.begun ? answer_.status : 499, answer_.content_sent};
  worker_.log.write(*request_, timings_, what);
}

http1_connection::step http1_connection::after_request() const noexcept {
  if (broken_ || !keep_alive_) return step::close;
  return input_.empty() ? step::need_input : step::look;
}

}  // namespace httpd::server
