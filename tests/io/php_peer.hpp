// A scripted FastCGI peer on a Unix socket. It does nothing on its own: the test steps it, so every cut
// and every pause is an event and no clock decides.
#pragma once

#include "base/fd.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::test {

// Records as an application writes them.
std::string stdout_record(std::string_view content, unsigned padding = 0);
std::string stderr_record(std::string_view content);
std::string end_record();
// "Content-Type: text/plain" and the content, with the end of the request.
std::string plain_answer(std::string_view content);

// What happens on one connection. The default answers once the request is complete, then ends as
// php-fpm does: it closes its writing side and reads until the other end closes. `reset` leaves the last
// record of the request unread: a Unix socket closed with unread bytes resets the other end, which is
// what the death of a worker looks like.
struct php_script {
  enum class ending { as_php_fpm, close, reset, stay };

  std::vector<std::string> parts{};  // sent one per step
  ending end = ending::as_php_fpm;
  bool reads = true;               // false: answers at once and never reads
  bool held = false;               // sends nothing until `held` is taken away
};

struct php_connection {
  unique_fd socket;
  php_script script;
  std::map<std::string, std::string> params;
  std::string stdin_bytes;
  bool complete = false;     // the whole request is here
  bool write_failed = false; // the server took no more
  bool ended = false;        // all parts are sent and the writing side is closed
  bool closed = false;       // gone

  std::string received;      // not decoded yet
  std::string params_bytes;
  std::size_t next_part = 0;
  std::size_t part_sent = 0;
};

class php_peer {
public:
  // Answers the n-th connection by `scripts[n]`, the last one again and again.
  php_peer(const std::string& socket_path, std::vector<php_script> scripts, int backlog = 64);

  // One event per connection: accept, read, or the next part. Whether anything happened.
  bool step();
  php_connection& connection(std::size_t i) { return *connections_.at(i); }
  std::size_t connections() const noexcept { return connections_.size(); }
  bool all_closed() const;
  void accept_no_more() { accepts_ = false; }
  void accept_again() { accepts_ = true; }

private:
  bool accept_one();
  bool read_some(php_connection&);
  bool send_next(php_connection&);
  void finish(php_connection&);

  unique_fd listener_;
  std::vector<php_script> scripts_;
  std::deque<std::unique_ptr<php_connection>> connections_;
  bool accepts_ = true;
};

}  // namespace httpd::test
