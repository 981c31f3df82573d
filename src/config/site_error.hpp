// Why a configuration is refused, and where in its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace httpd::config {

struct site_error {
  std::string detail;      // Unit's sentence where it has one; parts of it are the user's own bytes
  std::string pointer;     // RFC 6901, to something that is there: what is missing is missing from it
  std::size_t offset = 0;  // the tree's, of the value or, where that is the fault, of its name
  std::string suggestion;  // what may have been meant instead of that name or value; "" = none
};

// "FILE:LINE:COLUMN: DETAIL (at POINTER; did you mean "SUGGESTION"?)" for one line of a log or a terminal.
// `text` is what the tree was read from.
std::string describe(const site_error&, std::string_view file, std::string_view text);

}  // namespace httpd::config
