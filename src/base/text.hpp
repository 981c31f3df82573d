// Small text helpers shared by every folder: appending, ASCII case, strict numbers, escaping.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace httpd {

inline void append_one(std::string& out, std::string_view text) { out.append(text); }
inline void append_one(std::string& out, char c) { out.push_back(c); }
template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>)
void append_one(std::string& out, T number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

// Appends text, characters and decimal integers.
template <class... Parts>
void append(std::string& out, const Parts&... parts) {
  (append_one(out, parts), ...);
}
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  append(out, parts...);
  return out;
}

// ASCII only, whatever the locale (RFC 9110 compares tokens this way).
constexpr char to_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool iequals(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  return true;
}

// Without the spaces and tabs at both ends (OWS of RFC 9110 5.6.3).
constexpr std::string_view trim(std::string_view s) noexcept {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// The next element of a comma-separated list (RFC 9110 5.6.1), trimmed; takes it from `list`.
// Does not know quoted strings. Empty elements are returned as empty.
constexpr std::string_view next_in_list(std::string_view& list) noexcept {
  const auto comma = list.find(',');
  const auto item = trim(list.substr(0, comma));
  list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
  return item;
}

// Decimal digits and nothing else; nullopt for an empty text, a sign, a space or an overflow.
inline std::optional<std::uint64_t> parse_u64(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// For a log line: control bytes, `"`, `\` and bytes above 0x7e become \xHH, so that nothing a
// client sent can end a line, forge another or reach a terminal.
void append_escaped(std::string& out, std::string_view untrusted);
std::string escaped(std::string_view untrusted);
// For a message of an application, which others parse: only control bytes (tabs stay) and what is not UTF-8
// become \xHH. Everything else, `"` and `\` too, is as it was.
void append_printable(std::string& out, std::string_view message);
std::string printable(std::string_view message);
// The inside of a JSON string (RFC 8259 7); bytes that are not UTF-8 become U+FFFD.
void append_json(std::string& out, std::string_view text);

}  // namespace httpd
