// capset(2) and prctl(2) themselves: no library has to be there.
#include "init/capabilities.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace httpd::init {

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
