// What the supervised children have in common: time, and how an end is told.
#pragma once

#include "init/backoff.hpp"

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace httpd::init {

using clock = std::chrono::steady_clock;
using time_point = clock::time_point;

// The earlier of two deadlines that may not exist.
inline void earliest(std::optional<time_point>& least, const std::optional<time_point>& other) noexcept {
  if (other && (!least || *other < *least)) least = other;
}

// A child was given up: everything stops with this status.
struct give_up {
  int exit_status = 1;
  bool first_start = false;
};

// Logs the end and what follows: "php-fpm 4711 was killed by signal 9 (Killed); next start in 100 ms".
// Without a pid the program could not be executed at all.
void log_end(std::string_view name, pid_t, int wait_status, const restart_policy::verdict&);

// Signals a child's whole process group. False when there is nobody left in it.
bool signal_group(pid_t group, int signal) noexcept;

}  // namespace httpd::init
