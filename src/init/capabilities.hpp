// The rights of root, one by one. What a process gives up here it never gets back.
#pragma once

namespace httpd::init {

// What a program that this process executes could get. Before a change of user, which takes the right to
// do this away; without that right nothing happens, and no_new_privs has the same effect.
void empty_bounding_set() noexcept;

// The other four sets. After a change of user. Root without them is a user like any other, who owns root's
// files.
void drop_capabilities() noexcept;

}  // namespace httpd::init
