// Escaping for log lines and JSON. Never looks at the locale.
#include "base/text.hpp"

#include "base/utf8.hpp"

#include <array>
#include <cstddef>

namespace httpd {
namespace {

constexpr std::string_view upper_hex = "0123456789ABCDEF";

constexpr bool is_plain(unsigned char c) noexcept {
  return c >= 0x20 && c <= 0x7e && c != '"' && c != '\\';
}

constexpr auto plain = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = is_plain(static_cast<unsigned char>(c));
  return table;
}();

constexpr unsigned char byte_at(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]);
}

// The length of the run of plain characters at `from`.
std::size_t plain_run(std::string_view text, std::size_t from) noexcept {
  std::size_t end = from;
  while (end < text.size() && plain[byte_at(text, end)]) ++end;
  return end - from;
}

void append_hex_escape(std::string& out, unsigned char c) {
  append(out, "\\x", upper_hex[c >> 4], upper_hex[c & 15]);
}

void append_u_escape(std::string& out, unsigned char c) {
  append(out, "\\u00", upper_hex[c >> 4], upper_hex[c & 15]);
}

void append_json_ascii(std::string& out, unsigned char c) {
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: append_u_escape(out, c);
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view untrusted) {
  for (std::size_t i = 0; i < untrusted.size(); ++i) {
    const std::size_t run = plain_run(untrusted, i);
    out.append(untrusted.substr(i, run));
    i += run;
    if (i == untrusted.size()) break;
    const unsigned char c = byte_at(untrusted, i);
    append_hex_escape(out, c);
  }
}

void append_printable(std::string& out, std::string_view message) {
  for (std::size_t i = 0; i < message.size();) {
    const unsigned char c = byte_at(message, i);
    const auto next = c < 0x80 ? utf8_character{1, (c >= 0x20 && c != 0x7f) || c == '\t'}
                               : first_utf8(message.substr(i));
    const bool c1_control = c == 0xc2 && next.valid && byte_at(message, i + 1) < 0xa0;
    if (next.valid && !c1_control) {
      out.append(message.substr(i, next.bytes));
    } else {
      for (std::size_t at = i; at < i + next.bytes; ++at) append_hex_escape(out, byte_at(message, at));
    }
    i += next.bytes;
  }
}

std::string printable(std::string_view message) {
  std::string out;
  append_printable(out, message);
  return out;
}

std::string escaped(std::string_view untrusted) {
  std::string out;
  append_escaped(out, untrusted);
  return out;
}

void append_json(std::string& out, std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t run = plain_run(text, i);
    out.append(text.substr(i, run));
    i += run;
    if (i == text.size()) break;
    if (byte_at(text, i) < 0x80) {
      append_json_ascii(out, byte_at(text, i++));
      continue;
    }
    const auto next = first_utf8(text.substr(i));
    const bool c1_control = next.valid && byte_at(text, i) == 0xc2 && byte_at(text, i + 1) < 0xa0;
    if (!next.valid) out += "\\uFFFD";
    else if (c1_control) append_u_escape(out, byte_at(text, i + 1));  // terminals obey these too
    else out.append(text.substr(i, next.bytes));
    i += next.bytes;
  }
}

}  // namespace httpd
