// Which php-fpm to run. Reads folders, starts nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

// Where programs are: PATH, then the usual folders (php-fpm lives in sbin, often not in a user's PATH).
std::vector<std::string> program_folders(const char* path_variable);

// The newest executable "php-fpm8.4", "php-fpm83"... by the version in its name; a plain "php-fpm"
// only when none has a version. The first folder wins among equals. "" = none.
std::string newest_php_fpm(const std::vector<std::string>& folders);

struct program {
  std::string path;  // absolute; "" = refused
  std::string reason;
  int exit_status = 0;  // 127 not there, 126 not executable, as a shell says it
};
// A path, or a bare name that is looked for in `folders`.
program find_program(const std::string& name, const std::vector<std::string>& folders);

// Orders "8.10" after "8.9"; "" comes first.
bool older_version(std::string_view a, std::string_view b) noexcept;

}  // namespace httpd::config
