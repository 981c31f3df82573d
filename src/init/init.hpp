// PID 1 or a child subreaper: starts, watches and stops the server process and php-fpm. No threads.
#pragma once

#include "config/config.hpp"

#include <functional>

namespace httpd::init {

// Reads the configuration again for a reload (HUP): the same command line, folders looked at afresh.
using reader = std::function<config::configuration()>;

// From here on no signal ends the process before init is there to take it. First thing in main.
void hold_signals();

// Everything that can be refused before a process is started is refused here: binds the sockets, opens
// the log, checks that the user can reach the document root. Throws config::option_error. Returns the
// exit status.
int run(config::configuration, const reader& read_again);

// The same checks without starting anything (--check).
void check(const config::configuration&);

}  // namespace httpd::init
