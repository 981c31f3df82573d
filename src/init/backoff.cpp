// When a child that ended is started again.
#include "init/backoff.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>

namespace httpd::init {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr unsigned most_failures = 10;
constexpr milliseconds proven_after = 2s;
constexpr milliseconds stable_after = 10s;
constexpr milliseconds longest_delay = 5s;

}  // namespace

int exit_status_of(int wait_status) noexcept {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

const char* signal_name(int signal) noexcept {
  const char* name = ::sigdescr_np(signal);
  return name ? name : "unknown signal";
}

restart_policy::verdict restart_policy::ended(int wait_status, milliseconds lived) noexcept {
  const int status = exit_status_of(wait_status);
  if (lived >= proven_after) proven_ = true;
  if (lived >= stable_after) failures_ = 0;
  ++failures_;
  // A typo in a setting does not go away by trying: what ends by itself at the first start is final.
  const bool never_came_up = !proven_ && failures_ == 1 && WIFEXITED(wait_status) && status != 0;
  if (never_came_up || failures_ >= most_failures)
    return {true, never_came_up, std::max(status, 1), 0ms};
  if (failures_ == 1) return {};
  const auto doubled = 100ms * (1 << std::min(failures_ - 2, 10u));
  return {false, false, 0, std::min<milliseconds>(doubled, longest_delay)};
}

}  // namespace httpd::init
