// Init's one loop: signals, ends of children, deadlines; and the order in which everything stops.
#pragma once

#include "init/init.hpp"
#include "init/php_child.hpp"
#include "init/servers.hpp"

#include <deque>

struct signalfd_siginfo;

namespace httpd::init {

class supervisor {
public:
  // `php`: one for each application of ours. Blocks the signals it takes, so call it before anything is started.
  supervisor(servers&, std::deque<php_child>& php, listeners&, shared_state&, const account&, const reader&);
  int run();  // the exit status

private:
  enum class phase {
    running,
    draining,      // the servers finish, php-fpm still works for them
    stopping_php,
    killing,       // a second signal: only the reaping is left
    done,
  };

  void wait(time_point now);
  void take_signals(time_point now);
  void on_signal(int signal, time_point now);
  void reap(time_point now);
  void tick(time_point now);
  void on_ready(time_point now);
  std::optional<time_point> next_deadline() const;

  void reload(time_point now);
  void reopen_log(time_point now);
  void run_queued(time_point now);

  void stop(int status, std::chrono::milliseconds grace, time_point now);
  void stop_if(const std::optional<give_up>&, time_point now);
  void stop_php(time_point now);
  bool php_is_running() const noexcept;
  void stop_now(int signal, time_point now);

  servers& servers_;
  std::deque<php_child>& php_;
  listeners& listeners_;
  shared_state& shared_;
  const account& account_;
  const reader& read_again_;
  unique_fd signals_;
  phase phase_ = phase::running;
  int exit_status_ = 0;
  bool reload_queued_ = false, reopen_queued_ = false;
  time_point stopping_since_;
  time_point drained_at_;            // when the grace is over
  std::optional<time_point> next_step_at_;  // the next harder measure while stopping
  bool terminated_php_ = false;
};

// Opens for appending; empty = off. Throws config::option_error.
unique_fd open_access_log(const config::configuration&);

}  // namespace httpd::init
