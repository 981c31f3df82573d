// The in-process server: what server.cpp and listener.cpp do in production, without threads and signals.
#include "io/fixture.hpp"

#include "io/failing_calls.hpp"
#include "server/http1.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace httpd::test {

namespace {

// As init has it for a server process: sendfile() knows no MSG_NOSIGNAL.
[[maybe_unused]] const auto no_signal = std::signal(SIGPIPE, SIG_IGN);

// The frame owns the connection, as in the listener.
io::awaitable<> run_session(server::worker& w, io::stream socket, server::peer from) {
  server::http1_connection connection{w, std::move(socket), std::move(from)};
  co_await connection.run();
}

void fill_site(const temporary_folder& folder, std::string_view large) {
  std::filesystem::create_directory(folder.path() + "/www");
  folder.write("www/small.txt", "a small file\n");
  folder.write("www/empty.txt", "");
  folder.write("www/large.bin", large);
  folder.write("www/a.php", "<?php // never read");
  folder.write("www/b.php", "<?php // never read");
}

}  // namespace

temporary_folder::temporary_folder() {
  auto name = (std::filesystem::temp_directory_path() / "httpd-io-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error{"cannot make " + name};
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string temporary_folder::write(const std::string& name, std::string_view content) const {
  const auto path = path_ + "/" + name;
  std::ofstream{path, std::ios::binary} << content;
  return path;
}

socket_pair make_unix_pair(int servers_send_buffer) {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
    throw std::runtime_error{"socketpair"};
  if (servers_send_buffer > 0)
    ::setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &servers_send_buffer, sizeof servers_send_buffer);
  return {unique_fd{fds[0]}, unique_fd{fds[1]}};
}

socket_pair make_tcp_pair() {
  const unique_fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  unique_fd ours{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (::bind(listener.get(), generic, size) != 0 || ::listen(listener.get(), 1) != 0 ||
      ::getsockname(listener.get(), generic, &size) != 0 || ::connect(ours.get(), generic, size) != 0)
    throw std::runtime_error{"no TCP on the loopback"};
  unique_fd servers{::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  return {std::move(ours), std::move(servers)};
}

std::size_t client::send(std::string_view bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto rest = bytes.substr(sent);
    const auto n = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  return sent;
}

bool client::pull(std::size_t most) {
  if (!socket_ || ended_) return false;
  static std::vector<char> buffer(1u << 20);
  const auto n = ::recv(socket_.get(), buffer.data(), std::min(most, buffer.size()), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  ended_ = n <= 0;
  was_reset_ = n < 0;
  if (n > 0) received_.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

void client::close_with_reset() {
  const linger now{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

void client::end_sending() { ::shutdown(socket_.get(), SHUT_WR); }

std::vector<answer> client::answers(const std::vector<std::string>& methods) const {
  return read_answers(received_, ended_, methods);
}

bool client::has(std::size_t count, const std::vector<std::string>& methods) const {
  for (const auto& one : answers(methods))
    if (one.status >= 200 && one.complete) --count;
  return count == 0;
}

const std::string test_server::large = pattern(600'000);

test_server::test_server(const change& modify) {
  fill_site(folder, large);
  config.document_root = folder.path() + "/www";
  config.php.mode = config::php_mode::supervised;
  config.php.workers = 4;
  if (modify) modify(config);
  endpoint socket;
  socket.unix_path = php_path();
  process = std::make_unique<server::process>(config, shared, std::vector<endpoint>{socket}, -1);
  worker = std::make_unique<server::worker>(*process);
  io::asio::co_spawn(worker->context, worker->run_ticks(), io::asio::detached);
}

// What still waits must be let go before the worker is: its frames would outlive what they refer to.
test_server::~test_server() {
  peer.reset();
  finish();
}

client test_server::adopt(socket_pair pair) {
  io::stream socket{worker->context.get_executor()};
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(pair.servers.get(), reinterpret_cast<sockaddr*>(&address), &size);
  socket.assign({int{address.ss_family}, 0}, pair.servers.release());
  server::peer from;
  from.text = address.ss_family == AF_UNIX ? "unix" : "127.0.0.1";
  auto session = run_session(*worker, std::move(socket), std::move(from));
  io::asio::co_spawn(worker->context, std::move(session), io::asio::detached);
  return client{std::move(pair.ours)};
}

client test_server::connect(int servers_send_buffer) { return adopt(make_unix_pair(servers_send_buffer)); }
client test_server::connect_tcp() { return adopt(make_tcp_pair()); }

php_peer& test_server::php(std::vector<php_script> scripts, int backlog) {
  peer = std::make_unique<php_peer>(php_path(), std::move(scripts), backlog);
  return *peer;
}

bool test_server::step() {
  const failing_calls::armed armed;
  return worker->context.poll() > 0;
}

bool test_server::run_until(const std::function<bool()>& done, std::vector<client*> readers,
                            std::chrono::milliseconds at_most) {
  const auto give_up_at = std::chrono::steady_clock::now() + at_most;
  while (!done()) {
    bool progress = step();
    if (peer) progress = peer->step() || progress;
    for (auto* reader : readers) progress = reader->pull() || progress;
    if (progress) continue;
    if (std::chrono::steady_clock::now() >= give_up_at) return false;
    const failing_calls::armed armed;
    worker->context.run_one_for(1ms);
  }
  return true;
}

void test_server::settle() {
  for (bool progress = true; progress;) {
    progress = step();
    if (peer) progress = peer->step() || progress;
  }
}

bool test_server::finish(std::chrono::milliseconds at_most) {
  if (std::exchange(finished, true)) return true;
  worker->drain(true);
  const auto is_over = [this] { return worker->context.stopped(); };
  return run_until(is_over, {}, at_most) && !process->was_cut;
}

std::string get(std::string_view target, std::string_view more_fields) {
  return concat("GET ", target, " HTTP/1.1\r\nHost: site.test\r\n", more_fields, "\r\n");
}

std::string post(std::string_view target, std::string_view body) {
  const auto head = concat("POST ", target, " HTTP/1.1\r\nHost: site.test\r\nContent-Length: ", body.size());
  return concat(head, "\r\n\r\n", body);
}

std::string post_chunked(std::string_view target, const std::vector<std::string>& chunks) {
  auto text = concat("POST ", target, " HTTP/1.1\r\nHost: site.test\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const auto& chunk : chunks) append(text, "0123456789abcdef"[chunk.size() & 15], "\r\n", chunk, "\r\n");
  return text + "0\r\n\r\n";
}

std::string pattern(std::size_t size) {
  std::string bytes;
  bytes.reserve(size + 24);
  for (std::size_t i = 0; bytes.size() < size; ++i) append(bytes, i * 2654435761u % 1000003u, ',');
  bytes.resize(size);
  return bytes;
}

}  // namespace httpd::test
