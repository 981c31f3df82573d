// Which names are scripts, and which are never sent as files (design 6).
// All work on the normalised path of http/target.hpp.
#pragma once

#include <cstddef>
#include <string_view>

namespace httpd::http {

// The end of the next prefix of `path`, longer than `from`, whose last segment ends in ".php"
// (exactly, lower case, and something before the dot): the prefix is path.substr(0, result) and ends
// at the end of the path or just before a "/". 0 = no (further) prefix.
// "/env.php/foo" -> 8, "/index.phptest/x.php/q" -> 20 , "/env.phpx" -> 0, "/.php" -> 0.
std::size_t next_script_prefix(std::string_view path, std::size_t from = 0) noexcept;

// Whether a segment begins with a dot, but "/.well-known/" as the first one.
bool has_hidden_segment(std::string_view path) noexcept;

// Whether a file of this path must never be sent, whatever the route says:
//  - a segment that begins with a dot, but "/.well-known/" as the first segment
//    (inside it the other rules hold);
//  - a last segment that a PHP could run or include: .php .php3-.php8 .phps .phtml .phar .pht .inc in any
//    case, also with trailing dots, spaces or "::$DATA", or followed by anything but a letter or digit
//    (x.php.txt, x.php.gz, x.php_, x.php-old);
//  - an editor's or packager's copy: ends in "~", or has the extension .bak .swp .swo .swn .orig .save .old
//    .tmp .dpkg-dist .dpkg-old .rej, or "#name#".
bool is_refused(std::string_view path) noexcept;

}  // namespace httpd::http
