// Accepts connections on one listening socket for one thread.
#pragma once

#include "base/address.hpp"
#include "io/asio.hpp"
#include "io/deadline.hpp"
#include "server/connection_limit.hpp"

namespace httpd::server {

struct peer;
class worker;

// Owns nothing but its frame: `socket` is this thread's own descriptor of a listening socket.
// Ends when the socket is closed by stop().
class listener {
public:
  listener(worker&, int socket, const endpoint& address);

  io::awaitable<> run();
  // Takes what is still queued when `sweep`, then closes. Nobody who got a connection is reset.
  void stop(bool sweep);

private:
  enum class accepted { some, none_left, full, exhausted, failed };
  accepted accept_queued();
  bool is_awaited() noexcept;  // somebody waits in the kernel's queue
  bool is_stalled() noexcept;
  std::uint64_t queued() noexcept;
  void make_room();
  void turn_away(io::stream& client, const peer&);

  worker& worker_;
  io::stream socket_;  // only waited on
  const bool unix_;
  const std::uint16_t port_;
  // While all connections are in use: how many had ended when the present stretch of time began.
  std::uint64_t ended_ = 0;
  io::coarse_clock::time_point stretch_began_{};
  bool stalled_ = false;
  bool stopped_ = false;
};

}  // namespace httpd::server
