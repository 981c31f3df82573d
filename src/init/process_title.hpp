// What ps and top show for this process.
#pragma once

#include <string_view>

namespace httpd::init {

// Overwrites the area of the command line. Best effort: without /proc nothing happens.
void set_process_title(std::string_view title) noexcept;

}  // namespace httpd::init
