// Init's loop.
#include "init/supervisor.hpp"

#include "base/log.hpp"
#include "config/options.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace httpd::init {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

// How long after the end of the grace a server that did not end by itself is killed, and what php-fpm
// is given at least. Together with the default grace below the 10 s after which Docker kills.
constexpr milliseconds server_slack = 250ms;
constexpr milliseconds php_least = 500ms;
constexpr milliseconds php_slack = 100ms;
// timeout(1) and shells signal a process and its group: two signals that come together are one wish.
constexpr milliseconds one_stop = 100ms;
constexpr milliseconds reap_within = 500ms;
constexpr milliseconds grace_of_a_failed_start = 500ms;

sigset_t taken_signals() {
  sigset_t taken;
  ::sigemptyset(&taken);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGCHLD}) ::sigaddset(&taken, signal);
  return taken;
}

unique_fd open_signals() {
  const auto taken = taken_signals();
  hold_signals();
  for (const int signal : {SIGPIPE, SIGUSR2}) ::signal(signal, SIG_IGN);
  unique_fd fd{::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!fd) throw std::system_error{errno, std::generic_category(), "signalfd"};
  return fd;
}

}  // namespace

void hold_signals() {
  const auto taken = taken_signals();
  ::sigprocmask(SIG_BLOCK, &taken, nullptr);
}

unique_fd open_access_log(const config::configuration& config) {
  const std::string& target = config.access_log.target;
  if (target == "off") return {};
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;
  unique_fd fd{target == "-" ? ::fcntl(1, F_DUPFD_CLOEXEC, 3) : ::open(target.c_str(), flags, 0644)};
  if (!fd) throw config::option_error{"--access-log", target, std::generic_category().message(errno)};
  return fd;
}

supervisor::supervisor(servers& all, std::deque<php_child>& php, listeners& sockets, shared_state& shared,
                       const account& who, const reader& read_again)
    : servers_{all}, php_{php}, listeners_{sockets}, shared_{shared}, account_{who},
      read_again_{read_again}, signals_{open_signals()} {}

int supervisor::run() {
  const auto begin = clock::now();
  for (auto& php : php_)
    if (phase_ == phase::running) stop_if(php.start(begin), begin);
  if (phase_ == phase::running) stop_if(servers_.start(begin), begin);
  while (phase_ != phase::done) {
    wait(clock::now());
    for (auto& php : php_) php.messages().forward();  // before its end is told
    const auto now = clock::now();
    on_ready(now);
    take_signals(now);
    reap(now);
    tick(now);
  }
  for (auto& php : php_) php.messages().forward_all();
  return exit_status_;
}

void supervisor::wait(time_point now) {
  std::vector<pollfd> watched{{signals_.get(), POLLIN, 0}};
  for (const int fd : servers_.waiting_for()) watched.push_back({fd, POLLIN, 0});
  for (auto& php : php_) watched.push_back({php.messages().descriptor(), POLLIN, 0});
  int timeout = -1;
  if (const auto deadline = next_deadline()) {
    const auto left = std::chrono::ceil<milliseconds>(*deadline - now).count();
    timeout = int(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }
  ::poll(watched.data(), watched.size(), timeout);
}

std::optional<time_point> supervisor::next_deadline() const {
  auto least = servers_.deadline();
  for (const auto& php : php_) earliest(least, php.deadline());
  earliest(least, next_step_at_);
  if (phase_ == phase::draining && servers_.none_left()) return clock::now();
  return least;
}

void supervisor::take_signals(time_point now) {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == ssize_t(sizeof info))
    on_signal(int(info.ssi_signo), now);
}

void supervisor::on_signal(int signal, time_point now) {
  switch (signal) {
    case SIGHUP: reload_queued_ = true; break;
    case SIGUSR1: reopen_queued_ = true; break;
    case SIGTERM:
    case SIGINT:
    case SIGQUIT:
      if (phase_ == phase::running) {
        log::notice("stopping on signal ", signal, " (", signal_name(signal), ")");
        stop(0, servers_.config().limits.grace, now);
      } else if (now - stopping_since_ > one_stop) {
        stop_now(signal, now);
      }
      break;
    default: break;  // SIGCHLD: reap() runs in every round
  }
}

