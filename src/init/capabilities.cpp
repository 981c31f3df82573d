// capget(2), capset(2) and prctl(2) themselves: no library has to be there.
#include "init/capabilities.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace httpd::init {
namespace {

std::uint64_t effective() noexcept {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &head, data) != 0) return ~std::uint64_t{};
  return data[0].effective | std::uint64_t{data[1].effective} << 32;
}

struct need {
  int number;
  const char* name;
  bool only_with_own_php;
};
// To become the user and to end its processes; to give it the socket of our php-fpm, in a folder of its own.
constexpr need needs[] = {
    {CAP_SETUID, "CAP_SETUID", false}, {CAP_SETGID, "CAP_SETGID", false}, {CAP_KILL, "CAP_KILL", false},
    {CAP_CHOWN, "CAP_CHOWN", true},    {CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", true},
};

}  // namespace

std::string missing_capabilities(const config::configuration& config) {
  const auto has = effective();
  std::string names;
  const bool own_php = std::ranges::any_of(config::applications(config), [](const config::php& one) {
    return one.mode == config::php_mode::supervised;
  });
  for (const auto& [number, name, only_with_own_php] : needs) {
    if (has >> number & 1 || (only_with_own_php && !own_php)) continue;
    names += names.empty() ? name : std::string{", "} + name;
  }
  return names;
}

// The kernel may know more of them than our headers: it refuses the first that it does not know.
void empty_bounding_set() noexcept {
  for (unsigned long one = 0; ::prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; ++one)
    ::prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
}

// The ambient set follows: it never holds what is not permitted.
void drop_capabilities() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  ::syscall(SYS_capset, &header, none);
}

}  // namespace httpd::init
