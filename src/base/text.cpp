// Escaping for log lines and JSON. Never looks at the locale.
#include "base/text.hpp"

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

struct sequence {
  std::size_t bytes;  // at least 1: a whole character, or the part of a broken one to replace
  bool valid;
};

// One UTF-8 character that begins with a byte >= 0x80, by table 3-7 of the Unicode standard: no
// overlong forms, no surrogates, nothing above U+10FFFF.
sequence utf8_sequence(std::string_view text) noexcept {
  const unsigned char lead = byte_at(text, 0);
  unsigned char low = 0x80, high = 0xbf;  // what the second byte may be
  std::size_t wanted = 0;
  if (lead >= 0xc2 && lead <= 0xdf) wanted = 2;
  else if (lead >= 0xe0 && lead <= 0xef) wanted = 3;
  else if (lead >= 0xf0 && lead <= 0xf4) wanted = 4;
  else return {1, false};
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (std::size_t i = 1; i < wanted; ++i) {
    if (i == text.size() || byte_at(text, i) < low || byte_at(text, i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {wanted, true};
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
    const sequence next = c < 0x80 ? sequence{1, (c >= 0x20 && c != 0x7f) || c == '\t'}
                                   : utf8_sequence(message.substr(i));
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
    const sequence next = utf8_sequence(text.substr(i));
    const bool c1_control = next.valid && byte_at(text, i) == 0xc2 && byte_at(text, i + 1) < 0xa0;
    if (!next.valid) out += "\\uFFFD";
    else if (c1_control) append_u_escape(out, byte_at(text, i + 1));  // terminals obey these too
    else out.append(text.substr(i, next.bytes));
    i += next.bytes;
  }
}

}  // namespace httpd
