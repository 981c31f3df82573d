// The supervised php-fpm: one master at a time, restarted when it dies, on one socket that stays.
#pragma once

#include "base/shared_state.hpp"
#include "init/child.hpp"
#include "init/fpm_runtime.hpp"

#include <vector>

namespace httpd::init {

class php_child {
public:
  // Throws config::option_error or std::system_error. Nothing is started yet.
  php_child(const config::php&, const config::limits&, const account&, application_state&);

  endpoint socket() const { return runtime_.socket(); }
  php_messages& messages() noexcept { return runtime_.messages(); }
  std::optional<give_up> start(time_point now);
  // For every process that was reaped; those that are not the master are looked at too, since a
  // group of orphans may have become empty.
  std::optional<give_up> reaped(pid_t, int wait_status, time_point now);
  std::optional<give_up> tick(time_point now);
  std::optional<time_point> deadline() const;

  void reload(time_point now) noexcept;       // USR2: php.ini and extensions read again
  void stop(int signal) noexcept;             // to the master alone when it is QUIT; no restart from now on
  bool is_running() const noexcept { return state_ == state::running; }

private:
  enum class state { stopped, running, waiting };  // waiting: dead, to be started at restart_at_
  struct orphans {
    pid_t group;
    time_point kill_at;
  };

  std::optional<give_up> after_end(pid_t, int wait_status, std::chrono::milliseconds lived, time_point now);
  void enter(state) noexcept;
  void leave_orphans(time_point now);

  fpm_runtime runtime_;
  const std::string name_;
  application_state& shared_;
  const std::chrono::milliseconds orphans_may_run_;
  restart_policy policy_;
  state state_ = state::stopped;
  bool stopping_ = false;
  pid_t pid_ = -1;
  time_point started_at_, restart_at_;
  std::vector<orphans> orphans_;
};

}  // namespace httpd::init
