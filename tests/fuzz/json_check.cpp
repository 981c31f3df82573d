// The reader of JSON.
#include "fuzz/json_check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace httpd::fuzz {
namespace {

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_number(std::string_view& text) {
  take(text, "-");
  const auto digits = [&text] {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end;
  };
  const bool zero = text.starts_with('0');
  const auto whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  return !take(text, ".") || digits() > 0;  // nothing of ours has an exponent
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

bool take_escape(std::string_view& text, std::string& decoded) {
  if (text.empty()) return false;
  const char c = text.front();
  text.remove_prefix(1);
  constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
  if (const auto i = from.find(c); i != from.npos) {
    decoded += to[i];
    return true;
  }
  const auto hex = text.substr(0, 4);
  if (c != 'u' || hex.size() < 4 || hex.find_first_not_of("0123456789abcdefABCDEF") != hex.npos) return false;
  const auto value = static_cast<std::uint32_t>(std::strtoul(std::string{hex}.c_str(), nullptr, 16));
  if (value >= 0xd800 && value <= 0xdfff) return false;  // nothing of ours needs a pair
  append_utf8(decoded, value);
  text.remove_prefix(4);
  return true;
}

bool take_members(std::string_view& text, char close, bool named, unsigned depth) {
  skip_space(text);
  if (take(text, std::string_view{&close, 1})) return true;
  for (;;) {
    skip_space(text);
    std::string name;
    if (named) {
      if (!take_json_string(text, name)) return false;
      skip_space(text);
      if (!take(text, ":")) return false;
    }
    if (!take_json(text, depth)) return false;
    if (take(text, std::string_view{&close, 1})) return true;
    if (!take(text, ",")) return false;
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto at = [&](std::size_t n) -> std::uint32_t {
      return n < text.size() ? static_cast<unsigned char>(text[n]) : 0;
    };
    const auto lead = at(i);
    const std::size_t more = lead < 0x80        ? 0
                             : lead >> 5 == 6   ? 1
                             : lead >> 4 == 14  ? 2
                             : lead >> 3 == 30  ? 3
                                                : 4;
    if (more == 4) return false;
    std::uint32_t value = more == 0 ? lead : lead & (0x3fu >> more);
    for (std::size_t n = 1; n <= more; ++n) {
      if (at(i + n) >> 6 != 2) return false;
      value = value << 6 | (at(i + n) & 0x3f);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (value < least[more] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return false;
    i += more + 1;
  }
  return true;
}

bool take_json_string(std::string_view& text, std::string& decoded) {
  if (!take(text, "\"")) return false;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return is_utf8(decoded);
    if (static_cast<unsigned char>(c) < 0x20) return false;
    if (c != '\\') decoded += c;
    else if (!take_escape(text, decoded)) return false;
  }
  return false;
}

bool take_json(std::string_view& text, unsigned depth) {
  skip_space(text);
  std::string ignored;
  bool good = false;
  if (depth == 0) return false;
  if (take(text, "{")) good = take_members(text, '}', true, depth - 1);
  else if (take(text, "[")) good = take_members(text, ']', false, depth - 1);
  else if (text.starts_with('"')) good = take_json_string(text, ignored);
  else good = take(text, "true") || take(text, "false") || take(text, "null") || take_number(text);
  skip_space(text);
  return good;
}

bool is_json(std::string_view text) { return take_json(text) && text.empty(); }

}  // namespace httpd::fuzz
