// Percent-encoding (RFC 3986 2.1), one byte at a time: what every reader of a target or a pattern builds on.
#pragma once

#include "base/text.hpp"

#include <cstddef>
#include <string_view>

namespace httpd {

// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte at `i`, decoded; moves `i` to its last character. False for a broken escape, with `out` = '%'.
constexpr bool decode_at(std::string_view text, std::size_t& i, char& out) noexcept {
  out = text[i];
  if (out != '%') return true;
  if (text.size() - i < 3) return false;
  const int high = hex_value(text[i + 1]);
  const int low = hex_value(text[i + 2]);
  if (high < 0 || low < 0) return false;
  out = static_cast<char>(high << 4 | low);
  i += 2;
  return true;
}

}  // namespace httpd
