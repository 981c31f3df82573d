// What one thread works with, and what the threads of a process share. Nothing here is locked but
// the line in front of PHP: each connection lives and dies on one thread.
#pragma once

#include "config/config.hpp"
#include "io/answer_spool.hpp"
#include "io/asio.hpp"
#include "io/deadline.hpp"
#include "server/access_log.hpp"
#include "server/admission.hpp"
#include "server/connection_limit.hpp"
#include "server/document_root.hpp"
#include "server/file_cache.hpp"
#include "server/php_servers.hpp"
#include "server/request.hpp"
#include "server/routing.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace httpd {
struct shared_state;
}

namespace httpd::server {

// Where the scripts of one application run, and who may go in. Shared by the threads.
struct php_pool {
  php_pool(const config::php& c, endpoint socket)
      : config{c}, servers{c, std::move(socket)}, places{c.workers, c.queue_length} {}

  const config::php& config;
  php_servers servers;
  admission places;
};

// Shared by the threads of a server process; const but for its own locks and atomics.
struct process {
  // `php_sockets`: of the supervised php-fpm of each application; an empty address for the others.
  process(const config::configuration&, shared_state&, const std::vector<endpoint>& php_sockets,
          int access_log_fd);

  const config::configuration& config;
  shared_state& shared;
  std::deque<php_pool> pools;  // one for each application
  const descriptor_shares descriptors;
  connection_limit connections;
  io::allowance body_files;
  io::allowance answer_bytes;  // in files
  const int access_log_fd;
  std::atomic<bool> draining{false};
  std::atomic<bool> was_cut{false};  // something was still running at the end of --grace
};

class worker {
public:
  explicit worker(process&);

  process& all;
  const config::configuration& config;
  // Before the context, whose end still takes frames apart.
  io::deadline_list deadlines;
  io::answer_spool answers;
  // A socket belongs to one thread; only calls are handed from one thread to another.
  io::asio::io_context context{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  document_root root;
  file_cache files;
  access_log log;
  std::deque<php_addresses> php;  // one for each application

  // Bytes just received or about to be sent: valid until the next suspension of whoever filled it.
  std::array<char, 64 * 1024> buffer;
  // The request being looked at, where it goes and the head being written, without a suspension.
  request scratch_request;
  route scratch_route;
  std::string scratch_head;
  std::string spare_php_request;
  // Answered since the last tick, which adds them to the shared count.
  std::uint64_t requests = 0;

  // "Date: ...\r\nServer: ...\r\n", made once a second.
  std::string_view date_and_server();
  // Before a request looks for files. A linked root is looked at for every request, any other one at each
  // tick.
  void refresh_root();

  // Counts a session while it lives.
  class session_count {
  public:
    explicit session_count(worker& of) noexcept : of_{of} { ++of_.sessions_; }
    ~session_count() { --of_.sessions_; of_.stop_when_drained(); }
    session_count(const session_count&) = delete;
    session_count& operator=(const session_count&) = delete;

  private:
    worker& of_;
  };

  // On this thread. Ticks until the thread is drained.
  io::awaitable<> run_ticks();
  // Closes connections that only wait for a next request.
  void make_room();
  // Idle connections are closed; the context stops after the last one, or when --grace is over if that counts.
  void drain(bool within_grace);
  void publish_counts() noexcept;
  bool is_draining() const noexcept { return draining_; }

private:
  io::awaitable<> cut_after_grace();
  void stop_when_drained() { if (draining_ && sessions_ == 0) context.stop(); }

  std::time_t date_time_ = -1;
  std::string date_text_;
  std::size_t sessions_ = 0;
  unsigned calls_for_room_ = 0;  // as many as were heard
  bool draining_ = false;
};

}  // namespace httpd::server
