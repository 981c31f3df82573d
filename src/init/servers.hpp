// The generations of the server process: the one in force, one that is getting ready to replace it,
// and old ones that finish what they have. All on the same listening sockets.
#pragma once

#include "base/shared_state.hpp"
#include "init/child.hpp"
#include "init/listeners.hpp"
#include "init/user.hpp"

#include <vector>

namespace httpd::init {

class servers {
public:
  servers(config::configuration, const account&, listeners&, unique_fd access_log, std::vector<endpoint> php_sockets, shared_state&);

  const config::configuration& config() const noexcept { return config_; }
  std::optional<give_up> start(time_point now);
  // One that is not ready yet: a change has to wait for it.
  bool is_starting() const noexcept { return next_.has_value() || (current_ && current_->ready); }
  void replace(config::configuration, bool reload_php, time_point now);
  bool is_replacing() const noexcept { return next_.has_value(); }
  void use_access_log(unique_fd log) noexcept { access_log_ = std::move(log); }

  std::vector<int> waiting_for() const;  // descriptors that become readable at readiness
  enum class readiness { none, first, again, replaced, replaced_reload_php };
  readiness check_ready(time_point now);

  std::optional<give_up> reaped(pid_t, int wait_status, time_point now);
  std::optional<give_up> tick(time_point now);
  std::optional<time_point> deadline() const;

  void drain() noexcept;  // SIGTERM; no restart from now on
  void kill_all() noexcept;
  bool none_left() const noexcept { return !current_ && !next_ && old_.empty(); }

private:
  struct generation {
    pid_t pid = -1;
    unique_fd ready;  // open until the byte came
    time_point started_at;
  };
  struct replacement : generation {
    config::configuration config;
    bool reload_php = false;
  };

  int fork_server(const config::configuration&, generation& made, time_point now);
  [[noreturn]] void be_server(const config::configuration&, unique_fd ready, pid_t parent);
  void retire_current();
  void drop_replacement(std::string_view why);

  config::configuration config_;
  const account& account_;
  listeners& listeners_;
  unique_fd access_log_;
  const std::vector<endpoint> php_sockets_;
  shared_state& shared_;
  restart_policy policy_;
  std::optional<generation> current_;
  std::optional<replacement> next_;
  std::vector<generation> old_;
  std::optional<time_point> restart_at_;
  bool was_ready_ = false, stopping_ = false;
};

}  // namespace httpd::init
