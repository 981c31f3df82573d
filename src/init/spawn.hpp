// Starting a process: what every child of init has in common. No policy.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace httpd::init {

// In a freshly forked child: a process group of its own (the terminal's Ctrl-C is for init alone),
// default signals, nothing blocked, no descriptors but 0, 1, 2 and `keep`.
void begin_child(std::vector<int> keep) noexcept;

// SIGTERM when `parent` dies; ends at once when it already has. After a change of user, which
// undoes it.
void end_with_parent(pid_t parent) noexcept;

struct spawned {
  pid_t pid = -1;
  int error = 0;  // errno of fork() or execve(); 0 = the program runs
};

// Forks and executes argv[0], a path. `keep` stays open in the program under the same numbers;
// `standard_error` becomes its descriptor 2.
spawned spawn_program(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                      const std::vector<int>& keep, int standard_error);

// The shell's exit status for a program that cannot be executed: 127 not there, else 126.
int exec_failure_status(int error) noexcept;

// Opens /dev/null for what of 0, 1 and 2 is closed, so that no socket of ours takes the number.
void fill_standard_descriptors() noexcept;

}  // namespace httpd::init
