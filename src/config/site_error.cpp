// A fault as one line.
#include "config/site_error.hpp"

#include "base/text.hpp"
#include "config/json_reader.hpp"

namespace httpd::config {

std::string describe(const site_error& error, std::string_view file, std::string_view text) {
  const auto place = place_of(text, error.offset);
  auto line = concat(file, ':', place.line, ':', place.column, ": ", error.detail);
  const auto meant = error.suggestion.empty() ? "" : concat("did you mean \"", error.suggestion, "\"?");
  if (!error.pointer.empty()) append(line, " (at ", error.pointer, meant.empty() ? "" : "; ", meant, ')');
  else if (!meant.empty()) append(line, " (", meant, ')');
  return printable(line);
}

}  // namespace httpd::config
