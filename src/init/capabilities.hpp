// The rights of root, one by one: what a container has left of them, and what we give up.
#pragma once

#include "config/config.hpp"

#include <string>

namespace httpd::init {

// The capabilities that a start as root needs and that are not here, "CAP_KILL, CAP_SETUID"; "" = all are here.
std::string missing_capabilities(const config::configuration&);

// What a process gives up here it never gets back.

// What a program that this process executes could get. Before a change of user, which takes the right to
// do this away; without that right nothing happens, and no_new_privs has the same effect.
void empty_bounding_set() noexcept;

// The other four sets. After a change of user. Root without them is a user like any other, who owns root's
// files.
void drop_capabilities() noexcept;

}  // namespace httpd::init
