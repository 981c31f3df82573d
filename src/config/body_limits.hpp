// PHP's own limits of a request body follow --max-body: a larger body would be taken, then dropped by PHP.
#pragma once

#include "config/config.hpp"

#include <string>
#include <string_view>

namespace httpd::config {

// Whether the text of an ini file gives the setting a value.
bool ini_sets(std::string_view text, std::string_view name) noexcept;

// Adds post_max_size and upload_max_filesize to the settings, each unless it is among them, in the file of
// --php-ini, or in a folder named by PHP_INI_SCAN_DIR (`scan_folders`; PHP's own folder, the empty name, is
// the distribution's and does not count).
void follow_max_body(configuration&, std::string_view scan_folders);

}  // namespace httpd::config
