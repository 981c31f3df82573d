// A JSON text to a tree (RFC 8259), or to where and why it is none. Comments, // and /* */, and a byte order
// mark are passed over. Never throws but for want of memory.
#pragma once

#include "config/json_value.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace httpd::config {

// Arrays and objects inside one another: what every reader, writer and comparison may descend.
inline constexpr std::size_t max_json_depth = 64;

// Counted from 1. A column is a character, not a byte; a byte order mark is none.
struct json_place {
  std::size_t line = 1, column = 1;
};

struct json_error {
  std::string detail;      // sentences for a person; Unit's where it has one
  std::size_t offset = 0;  // in bytes from the start of the text, a mark counted; at most its size
  json_place place;
};

// Refused besides what RFC 8259 refuses: two members of one name, what is deeper than max_json_depth,
// integers that do not fit 64 bits with a sign, fractions beyond a double. Every offset of the tree is one
// into `text`. A fraction may be off in its last digits; its text is not.
boost::system::result<json_value, json_error> read_json(std::string_view text);

// For what is found wrong later in a tree: `offset` is one of its own.
json_place place_of(std::string_view text, std::size_t offset) noexcept;

}  // namespace httpd::config
