// The life of the supervised php-fpm.
#include "init/php_child.hpp"

#include "base/log.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace httpd::init {

using std::chrono::milliseconds;

php_child::php_child(const config::php& php, const config::limits& limits, const account& who,
                     application_state& shared)
    : runtime_{php, limits.grace, who}, name_{php.name.empty() ? "php-fpm" : concat("php-fpm of ", php.name)},
      shared_{shared}, orphans_may_run_{limits.php_timeout} {
  enter(state::stopped);
}

std::optional<give_up> php_child::start(time_point now) {
  const spawned made = runtime_.start();
  started_at_ = now;
  shared_.starts.fetch_add(1);
  if (made.error == 0) {
    pid_ = made.pid;
    enter(state::running);
    return std::nullopt;
  }
  log::error("cannot run ", runtime_.program(), ": ", std::strerror(made.error));
  return after_end(0, W_EXITCODE(exec_failure_status(made.error), 0), milliseconds{0}, now);
}

std::optional<give_up> php_child::reaped(pid_t pid, int wait_status, time_point now) {
  if (state_ != state::running || pid != pid_) {
    std::erase_if(orphans_, [](const orphans& left) { return !signal_group(left.group, 0); });
    return std::nullopt;
  }
  if (stopping_) {
    enter(state::stopped);
    signal_group(pid_, SIGKILL);
    return std::nullopt;
  }
  leave_orphans(now);
  return after_end(pid, wait_status, std::chrono::duration_cast<milliseconds>(now - started_at_), now);
}

std::optional<give_up> php_child::after_end(pid_t pid, int wait_status, milliseconds lived, time_point now) {
  const auto verdict = policy_.ended(wait_status, lived);
  log_end(name_, pid, wait_status, verdict);
  if (verdict.give_up) {
    enter(state::stopped);
    return give_up{verdict.exit_status, verdict.first_start};
  }
  restart_at_ = now + verdict.delay;
  enter(state::waiting);
  return std::nullopt;
}

// Workers that outlive their master finish their request; the master's end broke the pipe of their
// messages, so they are not let live longer than an answer may take.
void php_child::leave_orphans(time_point now) {
  if (signal_group(pid_, SIGQUIT)) orphans_.push_back({pid_, now + orphans_may_run_});
}

std::optional<give_up> php_child::tick(time_point now) {
  std::erase_if(orphans_, [now](const orphans& left) {
    return left.kill_at <= now && (signal_group(left.group, SIGKILL), true);
  });
  if (state_ != state::waiting || stopping_ || restart_at_ > now) return std::nullopt;
  return start(now);
}

std::optional<time_point> php_child::deadline() const {
  std::optional<time_point> least;
  for (const auto& left : orphans_) earliest(least, left.kill_at);
  if (state_ == state::waiting && !stopping_) earliest(least, restart_at_);
  return least;
}

// A master that has just started has read everything; the signal would end it before it can take it.
void php_child::reload(time_point now) noexcept {
  if (state_ == state::running && !stopping_ && now - started_at_ > std::chrono::seconds{1})
    ::kill(pid_, SIGUSR2);
}

void php_child::stop(int signal) noexcept {
  stopping_ = true;
  if (state_ == state::waiting) enter(state::stopped);
  for (const auto& left : orphans_) signal_group(left.group, SIGKILL);
  orphans_.clear();
  if (state_ != state::running) return;
  if (signal == SIGQUIT)
    ::kill(pid_, SIGQUIT);
  else
    signal_group(pid_, signal);
}

void php_child::enter(state next) noexcept {
  state_ = next;
  shared_.php = next == state::running ? php_state::running : php_state::starting;
}

}  // namespace httpd::init
