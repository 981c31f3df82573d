// When a supervised child is started again, and when it is given up.
#include "catch.hpp"

#include "init/backoff.hpp"

#include <sys/wait.h>

#include <csignal>
#include <string>
#include <vector>

using namespace httpd::init;
using namespace std::chrono_literals;

namespace {

int exited(int status) { return W_EXITCODE(status, 0); }
int killed(int signal) { return W_EXITCODE(0, signal); }

}  // namespace

TEST_CASE("an end is told as a shell tells it") {
  CHECK(exit_status_of(exited(0)) == 0);
  CHECK(exit_status_of(exited(78)) == 78);
  CHECK(exit_status_of(killed(SIGKILL)) == 137);
  CHECK(exit_status_of(killed(SIGSEGV)) == 139);
  CHECK(signal_name(SIGKILL) == std::string{"Killed"});
}

TEST_CASE("a child that ends by itself at its first start is given up at once") {
  const auto verdict = restart_policy{}.ended(exited(78), 100ms);
  CHECK(verdict.give_up);
  CHECK(verdict.first_start);
  CHECK(verdict.exit_status == 78);
}

TEST_CASE("a child killed at its first start, or one that has been up, is started again at once") {
  CHECK_FALSE(restart_policy{}.ended(killed(SIGKILL), 100ms).give_up);
  restart_policy policy;
  const auto first = policy.ended(exited(1), 3s);
  CHECK_FALSE(first.give_up);
  CHECK(first.delay == 0ms);
  CHECK_FALSE(policy.ended(exited(78), 100ms).give_up);
}

TEST_CASE("the delay doubles to five seconds, and the tenth failure in a row is the last") {
  restart_policy policy;
  std::vector<std::chrono::milliseconds> delays;
  for (int i = 0; i < 9; ++i) {
    const auto verdict = policy.ended(killed(SIGKILL), 1s);
    REQUIRE_FALSE(verdict.give_up);
    delays.push_back(verdict.delay);
  }
  const decltype(delays) right{0ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5s, 5s};
  CHECK(delays == right);
  const auto last = policy.ended(killed(SIGKILL), 1s);
  CHECK(last.give_up);
  CHECK_FALSE(last.first_start);
  CHECK(last.exit_status == 137);
}

TEST_CASE("a child that ends with 0 again and again is given up with a status that is not 0") {
  restart_policy policy;
  restart_policy::verdict verdict;
  for (int i = 0; i < 10; ++i) verdict = policy.ended(exited(0), 10ms);
  CHECK(verdict.give_up);
  CHECK(verdict.exit_status == 1);
}

TEST_CASE("ten seconds of life forgive the failures before") {
  restart_policy policy;
  for (int i = 0; i < 9; ++i) CHECK_FALSE(policy.ended(killed(SIGSEGV), 1s).give_up);
  const auto verdict = policy.ended(killed(SIGSEGV), 10s);
  CHECK_FALSE(verdict.give_up);
  CHECK(verdict.delay == 0ms);
  CHECK(policy.ended(killed(SIGSEGV), 1s).delay == 100ms);
}
