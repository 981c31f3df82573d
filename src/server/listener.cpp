// The accept loop.
#include "server/listener.hpp"

#include "base/log.hpp"
#include "http/request_head.hpp"
#include "server/answers.hpp"
#include "server/http1.hpp"
#include "server/socket_address.hpp"
#include "server/worker.hpp"

#include <boost/asio/co_spawn.hpp>

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace httpd::server {

namespace {

// While all connections are in use.
constexpr std::chrono::milliseconds look_again{20};
// So often it is judged whether waiting is of use.
constexpr std::chrono::milliseconds stretch{2000};

peer describe(const sockaddr_storage& from, std::uint16_t listener_port) {
  peer who;
  who.listener_port = listener_port;
  who.address = to_ip_address(from, &who.port);
  who.text = who.address ? who.address->to_string() : "unix";
  return who;
}

// The place goes last: so many descriptors are in use.
io::awaitable<> run_session(worker& w, io::stream socket, peer from, connection_limit::place place) {
  {
    http1_connection connection{w, std::move(socket), std::move(from), place.is_extra()};
    co_await connection.run();
  }
  if (!place.is_extra()) w.all.connections.note_end();
}

// An exception is a bug or the end of memory: it costs its connection, not the process.
void session_ended(std::exception_ptr failure) {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    log::error("a connection was closed by an unexpected error: ", e.what());
  }
}

}  // namespace

listener::listener(worker& w, int socket, const endpoint& address)
    : worker_{w}, socket_{w.context.get_executor()}, unix_{address.is_unix()}, port_{address.port} {
  const int family = unix_ ? AF_UNIX : address.host.find(':') != std::string::npos ? AF_INET6 : AF_INET;
  socket_.assign({family, 0}, socket);
  // Accepted sockets inherit it: a flushed part of an answer must not wait for the one before.
  const int on = 1;
  if (!unix_) ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

io::awaitable<> listener::run() {
  io::timer pause{worker_.context.get_executor()};
  while (!stopped_) {
    const auto [error] = co_await socket_.async_wait(io::stream::wait_read, io::token);
    if (error || stopped_) continue;
    const auto result = accept_queued();
    if (result == accepted::some || result == accepted::none_left) continue;
    // Clients wait in the kernel's queue meanwhile; asking again at once would only burn the CPU.
    pause.expires_after(result == accepted::full ? look_again : std::chrono::milliseconds{100});
    co_await pause.async_wait(io::token);
  }
}

listener::accepted listener::accept_queued() {
  // A bound, so that a flood of connections does not starve those that are served.
  for (int i = 0; i < 64; ++i) {
    auto place = worker_.all.connections.enter();
    if (!place) {
      if (!is_awaited()) return accepted::none_left;
      make_room();
      // Whoever comes may be this machine.
      if (is_stalled()) place = worker_.all.connections.enter_extra(true);
      if (!place) return accepted::full;
    }
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const int fd = ::accept4(socket_.native_handle(), reinterpret_cast<sockaddr*>(&from), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return accepted::none_left;
      if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;
      const bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      static log::rate_limit often{std::chrono::seconds{10}};
      unsigned suppressed = 0;
      if (often.allow(suppressed))
        log::error("cannot accept connections: ", std::strerror(errno),
                   exhausted ? " (raise the limit of open files, ulimit -n)" : "");
      return exhausted ? accepted::exhausted : accepted::failed;
    }
    io::stream client{worker_.context.get_executor()};
    error_code error;
    client.assign({unix_ ? AF_UNIX : int{from.ss_family}, 0}, fd, error);
    if (error) {
      ::close(fd);
      return accepted::exhausted;
    }
    auto who = describe(from, port_);
    if (place.is_extra() && who.address && !who.address->is_loopback())
      place = worker_.all.connections.enter_extra(false);
    if (!place) {
      turn_away(client, who);
      continue;
    }
    auto session = run_session(worker_, std::move(client), std::move(who), std::move(place));
    io::asio::co_spawn(worker_.context, std::move(session), session_ended);
  }
  return accepted::some;
}

bool listener::is_awaited() noexcept {
  pollfd asked{socket_.native_handle(), POLLIN, 0};
  return ::poll(&asked, 1, 0) > 0;
}

// The kernel's queue is the place to wait in as long as connections end so fast that who comes now is served
// before a request would have waited too long for PHP. Else who comes is told so at once, and who asks for
// health is answered. All threads together end connections; each has a queue of its own.
bool listener::is_stalled() noexcept {
  const auto now = io::coarse_clock::now();
  if (now - stretch_began_ < stretch) return stalled_;
  const auto ended = worker_.all.connections.ended();
  const auto progress = ended - std::exchange(ended_, ended);
  const auto& config = worker_.config;
  const auto most_stretches = static_cast<std::uint64_t>(config.limits.queue_timeout / stretch) + 1;
  // A long time ago: nothing is known of the last two seconds.
  const bool is_known = now - std::exchange(stretch_began_, now) < 2 * stretch;
  stalled_ = is_known && progress * most_stretches < queued() * config.threads;
  return stalled_;
}

// What is asked of a socket that listens (tcp(7)); unknown for a Unix socket, where one waits at least.
std::uint64_t listener::queued() noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (unix_ || ::getsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 1;
  return std::max<std::uint64_t>(info.tcpi_unacked, 1);
}

// Without a frame, a place or a wait: of those who come there may be any number. What has come of the request
// is read, since closing with unread bytes would destroy the answer.
void listener::turn_away(io::stream& client, const peer& who) {
  auto& buffer = worker_.buffer;
  const auto got = ::recv(client.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  const std::string_view asked{buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  const bool with_content = !http::begins_with_head_method(asked);
  auto& text = worker_.scratch_head;
  text.clear();
  append_refusal(text, 503, worker_.date_and_server(), with_content);
  static_cast<void>(::send(client.native_handle(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
  ++worker_.requests;
  worker_.log.write_refused(who, asked, {503, with_content ? error_page(503).size() : 0});
}

void listener::make_room() {
  auto& connections = worker_.all.connections;
  worker_.make_room();
  connections.call_for_room();
  static log::rate_limit often{std::chrono::seconds{10}};
  unsigned suppressed = 0;
  if (!often.allow(suppressed)) return;
  const auto* const whose =
      connections.is_chosen() ? "of --max-connections" : "that the limit of open files allows (ulimit -n)";
  log::warning("all ", connections.most(), " connections ", whose,
               " are in use: idle ones are closed, others wait or get 503");
}

void listener::stop(bool sweep) {
  if (std::exchange(stopped_, true)) return;
  if (sweep)
    while (accept_queued() == accepted::some) continue;
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace httpd::server
