// A tree to a text that reads back as an equal tree.
#pragma once

#include "config/json_value.hpp"

#include <string>

namespace httpd::config {

enum class json_form {
  compact,  // one line, no spaces, no end of line
  pretty,   // two spaces a level, \n
  unit,     // as Unit's control API answers: tabs, \r\n, an empty line after a member with something in it
};

// Strings are escaped by append_json(): bytes that are not UTF-8 become U+FFFD, which no tree that was read
// has. A fraction is written as its `text`.
std::string write_json(const json_value& tree, json_form form);

// A strong validator (RFC 9110 8.8.3) with its quotes: the same for trees that are written alike, wherever
// they were read. The order of members counts: it is seen in what is sent.
std::string entity_tag(const json_value& tree);

}  // namespace httpd::config
