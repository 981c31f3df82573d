// Who the server and the PHP workers run as, and whether that user can reach what must be reached.
#pragma once

#include "config/config.hpp"

#include <sys/types.h>

#include <functional>
#include <string>

namespace httpd::init {

struct account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string user, group;  // names, or numbers where there is no name
  bool change = false;      // we are root and it is not what we are already
};

// Throws config::option_error for an unknown user, or when we may not become that user.
account find_account(const config::configuration&);

// Groups, group, user, for good. 0 or errno. Drops the parent-death signal, as the kernel does.
int become(const account&) noexcept;

// What `work` returns (0 to 254) in a forked process that has become the user; 255 = could not.
int run_as(const account&, const std::function<int()>& work);

// Throws config::option_error when the user cannot enter a folder on the way to the document root or
// to the socket of an external php-fpm, and says which and what to do.
void check_reachable(const config::configuration&, const account&);

}  // namespace httpd::init
