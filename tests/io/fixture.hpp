// A server process with one worker inside the test program, stepped by the test: nothing runs but inside
// step(), so every order of events is chosen and repeatable.
#pragma once

#include "base/fd.hpp"
#include "base/shared_state.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "io/answers.hpp"
#include "io/php_peer.hpp"
#include "server/worker.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::test {

using namespace std::chrono_literals;

// Removed with everything in it.
class temporary_folder {
public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::string write(const std::string& name, std::string_view content) const;

private:
  std::string path_;
};

// Two connected stream sockets, both non-blocking.
struct socket_pair {
  unique_fd ours, servers;
};
socket_pair make_unix_pair(int servers_send_buffer = 0);
socket_pair make_tcp_pair();

// The other end of a connection.
class client {
public:
  explicit client(unique_fd socket) noexcept : socket_{std::move(socket)} {}

  // As much as the socket takes; returns how much.
  std::size_t send(std::string_view bytes);
  // Receives what is there, at most so many bytes. Whether anything came, the end included.
  bool pull(std::size_t most = 1u << 20);
  void close() { socket_.reset(); }
  void close_with_reset();  // TCP
  void end_sending();

  const std::string& received() const noexcept { return received_; }
  bool ended() const noexcept { return ended_; }          // the server closed its end
  bool was_reset() const noexcept { return was_reset_; }
  int fd() const noexcept { return socket_.get(); }
  std::vector<answer> answers(const std::vector<std::string>& methods = {}) const;
  // So many final answers (1xx not counted) are here whole.
  bool has(std::size_t count, const std::vector<std::string>& methods = {}) const;

private:
  unique_fd socket_;
  std::string received_;
  bool ended_ = false;
  bool was_reset_ = false;
};

// The site of all tests: /small.txt, /empty.txt, /large.bin (600 KB), /a.php and /b.php.
class test_server {
public:
  using change = std::function<void(config::configuration&)>;
  explicit test_server(const change& = {});
  ~test_server();
  test_server(const test_server&) = delete;
  test_server& operator=(const test_server&) = delete;

  client connect(int servers_send_buffer = 0);
  client connect_tcp();
  client adopt(socket_pair);
  php_peer& php(std::vector<php_script> scripts, int backlog = 64);
  php_peer& php_answers(std::string_view content) { return php({{.parts = {plain_answer(content)}}}); }
  std::string php_path() const { return folder.path() + "/php.sock"; }

  // Lets the server do all it can now. Whether it did anything.
  bool step();
  // Server, peer, and clients by turns until `done` or nothing more is to be expected: false.
  bool run_until(const std::function<bool()>& done, std::vector<client*> readers = {},
                 std::chrono::milliseconds at_most = 10s);
  // Server and peer until both are quiet.
  void settle();
  // Drains, as SIGTERM does; false when something would not end (a session that leaked).
  bool finish(std::chrono::milliseconds at_most = 5s);

  temporary_folder folder;
  static const std::string large;
  config::configuration config;
  shared_state shared;
  std::unique_ptr<server::process> process;
  std::unique_ptr<server::worker> worker;
  std::unique_ptr<php_peer> peer;
  bool finished = false;
};

// A request as a browser sends it.
std::string get(std::string_view target, std::string_view more_fields = {});
std::string post(std::string_view target, std::string_view body);
// Chunks of 1 to 15 bytes.
std::string post_chunked(std::string_view target, const std::vector<std::string>& chunks);

// `size` bytes in which no two places look alike.
std::string pattern(std::size_t size);

}  // namespace httpd::test
