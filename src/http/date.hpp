// HTTP dates (RFC 9110 5.6.7), always GMT and in English whatever the locale.
#pragma once

#include <array>
#include <ctime>
#include <optional>
#include <string_view>

namespace httpd::http {

using date_text = std::array<char, 29>;  // "Sun, 06 Nov 1994 08:49:37 GMT"
date_text format_date(std::time_t) noexcept;

// IMF-fixdate, RFC 850 (two-digit years of RFC 9110) and asctime; nullopt for anything else.
std::optional<std::time_t> parse_date(std::string_view) noexcept;

}  // namespace httpd::http
