// What the supervised children have in common.
#include "init/child.hpp"

#include "base/log.hpp"

#include <sys/wait.h>

#include <csignal>

namespace httpd::init {

void log_end(std::string_view name, pid_t pid, int wait_status, const restart_policy::verdict& verdict) {
  std::string line{name};
  if (pid > 0) append(line, " ", pid);
  if (WIFSIGNALED(wait_status))
    append(line, " was killed by signal ", WTERMSIG(wait_status), " (",
           signal_name(WTERMSIG(wait_status)), ")");
  else
    append(line, " ended with status ", WEXITSTATUS(wait_status));
  if (verdict.give_up)
    log::error(line, verdict.first_start ? " at its first start" : ", once too often",
               "; stopping, exit status ", verdict.exit_status);
  else if (verdict.delay.count() == 0)
    log::error(line, "; starting it again");
  else
    log::error(line, "; next start in ", verdict.delay.count(), " ms");
}

bool signal_group(pid_t group, int signal) noexcept { return group > 1 && ::kill(-group, signal) == 0; }

}  // namespace httpd::init
