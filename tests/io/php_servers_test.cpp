// server/php_servers: which php-fpm is tried, in which order, and what is waited out.
#include "server/php_servers.hpp"

#include "catch.hpp"
#include "io/failing_calls.hpp"
#include "io/io_test.hpp"

#include <netinet/in.h>
#include <sys/un.h>

#include <deque>

using namespace httpd;
using namespace httpd::test;
using namespace boost::system::errc;

namespace {

endpoint unix_endpoint(const std::string& path) {
  endpoint where;
  where.unix_path = path;
  return where;
}

endpoint tcp_endpoint(const std::string& host, std::uint16_t port) {
  endpoint where;
  where.host = host;
  where.port = port;
  return where;
}

// A listening TCP socket on a free port of 127.0.0.1.
struct tcp_listener {
  tcp_listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket.get(), generic, size) != 0 || ::listen(socket.get(), 8) != 0)
      throw std::runtime_error{"cannot listen"};
    ::getsockname(socket.get(), generic, &size);
    port = ntohs(address.sin_port);
  }
  unique_fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  std::uint16_t port = 0;
};

struct bench {
  explicit bench(std::vector<endpoint> servers) {
    php.mode = config::php_mode::external;
    php.servers = std::move(servers);
    shared.emplace(php, endpoint{});
    addresses.emplace(*shared, context.get_executor());
  }
  // Starts to connect `to`.
  io::awaitable<io::error_code> start(io::stream& socket, std::chrono::milliseconds patience = 10s) {
    return addresses->connect(socket, deadlines, std::chrono::steady_clock::now() + patience);
  }
  io::error_code connect(std::chrono::milliseconds patience = 10s) {
    to.emplace(context.get_executor());
    running<io::error_code> connecting{context, start(*to, patience)};
    return connecting.get();
  }
  // Where the socket ended up.
  std::string peer_path() {
    sockaddr_un address{};
    socklen_t size = sizeof address;
    ::getpeername(to->native_handle(), reinterpret_cast<sockaddr*>(&address), &size);
    return address.sun_path;
  }

  config::php php;
  io::asio::io_context context{1};
  io::deadline_list deadlines;
  std::optional<server::php_servers> shared;
  std::optional<server::php_addresses> addresses;
  std::optional<io::stream> to;
};

