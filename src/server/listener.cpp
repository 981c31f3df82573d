// The accept loop.
#include "server/listener.hpp"

#include "base/log.hpp"
#include "server/http1.hpp"
#include "server/socket_address.hpp"
#include "server/worker.hpp"

#include <boost/asio/co_spawn.hpp>

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace httpd::server {

namespace {

// While all connections are in use; when none has ended for so many looks, two seconds, waiting is no use.
constexpr std::chrono::milliseconds look_again{20};
constexpr unsigned most_looks_in_vain = 100;

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
    if (result == accepted::full) ++looks_in_vain_;
    // Clients wait in the kernel's queue meanwhile; asking again at once would only burn the CPU.
    pause.expires_after(result == accepted::full ? look_again : std::chrono::milliseconds{100});
    co_await pause.async_wait(io::token);
  }
}

listener::accepted listener::accept_queued() {
  // A bound, so that a flood of connections does not starve those that are served.
  for (int i = 0; i < 64; ++i) {
    auto place = find_place();
    if (!place) return is_awaited() ? accepted::full : accepted::none_left;
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
    auto session = run_session(worker_, std::move(client), describe(from, port_), std::move(place));
    io::asio::co_spawn(worker_.context, std::move(session), session_ended);
  }
  return accepted::some;
}

// The kernel's queue is the place to wait in as long as connections end. When none does, who comes is told
// so, and who asks for health is answered.
connection_limit::place listener::find_place() {
  auto place = worker_.all.connections.enter();
  if (place || !is_awaited()) return place;
  make_room();
  return is_stalled() ? worker_.all.connections.enter_extra() : std::move(place);
}

bool listener::is_awaited() noexcept {
  pollfd asked{socket_.native_handle(), POLLIN, 0};
  return ::poll(&asked, 1, 0) > 0;
}

bool listener::is_stalled() noexcept {
  const auto ended = worker_.all.connections.ended();
  if (std::exchange(ended_, ended) != ended) looks_in_vain_ = 0;
  return looks_in_vain_ >= most_looks_in_vain;
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
