// Where PHP is: the private socket of the supervised php-fpm, or one or more external ones, tried in order.
#pragma once

#include "base/address.hpp"
#include "config/config.hpp"
#include "io/asio.hpp"
#include "io/deadline.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <deque>
#include <string>
#include <vector>

namespace httpd::server {

using io::error_code;

// Shared by the threads: which servers failed lately and are tried last.
class php_servers {
public:
  php_servers(const config::php&, endpoint supervised_socket);

  std::size_t size() const noexcept { return servers_.size(); }
  const endpoint& address(std::size_t i) const noexcept { return servers_[i].address; }
  bool is_failing(std::size_t i) const noexcept;
  // Logs the change from working to failing and back, not every request.
  void note_failure(std::size_t i, const error_code&);
  void note_success(std::size_t i);

private:
  struct server {
    endpoint address;
    std::atomic<io::coarse_clock::rep> avoid_until_ms{0};  // 0 = works
  };
  std::deque<server> servers_;
};

// The resolved addresses, per thread. A name is resolved again when its addresses are older than five seconds
// or none of them answers, so that a recreated container is found at its new address.
class php_addresses {
public:
  php_addresses(php_servers&, io::executor);

  // The usual case without a wait: connects `to` to the first server. False: not so simple, call connect().
  bool connect_at_once(io::stream& to);
  // Connects `to` to the first server that takes it. A full backlog of a Unix socket
  // (EAGAIN) is waited out until `give_up_at`, whatever the other servers say: then timed_out. Otherwise the
  // error of the last server tried.
  io::awaitable<error_code> connect(io::stream& to, io::deadline_list&,
                                    std::chrono::steady_clock::time_point give_up_at);

private:
  using socket_address = io::asio::generic::stream_protocol::endpoint;
  struct resolved {
    std::vector<socket_address> addresses;
    bool is_name = false;
    io::coarse_clock::time_point at;
  };

  io::awaitable<error_code> try_all(io::stream& to, io::deadline_list&);
  io::awaitable<error_code> try_server(std::size_t i, io::stream& to, io::deadline_list&);
  io::awaitable<error_code> try_addresses(const std::vector<socket_address>&, io::stream& to,
                                          io::deadline_list&);
  io::awaitable<error_code> resolve(std::size_t i);

  php_servers& servers_;
  std::vector<resolved> resolved_;
  io::asio::ip::basic_resolver<io::asio::ip::tcp, io::executor> resolver_;
};

}  // namespace httpd::server
