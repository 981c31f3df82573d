// UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace httpd {

struct utf8_character {
  std::size_t bytes;  // at least 1: a whole character, or the part of a broken one to replace
  bool valid;
};

// The character that `text` begins with; a byte below 0x80 is one. `text` is not empty.
utf8_character first_utf8(std::string_view text) noexcept;
// Where the first broken character begins; npos when there is none.
std::size_t find_broken_utf8(std::string_view text) noexcept;

}  // namespace httpd
