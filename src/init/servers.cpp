// The life of the server processes.
#include "init/servers.hpp"

#include "base/log.hpp"
#include "init/capabilities.hpp"
#include "init/process_title.hpp"
#include "init/spawn.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace httpd::init {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr std::size_t most_old_generations = 8;
constexpr milliseconds ready_within = 10s;

void signal_process(pid_t pid, int signal) noexcept { ::kill(pid, signal); }

}  // namespace

servers::servers(config::configuration config, const account& who, listeners& sockets, unique_fd access_log,
                 std::vector<endpoint> php_sockets, shared_state& shared)
    : config_{std::move(config)}, account_{who}, listeners_{sockets}, access_log_{std::move(access_log)},
      php_sockets_{std::move(php_sockets)}, shared_{shared} {}

// In the child: never returns into init's own code.
void servers::be_server(const config::configuration& config, unique_fd ready, pid_t parent) {
  auto keep = listeners_.descriptors();
  keep.push_back(ready.get());
  if (access_log_) keep.push_back(access_log_.get());
  begin_child(std::move(keep));
  log::set_process_name("server");
  set_process_title("httpd-php-fpm: server");
  if (config.sandbox.on) empty_bounding_set();
  if (const int error = become(account_)) {
    log::error("cannot become user ", account_.user, ": ", std::strerror(error));
    ::_exit(1);
  }
  if (config.sandbox.on) drop_capabilities();
  end_with_parent(parent);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error of the write, as a full disk is
  server::environment given{listeners_.take(),       account_.user,    php_sockets_,
                            std::move(access_log_), std::move(ready), &shared_};
  int status = 1;
  try {
    status = server::run(config, std::move(given));
  } catch (const std::exception& error) {
    log::error("cannot go on: ", error.what());
  }
  std::exit(status);
}

// 0 or errno.
int servers::fork_server(const config::configuration& config, generation& made, time_point now) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
  unique_fd ours{ends[0]}, theirs{ends[1]};
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) be_server(config, std::move(theirs), parent);
  ::setpgid(pid, pid);
  shared_.server_starts.fetch_add(1);
  made.pid = pid;
  made.ready = std::move(ours);
  made.started_at = now;
  return 0;
}

std::optional<give_up> servers::start(time_point now) {
  restart_at_.reset();
  generation made;
  if (const int error = fork_server(config_, made, now)) {
    log::error("cannot start a server process: ", std::strerror(error));
    const auto verdict = policy_.ended(W_EXITCODE(1, 0), 0ms);
    if (verdict.give_up) return give_up{verdict.exit_status, verdict.first_start};
    restart_at_ = now + verdict.delay;
    return std::nullopt;
  }
  current_ = std::move(made);
  return std::nullopt;
}

void servers::replace(config::configuration config, bool reload_php, time_point now) {
  replacement made;
  made.config = std::move(config);
  made.reload_php = reload_php;
  if (const int error = fork_server(made.config, made, now))
    log::error("cannot start a server process: ", std::strerror(error), "; the old one goes on");
  else
    next_ = std::move(made);
}

std::vector<int> servers::waiting_for() const {
  std::vector<int> fds;
  if (current_ && current_->ready) fds.push_back(current_->ready.get());
  if (next_ && next_->ready) fds.push_back(next_->ready.get());
  return fds;
}

servers::readiness servers::check_ready(time_point now) {
  char byte = 0;
  // An end of file without a byte is a process that dies, or is stuck until ready_within.
  const auto is_ready = [&byte](generation& one) {
    if (!one.ready) return false;
    const auto got = ::read(one.ready.get(), &byte, 1);
    if (got >= 0 || errno != EAGAIN) one.ready.reset();
    return got == 1;
  };
  if (next_ && is_ready(*next_)) {
    retire_current();
    const bool reload_php = next_->reload_php;
    config_ = std::move(next_->config);
    current_ = std::move(*next_);
    next_.reset();
    restart_at_.reset();
    log::notice("server ", current_->pid, " took over after ",
                std::chrono::duration_cast<milliseconds>(now - current_->started_at).count(), " ms");
    return reload_php ? readiness::replaced_reload_php : readiness::replaced;
  }
  if (!current_ || !is_ready(*current_)) return readiness::none;
  return std::exchange(was_ready_, true) ? readiness::again : readiness::first;
}

void servers::retire_current() {
  if (!current_) return;
  signal_process(current_->pid, SIGUSR2);
  old_.push_back(std::move(*current_));
  current_.reset();
  if (old_.size() > most_old_generations) signal_process(old_.front().pid, SIGKILL);
}

void servers::drop_replacement(std::string_view why) {
  log::error("the new server ", next_->pid, " ", why, "; the old one goes on");
  next_.reset();
}

std::optional<give_up> servers::reaped(pid_t pid, int wait_status, time_point now) {
  std::erase_if(old_, [pid](const generation& one) { return one.pid == pid; });
  if (next_ && next_->pid == pid) drop_replacement("ended before it was ready");
  if (!current_ || current_->pid != pid) return std::nullopt;
  const auto lived = std::chrono::duration_cast<milliseconds>(now - current_->started_at);
  current_.reset();
  if (stopping_) return std::nullopt;
  const auto verdict = policy_.ended(wait_status, lived);
  log_end("server", pid, wait_status, verdict);
  if (verdict.give_up) return give_up{verdict.exit_status, verdict.first_start};
  restart_at_ = now + verdict.delay;
  return std::nullopt;
}

std::optional<give_up> servers::tick(time_point now) {
  if (next_ && next_->started_at + ready_within <= now) {
    signal_process(next_->pid, SIGKILL);
    old_.push_back(std::move(*next_));  // still to be reaped
    drop_replacement("was not ready in time");
  }
  if (restart_at_ && *restart_at_ <= now && !stopping_) return start(now);
  return std::nullopt;
}

std::optional<time_point> servers::deadline() const {
  std::optional<time_point> least;
  if (!stopping_) earliest(least, restart_at_);
  if (next_) earliest(least, next_->started_at + ready_within);
  return least;
}

void servers::drain() noexcept {
  stopping_ = true;
  for (const auto& one : old_) signal_process(one.pid, SIGTERM);
  if (current_) signal_process(current_->pid, SIGTERM);
  if (next_) signal_process(next_->pid, SIGTERM);
}

void servers::kill_all() noexcept {
  stopping_ = true;
  if (current_) signal_group(current_->pid, SIGKILL);
  if (next_) signal_group(next_->pid, SIGKILL);
  for (const auto& one : old_) signal_group(one.pid, SIGKILL);
}

}  // namespace httpd::init
