// The Range field: parsing, merging, Content-Range. No I/O.
#include "http/range.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace httpd::http {
namespace {

constexpr std::size_t max_ranges = 64;
constexpr auto max_position = std::numeric_limits<std::uint64_t>::max();

// Digits only; nullopt for anything else. Saturates, since a position beyond the end is no error.
std::optional<std::uint64_t> parse_position(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = std::uint64_t(c - '0');
    value = value > (max_position - digit) / 10 ? max_position : value * 10 + digit;
  }
  return value;
}

enum class spec { malformed, unsatisfiable, satisfiable };

// One int-range or suffix-range of RFC 9110 14.1.1, cut to the representation.
spec parse_spec(std::string_view text, std::uint64_t length, byte_range& out) noexcept {
  const auto dash = text.find('-');
  if (dash == text.npos) return spec::malformed;
  const auto left = text.substr(0, dash), right = text.substr(dash + 1);
  const auto second = parse_position(right);
  if (!right.empty() && !second) return spec::malformed;

  if (left.empty()) {
    if (!second) return spec::malformed;
    if (*second == 0 || length == 0) return spec::unsatisfiable;
    out = {length - std::min(*second, length), length - 1};
    return spec::satisfiable;
  }
  const auto first = parse_position(left);
  if (!first || (second && *second < *first)) return spec::malformed;
  if (*first >= length) return spec::unsatisfiable;
  out = {*first, std::min(second.value_or(max_position), length - 1)};
  return spec::satisfiable;
}

// The ranges in `all` are apart from each other, so what touches the union of the new one and an
// old one touches the new one itself: a single pass finds everything.
void merge_in(std::vector<byte_range>& all, byte_range added) {
  const auto touches = [&](const byte_range& r) {
    return r.first <= added.last + 1 && added.first <= r.last + 1;
  };
  const auto home = std::find_if(all.begin(), all.end(), touches);
  if (home == all.end()) {
    all.push_back(added);
    return;
  }
  for (auto it = home; it != all.end(); ++it) {
    if (!touches(*it)) continue;
    added = {std::min(added.first, it->first), std::max(added.last, it->last)};
  }
  all.erase(std::remove_if(home + 1, all.end(), touches), all.end());
  *home = added;
}

}  // namespace

range_result parse_range(std::string_view value, std::uint64_t length) {
  value = trim(value);
  const auto equals = value.find('=');
  if (equals == value.npos || !iequals(value.substr(0, equals), "bytes")) return {};

  range_result result;
  std::size_t specs = 0;
  for (auto list = value.substr(equals + 1); !list.empty();) {
    const auto item = next_in_list(list);
    if (item.empty()) continue;
    byte_range range{};
    const auto kind = parse_spec(item, length, range);
    if (kind == spec::malformed || ++specs > max_ranges) return {};
    if (kind == spec::satisfiable) merge_in(result.ranges, range);
  }
  if (specs == 0) return {};
  result.what = result.ranges.empty() ? range_result::kind::unsatisfiable : range_result::kind::partial;
  return result;
}

std::string content_range(const byte_range& range, std::uint64_t length) {
  return concat("bytes ", range.first, '-', range.last, '/', length);
}

std::string content_range_unsatisfied(std::uint64_t length) { return concat("bytes */", length); }

}  // namespace httpd::http