// Every child there is, also the orphans of others that came to us.
void supervisor::reap(time_point now) {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    stop_if(servers_.reaped(pid, status, now), now);
    for (auto& php : php_) stop_if(php.reaped(pid, status, now), now);
  }
}

void supervisor::on_ready(time_point now) {
  switch (servers_.check_ready(now)) {
    case servers::readiness::none: break;
    case servers::readiness::first: log::notice("serving ", listeners_.describe()); break;
    case servers::readiness::again: log::notice("the server is back"); break;
    case servers::readiness::replaced_reload_php:
      for (auto& php : php_) php.reload(now);
      break;
    case servers::readiness::replaced: break;
  }
}

void supervisor::tick(time_point now) {
  if (phase_ == phase::running || phase_ == phase::draining) {
    stop_if(servers_.tick(now), now);
    for (auto& php : php_) stop_if(php.tick(now), now);
  }
  const bool step_due = next_step_at_ && *next_step_at_ <= now;
  switch (phase_) {
    case phase::running: run_queued(now); break;
    case phase::draining:
      if (servers_.none_left())
        stop_php(now);
      else if (step_due) {
        log::warning("the grace is over, killing the server");
        servers_.kill_all();
        next_step_at_.reset();
      }
      break;
    case phase::stopping_php:
      if (!php_is_running()) {
        phase_ = phase::done;
      } else if (step_due) {
        const int signal = std::exchange(terminated_php_, true) ? SIGKILL : SIGTERM;
        for (auto& php : php_) php.stop(signal);
        next_step_at_ = now + php_slack;
      }
      break;
    case phase::killing:
      if (step_due || (servers_.none_left() && !php_is_running())) phase_ = phase::done;
      break;
    case phase::done: break;
  }
}

void supervisor::run_queued(time_point now) {
  if (servers_.is_starting()) return;
  if (std::exchange(reload_queued_, false)) {
    reopen_queued_ = false;  // part of it
    reload(now);
  } else if (std::exchange(reopen_queued_, false)) {
    reopen_log(now);
  }
}

void supervisor::reload(time_point now) {
  try {
    auto fresh = read_again_();
    // What was given out at the start stays: the sockets, php-fpm's pool, who we are.
    const auto& old = servers_.config();
    fresh.serve = old.serve;
    fresh.threads = old.threads;
    fresh.php = old.php;
    fresh.user = old.user;
    fresh.group = old.group;
    check_reachable(fresh, account_);
    servers_.use_access_log(open_access_log(fresh));
    log::notice("reloading");
    servers_.replace(std::move(fresh), true, now);
  } catch (const std::exception& error) {
    log::error("not reloaded: ", error.what());
  }
}

void supervisor::reopen_log(time_point now) {
  try {
    servers_.use_access_log(open_access_log(servers_.config()));
    log::notice("reopening the access log");
    servers_.replace(servers_.config(), false, now);
  } catch (const std::exception& error) {
    log::error("the access log is not reopened: ", error.what());
  }
}

void supervisor::stop_if(const std::optional<give_up>& failure, time_point now) {
  if (!failure || phase_ != phase::running) return;
  stop(failure->exit_status,
       failure->first_start ? grace_of_a_failed_start : servers_.config().limits.grace, now);
}

void supervisor::stop(int status, milliseconds grace, time_point now) {
  shared_.draining = true;
  stopping_since_ = now;
  listeners_.close();
  exit_status_ = status;
  phase_ = phase::draining;
  drained_at_ = now + grace;
  next_step_at_ = drained_at_ + server_slack;
  servers_.drain();
}

bool supervisor::php_is_running() const noexcept { return std::ranges::any_of(php_, &php_child::is_running); }

// Only now: on QUIT php-fpm takes no more requests.
void supervisor::stop_php(time_point now) {
  if (!php_is_running()) {
    phase_ = phase::done;
    return;
  }
  phase_ = phase::stopping_php;
  next_step_at_ = std::max(drained_at_, now + php_least);
  for (auto& php : php_) php.stop(SIGQUIT);
}

void supervisor::stop_now(int signal, time_point now) {
  if (phase_ == phase::killing) return;
  log::warning("second signal, stopping at once");
  exit_status_ = 128 + signal;
  phase_ = phase::killing;
  next_step_at_ = now + reap_within;
  servers_.kill_all();
  for (auto& php : php_) php.stop(SIGKILL);
}

}  // namespace httpd::init
