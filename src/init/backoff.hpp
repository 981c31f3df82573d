// When a child that ended is started again, and when it is given up. Pure.
#pragma once

#include <chrono>

namespace httpd::init {

// The status a shell would show for what waitpid() said: the code, or 128 + signal.
int exit_status_of(int wait_status) noexcept;
// "exit status 78", "signal 9 (Killed)"
const char* signal_name(int signal) noexcept;

class restart_policy {
public:
  struct verdict {
    bool give_up = false;
    bool first_start = false;  // given up because it never came up
    int exit_status = 0;       // when given up: never 0
    std::chrono::milliseconds delay{0};
  };

  // Called once for each end of the child, with how long it lived.
  verdict ended(int wait_status, std::chrono::milliseconds lived) noexcept;

private:
  unsigned failures_ = 0;  // in a row
  bool proven_ = false;    // it has been up once, so a failure may be of the moment
};

}  // namespace httpd::init
