// What the kernel lets root do here; a container may have taken some of it.
#pragma once

#include "config/config.hpp"

#include <string>

namespace httpd::init {

// Of what an init that is root needs to run the server and PHP as another user, the names of what it lacks:
// "CAP_SETUID, CAP_KILL"; "" = nothing.
std::string missing_capabilities(const config::configuration&);

}  // namespace httpd::init
