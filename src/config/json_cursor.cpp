// The smallest lexer that does: the parser is the judge.
#include "config/json_cursor.hpp"

#include "base/percent.hpp"
#include "base/utf8.hpp"

#include <algorithm>

namespace httpd::config {
namespace {

constexpr std::string_view wrong_escape =
    "Invalid escape.  A backslash must be followed by one of \" \\ / b f n r t, or by u and four hexadecimal "
    "digits, and one half of a surrogate pair by the other half.";

// What the \u at the front stands for, or -1.
int escaped_unit(std::string_view text) noexcept {
  if (text.size() < 6 || !text.starts_with("\\u")) return -1;
  int unit = 0;
  for (const char c : text.substr(2, 4)) {
    const int digit = hex_value(c);
    if (digit < 0) return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

// The bytes of the escape at the front, with both halves of a surrogate pair; 0 for a wrong one.
std::size_t escape_size(std::string_view text) noexcept {
  if (text.size() > 1 && std::string_view{"\"\\/bfnrt"}.find(text[1]) != text.npos) return 2;
  const int unit = escaped_unit(text);
  if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff)) return 0;
  if (unit < 0xd800 || unit > 0xdfff) return 6;
  const int low = escaped_unit(text.substr(6));
  return low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
}

// Of the string whose quote is at the front, with both quotes; npos when it has no end.
std::size_t string_size(std::string_view text) noexcept {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.npos;
}

// Of the comment at the front; 0 when there is none, npos when it has no end.
std::size_t comment_size(std::string_view text) noexcept {
  if (text.starts_with("//")) return std::min(text.find('\n'), text.size());
  if (!text.starts_with("/*")) return 0;
  const auto end = text.find("*/", 2);
  return end == text.npos ? end : end + 2;
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out{text};
  for (auto at = text.find_first_of("\"/"); at < text.size(); at = text.find_first_of("\"/", at)) {
    const bool is_string = text[at] == '"';
    const auto size = is_string ? string_size(text.substr(at)) : comment_size(text.substr(at));
    if (size == text.npos) break;
    if (!is_string) std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), size, ' ');
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::size_t json_cursor::next(char separator) noexcept {
  passed_ = false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at_;
    } else if (separator != '\0' && c == separator && !passed_) {
      ++at_;
      passed_ = true;
    } else {
      break;
    }
  }
  return at_;
}

bool json_cursor::skip_string() noexcept {
  const auto size = string_size(text_.substr(at_));
  if (size == std::string_view::npos) return false;
  at_ += size;
  return true;
}

json_string_fault explain_string(std::string_view text, std::size_t start) noexcept {
  std::size_t place = start + 1, size = 0;
  for (; place < text.size() && text[place] != '"'; place += size) {
    const auto rest = text.substr(place);
    if (static_cast<unsigned char>(rest.front()) < 0x20)
      return {place, "A control character must be escaped in a string."};
    if (rest.front() == '\\') {
      size = escape_size(rest);
      if (size == 0) return {place, wrong_escape};
    } else {
      const auto character = first_utf8(rest);
      if (!character.valid) return {place, "This is no UTF-8 character."};
      size = character.bytes;
    }
  }
  return {start, "The string that begins here has no end."};
}

}  // namespace httpd::config
