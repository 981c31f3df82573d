// The effective capabilities of this process.
#include "init/capabilities.hpp"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

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
  for (const auto& [number, name, only_with_own_php] : needs) {
    if (has >> number & 1 || (only_with_own_php && config.php.mode != config::php_mode::supervised)) continue;
    names += names.empty() ? name : std::string{", "} + name;
  }
  return names;
}

}  // namespace httpd::init
