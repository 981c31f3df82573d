// The Range field (RFC 9110 14) for one representation of a known length. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::http {

struct byte_range {
  std::uint64_t first, last;  // both included, last < length
  std::uint64_t size() const noexcept { return last - first + 1; }
  bool operator==(const byte_range&) const = default;
};

struct range_result {
  enum class kind { whole, partial, unsatisfiable } what = kind::whole;
  std::vector<byte_range> ranges;  // partial: in the order asked, overlapping or touching ones merged
};

// Malformed fields and units other than "bytes" are ignored: whole (RFC 9110 14.2). More than 64
// ranges: whole. What remains after merging never sends a byte twice. A position beyond 2^64 counts as
// 2^64-1. Empty file: any well-formed set is unsatisfiable (416), a suffix of 0 too.
range_result parse_range(std::string_view value, std::uint64_t length);

// "bytes 0-1/1000" and "bytes */1000"
std::string content_range(const byte_range&, std::uint64_t length);
std::string content_range_unsatisfied(std::uint64_t length);

}  // namespace httpd::http
