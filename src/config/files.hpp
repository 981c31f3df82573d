// Small files read whole.
#pragma once

#include <string>

namespace httpd::config {

// "" when it cannot be read.
std::string read_file(const std::string& path);

}  // namespace httpd::config
