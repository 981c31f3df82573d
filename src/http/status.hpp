// Reason phrases and what a status means for framing (RFC 9110 15, 6.4.1).
#pragma once

#include <string_view>

namespace httpd::http {

// "Not Found"; "Unknown" for codes without a registered phrase.
std::string_view reason_phrase(unsigned status) noexcept;

// 1xx, 204 and 304 never have content; 205 has none either, but says Content-Length: 0.
constexpr bool forbids_content(unsigned status) noexcept {
  return status < 200 || status == 204 || status == 205 || status == 304;
}

}  // namespace httpd::http
