// Accept-Encoding (RFC 9110 12.5.3): which stored variant of a file to send.
#pragma once

#include <array>
#include <string_view>

namespace httpd::http {

struct request_head;

enum class coding : unsigned char { identity, gzip, zstd, br };

struct coding_name {
  coding what;
  std::string_view name;       // in Content-Encoding
  std::string_view extension;  // of the sibling file
};
// In order of preference at equal weight.
inline constexpr std::array<coding_name, 3> stored_codings{{
    {coding::br, "br", ".br"}, {coding::zstd, "zstd", ".zst"}, {coding::gzip, "gzip", ".gz"}}};

// A bit per coding, 1 << unsigned(coding).
using coding_set = unsigned;
constexpr coding_set bit(coding c) noexcept { return 1u << unsigned(c); }

// Which codings with q > 0 a client takes, apart from identity; 0 when the field is absent.
// Cheap: lets the caller look for siblings only when they could be sent.
coding_set accepted_codings(const request_head&) noexcept;

// The best of `available` (identity is always available): highest weight, then the order above.
// identity wins only when its weight is higher than every available coding's. When nothing is
// acceptable (identity;q=0 and no variant): identity, as RFC 9110 12.5.3 allows.
coding choose_coding(const request_head&, coding_set available) noexcept;

}  // namespace httpd::http
