// The accept loop.
#include "server/listener.hpp"

#include "base/log.hpp"
#include "server/http1.hpp"
#include "server/socket_address.hpp"
#include "server/worker.hpp"

#include <boost/asio/co_spawn.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace httpd::server {

namespace {

peer describe(const sockaddr_storage& from, std::uint16_t listener_port) {
  peer who;
  who.listener_port = listener_port;
  who.address = to_ip_address(from, &who.port);
  who.text = who.address ? who.address->to_string() : "unix";
  return who;
}

io::awaitable<> run_session(worker& w, io::stream socket, peer from) {
  http1_connection connection{w, std::move(socket), std::move(from)};
  co_await connection.run();
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
    pause.expires_after(std::chrono::milliseconds{result == accepted::full ? 20 : 100});
    co_await pause.async_wait(io::token);
  }
}

listener::accepted listener::accept_queued() {
  // A bound, so that a flood of connections does not starve those that are served.
  for (int i = 0; i < 64; ++i) {
    if (worker_.is_full()) {
      make_room();
      return accepted::full;
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
    io::asio::co_spawn(worker_.context, run_session(worker_, std::move(client), describe(from, port_)),
                       session_ended);
  }
  return accepted::some;
}

// Who waits for nothing makes room for who wants something; but who has just come may be about to ask.
void listener::make_room() {
  worker_.deadlines.expire_idle(std::chrono::seconds{1});
  static log::rate_limit often{std::chrono::seconds{10}};
  unsigned suppressed = 0;
  if (often.allow(suppressed))
    log::warning(
        "all connections that the limit of open files allows are in use (ulimit -n): idle ones are closed");
}

void listener::stop(bool sweep) {
  if (std::exchange(stopped_, true)) return;
  if (sweep)
    while (accept_queued() == accepted::some) continue;
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace httpd::server
