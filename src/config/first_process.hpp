// What the first process of a container was told, when it is this program: `health` runs beside it with
// the same environment, but does not see the options after the image's name.
#pragma once

#include "config/given_options.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

// From a /proc/PID/cmdline: our own command line in it, also behind another init ("/sbin/docker-init --
// /usr/bin/httpd-php-fpm -s 80"). Empty: it is none of ours.
std::vector<std::string> own_command_line(std::string_view cmdline);

// Where the server is, as the first process was told on its command line; the command line of `health`
// itself wins. `root` is "" in production, a folder with a fake /proc in tests.
void adopt_first_process(given_options& health, const std::string& root = "");

}  // namespace httpd::config
