// What a server process gives up before it reads the first byte of a client. There is no filter of system
// calls (seccomp): one was built and measured at 46 ns for each call, 2 to 5 % of a static request's CPU, and
// would add little to a process that has no rights, can execute nothing and reads only its site.
#pragma once

#include <string>
#include <string_view>

namespace httpd::config {
struct configuration;
}

namespace httpd::server {

// Called once, by the user that stays, when the sockets and the log are open and no thread is started:
// they inherit it. Restricts the process with Landlock as far as this kernel can, unless the configuration
// says not to, and writes one line that says what holds and what does not; never throws for a kernel that
// cannot. Kept are: reading what readable_paths.hpp finds and --sandbox-read names, spool files, connecting
// to the php-fpm that is configured. php-fpm and init are other processes and stay as they are.
void confine(const config::configuration&, const std::string& user);

// For a file that could not be opened though its mode allows it (EACCES): whether confine() is the reason.
// Then a line says so, at most one in ten seconds. `root`: resolved; `path`: below it.
bool note_if_confined(int folder, const char* name, std::string_view root, std::string_view path);

}  // namespace httpd::server
