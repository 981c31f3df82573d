// Accepts connections on one listening socket for one thread.
#pragma once

#include "base/address.hpp"
#include "io/asio.hpp"
#include "server/connection_limit.hpp"

namespace httpd::server {

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
  connection_limit::place find_place();
  bool is_awaited() noexcept;  // somebody waits in the kernel's queue
  bool is_stalled() noexcept;
  void make_room();

  worker& worker_;
  io::stream socket_;  // only waited on
  const bool unix_;
  const std::uint16_t port_;
  std::uint64_t ended_ = 0;         // connections, when it was last looked
  unsigned looks_in_vain_ = 0;      // since one of them ended
  bool stopped_ = false;
};

}  // namespace httpd::server
