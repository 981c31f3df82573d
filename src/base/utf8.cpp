// The one place that knows which bytes are a character.
#include "base/utf8.hpp"

namespace httpd {

utf8_character first_utf8(std::string_view text) noexcept {
  const auto byte_at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte_at(0);
  unsigned char low = 0x80, high = 0xbf;  // what the second byte may be
  std::size_t wanted = 0;
  if (lead < 0x80) return {1, true};
  if (lead >= 0xc2 && lead <= 0xdf) wanted = 2;
  else if (lead >= 0xe0 && lead <= 0xef) wanted = 3;
  else if (lead >= 0xf0 && lead <= 0xf4) wanted = 4;
  else return {1, false};
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (std::size_t i = 1; i < wanted; ++i) {
    if (i == text.size() || byte_at(i) < low || byte_at(i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {wanted, true};
}

std::size_t find_broken_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto next = first_utf8(text.substr(i));
    if (!next.valid) return i;
    i += next.bytes;
  }
  return text.npos;
}

}  // namespace httpd