// A Unix socket whose backlog is full.
struct full_backlog {
  explicit full_backlog(const std::string& path) : peer{path, {{}}, 1} {
    for (;;) {
      unique_fd one{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      path.copy(address.sun_path, sizeof address.sun_path - 1);
      if (::connect(one.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) break;
      waiting.push_back(std::move(one));
    }
  }
  php_peer peer;
  std::vector<unique_fd> waiting;
};

}  // namespace

TEST_CASE("the first php server that takes the connection is used") {
  const temporary_folder folder;
  const auto a = folder.path() + "/a", b = folder.path() + "/b";
  php_peer first{a, {{}}}, second{b, {{}}};
  bench php{{unix_endpoint(a), unix_endpoint(b)}};
  CHECK_FALSE(php.connect());
  CHECK(php.peer_path() == a);
}

TEST_CASE("a php server that fails is passed over, tried last for a while, and used again later") {
  const temporary_folder folder;
  const auto a = folder.path() + "/a", b = folder.path() + "/b";
  bench php{{unix_endpoint(a), unix_endpoint(b)}};
  php_peer second{b, {{}}};
  CHECK_FALSE(php.connect());
  CHECK(php.peer_path() == b);
  CHECK(php.shared->is_failing(0));
  CHECK_FALSE(php.shared->is_failing(1));
  php_peer first{a, {{}}};
  CHECK_FALSE(php.connect());
  CHECK(php.peer_path() == b);
  const auto give_up_at = std::chrono::steady_clock::now() + 5s;
  while (php.shared->is_failing(0) && std::chrono::steady_clock::now() < give_up_at)
    php.context.run_one_for(10ms);
  CHECK_FALSE(php.connect());
  CHECK(php.peer_path() == a);
}

TEST_CASE("a failing php server is still tried when no other one works") {
  const temporary_folder folder;
  const auto a = folder.path() + "/a", b = folder.path() + "/b";
  bench php{{unix_endpoint(a), unix_endpoint(b)}};
  CHECK(php.connect() == no_such_file_or_directory);
  CHECK(php.shared->is_failing(0));
  CHECK(php.shared->is_failing(1));
  php_peer first{a, {{}}};
  CHECK_FALSE(php.connect());
  CHECK(php.peer_path() == a);
  CHECK_FALSE(php.shared->is_failing(0));
}

TEST_CASE("the full backlog of a Unix socket is waited out") {
  const temporary_folder folder;
  const auto path = folder.path() + "/a";
  full_backlog full{path};
  bench php{{unix_endpoint(path)}};
  php.to.emplace(php.context.get_executor());
  running<io::error_code> connecting{php.context, php.start(*php.to)};
  php.context.run_for(20ms);
  CHECK_FALSE(connecting.is_done());
  full.peer.step();
  CHECK_FALSE(connecting.get());
  CHECK(php.peer_path() == path);
  CHECK_FALSE(php.shared->is_failing(0));
}

TEST_CASE("a backlog that stays full ends as a time-out, and a busy server is not a failing one") {
  const temporary_folder folder;
  const auto path = folder.path() + "/a";
  full_backlog full{path};
  bench php{{unix_endpoint(path)}};
  CHECK(php.connect(30ms) == timed_out);
  CHECK_FALSE(php.shared->is_failing(0));
}

TEST_CASE("a busy php server is waited for when the others are down, whatever their order") {
  const temporary_folder folder;
  const auto busy = folder.path() + "/busy", down = folder.path() + "/down";
  full_backlog full{busy};
  const bool busy_first = GENERATE(true, false);
  bench php{busy_first ? std::vector{unix_endpoint(busy), unix_endpoint(down)}
                       : std::vector{unix_endpoint(down), unix_endpoint(busy)}};
  php.to.emplace(php.context.get_executor());
  running<io::error_code> connecting{php.context, php.start(*php.to)};
  php.context.run_for(10ms);
  CHECK_FALSE(connecting.is_done());
  full.peer.step();
  CHECK_FALSE(connecting.get());
  CHECK(php.peer_path() == busy);
}

TEST_CASE("another php server takes over at once when the first one is busy") {
  const temporary_folder folder;
  const auto busy = folder.path() + "/busy", idle = folder.path() + "/idle";
  full_backlog full{busy};
  php_peer other{idle, {{}}};
  bench php{{unix_endpoint(busy), unix_endpoint(idle)}};
  CHECK_FALSE(php.connect());
  CHECK(php.peer_path() == idle);
}

TEST_CASE("a php server on TCP is found by number and by name, over IPv4 when IPv6 is refused") {
  tcp_listener listener;  // on 127.0.0.1 alone: [::1] refuses where localhost has it
  const auto host = GENERATE("127.0.0.1", "localhost");
  bench php{{tcp_endpoint(host, listener.port)}};
  CHECK_FALSE(php.connect());
  const unique_fd accepted{::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  CHECK(accepted);
}

TEST_CASE("a php server whose port is closed is refused") {
  std::optional<tcp_listener> listener{std::in_place};
  const auto port = listener->port;
  listener.reset();
  const auto host = GENERATE("127.0.0.1", "localhost");
  bench php{{tcp_endpoint(host, port)}};
  CHECK(php.connect() == connection_refused);
  CHECK(php.shared->is_failing(0));
}

namespace {

// Too long for a label: no name server is asked.
const std::string unknown_name = std::string(64, 'x') + ".invalid";

}  // namespace

TEST_CASE("a name that cannot be resolved is an error, not a hang, and fails over") {
  const temporary_folder folder;
  const auto path = folder.path() + "/a";
  bench alone{{tcp_endpoint(unknown_name, 9)}};
  CHECK(alone.connect());
  php_peer peer{path, {{}}};
  bench php{{tcp_endpoint(unknown_name, 9), unix_endpoint(path)}};
  CHECK_FALSE(php.connect());
  CHECK(php.peer_path() == path);
}

TEST_CASE("many requests resolve one name at the same time") {
  tcp_listener listener;
  bench php{{tcp_endpoint("localhost", listener.port)}};
  std::deque<io::stream> sockets;
  std::deque<running<io::error_code>> all;
  for (int i = 0; i < 5; ++i) {
    auto& socket = sockets.emplace_back(php.context.get_executor());
    all.emplace_back(php.context, php.start(socket));
  }
  for (auto& one : all) CHECK_FALSE(one.get());
}

TEST_CASE("a process without descriptors cannot connect and says why") {
  const temporary_folder folder;
  const auto path = folder.path() + "/a";
  php_peer peer{path, {{}}};
  bench php{{unix_endpoint(path)}};
  failing_calls::fail(1, EMFILE, "socket");
  {
    const failing_calls::armed armed;
    CHECK(php.connect() == too_many_files_open);
  }
  CHECK(failing_calls::counted() >= 1);
  CHECK_FALSE(php.connect());
}
