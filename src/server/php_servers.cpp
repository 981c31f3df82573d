// Connecting to PHP: order, fail-over, names, full backlogs.
#include "server/php_servers.hpp"

#include "base/log.hpp"

#include <boost/asio/local/stream_protocol.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

namespace httpd::server {

namespace {

constexpr std::chrono::seconds connect_timeout{3};
constexpr std::chrono::seconds avoid_time{2};   // a failing server is tried last for so long
constexpr std::chrono::seconds address_life{5};

// Begins an attempt: no error when the connection is there, EALREADY while it is on its way. The native call,
// because Asio's would report the full backlog of a Unix socket as an ordinary failure, and needs a wait even
// where the kernel connects at once.
error_code begin_connect(io::stream& to, const io::asio::generic::stream_protocol::endpoint& address) {
  error_code error;
  if (to.is_open()) to.close(error);
  to.open(address.protocol(), error);
  if (!error) to.non_blocking(true, error);
  if (error) return error;
  // Twice: over loopback the first call says "in progress" of a connection that is there when it returns.
  for (int looks = 0; looks < 2; ++looks) {
    if (::connect(to.native_handle(), address.data(), static_cast<socklen_t>(address.size())) == 0) return {};
    if (errno != EINPROGRESS) break;
  }
  return io::last_error();
}

bool is_tcp(const io::asio::generic::stream_protocol::endpoint& address) {
  return address.protocol().family() != AF_UNIX;
}

void send_at_once(io::stream& to, const io::asio::generic::stream_protocol::endpoint& address) {
  const int on = 1;
  if (is_tcp(address)) ::setsockopt(to.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// One attempt.
io::awaitable<error_code> connect_once(io::stream& to,
                                       const io::asio::generic::stream_protocol::endpoint& address,
                                       io::deadline_list& deadlines) {
  const auto begun = begin_connect(to, address);
  if (begun != boost::system::errc::connection_already_in_progress) co_return begun;
  io::deadline limit{deadlines, to};
  limit.set(connect_timeout);
  const auto [waited] = co_await to.async_wait(io::stream::wait_write, io::token);
  if (waited && limit.expired())
    co_return boost::system::errc::make_error_code(boost::system::errc::host_unreachable);
  if (waited) co_return waited;
  int failure = 0;
  socklen_t size = sizeof failure;
  ::getsockopt(to.native_handle(), SOL_SOCKET, SO_ERROR, &failure, &size);
  co_return error_code{failure, boost::system::system_category()};
}

}  // namespace

php_servers::php_servers(const config::php& php, endpoint supervised_socket) {
  if (php.mode == config::php_mode::supervised)
    servers_.emplace_back().address = std::move(supervised_socket);
  for (const auto& address : php.servers) servers_.emplace_back().address = address;
}

bool php_servers::is_failing(std::size_t i) const noexcept {
  const auto until = servers_[i].avoid_until_ms.load(std::memory_order_relaxed);
  return until != 0 && io::coarse_clock::now().time_since_epoch().count() < until;
}

void php_servers::note_failure(std::size_t i, const error_code& error) {
  const auto until = (io::coarse_clock::now() + avoid_time).time_since_epoch().count();
  if (servers_[i].avoid_until_ms.exchange(until, std::memory_order_relaxed) == 0)
    log::error("cannot connect to php-fpm at ", servers_[i].address.to_string(), ": ", error.message());
}

void php_servers::note_success(std::size_t i) {
  if (servers_[i].avoid_until_ms.load(std::memory_order_relaxed) == 0) return;
  if (servers_[i].avoid_until_ms.exchange(0, std::memory_order_relaxed) != 0)
    log::notice("php-fpm at ", servers_[i].address.to_string(), " takes connections again");
}

php_addresses::php_addresses(php_servers& servers, io::executor on)
    : servers_{servers}, resolved_(servers.size()), resolver_{on} {
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto& address = servers.address(i);
    if (address.is_unix()) {
      auto path = address.unix_path;
      if (path[0] == '@') path[0] = '\0';
      resolved_[i].addresses.emplace_back(io::asio::local::stream_protocol::endpoint{path});
      continue;
    }
    error_code no_number;
    const auto number = io::asio::ip::make_address(address.host, no_number);
    if (no_number) resolved_[i].is_name = true;
    else resolved_[i].addresses.emplace_back(io::asio::ip::tcp::endpoint{number, address.port});
  }
}

bool php_addresses::connect_at_once(io::stream& to) {
  if (resolved_.empty() || resolved_[0].is_name || servers_.is_failing(0)) return false;
  const auto& address = resolved_[0].addresses[0];
  if (begin_connect(to, address)) return false;
  send_at_once(to, address);
  servers_.note_success(0);
  return true;
}

io::awaitable<error_code> php_addresses::connect(io::stream& to, io::deadline_list& deadlines,
                                                 std::chrono::steady_clock::time_point give_up_at) {
  auto pause = std::chrono::milliseconds{2};
  for (;;) {
    const auto error = co_await try_all(to, deadlines);
    if (!io::would_block(error)) co_return error;
    if (std::chrono::steady_clock::now() >= give_up_at)
      co_return boost::system::errc::make_error_code(boost::system::errc::timed_out);
    // poll cannot wait for room in the backlog of a Unix socket.
    io::timer timer{to.get_executor()};
    timer.expires_after(pause);
    co_await timer.async_wait(io::token);
    pause = std::min(pause * 2, std::chrono::milliseconds{50});
  }
}

// Those that work, then those that failed lately; each once.
io::awaitable<error_code> php_addresses::try_all(io::stream& to, io::deadline_list& deadlines) {
  std::vector<std::size_t> order(resolved_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto works = [this](std::size_t i) { return !servers_.is_failing(i); };
  std::stable_partition(order.begin(), order.end(), works);
  error_code error, busy;
  for (const auto i : order) {
    const auto failure = co_await try_server(i, to, deadlines);
    if (!failure) {
      servers_.note_success(i);
      co_return failure;
    }
    // Busy is not broken, and is waited for even when the others are broken.
    if (io::would_block(failure)) {
      busy = failure;
    } else {
      servers_.note_failure(i, failure);
      error = failure;
    }
  }
  co_return busy ? busy : error;
}

io::awaitable<error_code> php_addresses::try_server(std::size_t i, io::stream& to,
                                                    io::deadline_list& deadlines) {
  const bool stale = resolved_[i].is_name && io::coarse_clock::now() - resolved_[i].at > address_life;
  if (resolved_[i].is_name && (stale || resolved_[i].addresses.empty()))
    if (const auto error = co_await resolve(i); error && resolved_[i].addresses.empty()) co_return error;
  // A copy: another request may resolve anew while this one waits.
  auto addresses = resolved_[i].addresses;
  auto error = co_await try_addresses(addresses, to, deadlines);
  if (!error || io::would_block(error) || !resolved_[i].is_name || stale) co_return error;
  if (co_await resolve(i) || resolved_[i].addresses == addresses) co_return error;
  addresses = resolved_[i].addresses;
  co_return co_await try_addresses(addresses, to, deadlines);
}

io::awaitable<error_code> php_addresses::try_addresses(const std::vector<socket_address>& addresses,
                                                       io::stream& to, io::deadline_list& deadlines) {
  error_code error;
  for (const auto& address : addresses) {
    error = co_await connect_once(to, address, deadlines);
    if (error) continue;
    send_at_once(to, address);
    break;
  }
  co_return error;
}

io::awaitable<error_code> php_addresses::resolve(std::size_t i) {
  const auto& address = servers_.address(i);
  const auto port = std::to_string(address.port);
  const auto [error, found] = co_await resolver_.async_resolve(
      address.host, port, io::asio::ip::tcp::resolver::numeric_service, io::token);
  if (error) co_return error;
  resolved_[i].addresses.clear();
  for (const auto& one : found) resolved_[i].addresses.emplace_back(one.endpoint());
  resolved_[i].at = io::coarse_clock::now();
  co_return error_code{};
}

}  // namespace httpd::server
