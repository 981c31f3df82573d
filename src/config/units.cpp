// Sizes and durations as a user writes them.
#include "config/units.hpp"

#include "base/text.hpp"

#include <limits>

namespace httpd::config {
namespace {

// The digits at the start of `text`, taken from it.
std::optional<std::uint64_t> take_number(std::string_view& text) noexcept {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const auto number = parse_u64(text.substr(0, digits));
  text.remove_prefix(digits);
  return number;
}

// The power of 1024 that a suffix stands for, as a shift; -1 for an unknown suffix.
int shift_of(std::string_view suffix) noexcept {
  if (suffix.empty() || iequals(suffix, "b")) return 0;
  if (suffix.size() > 1 && !iequals(suffix.substr(1), "b") && !iequals(suffix.substr(1), "ib")) return -1;
  switch (to_lower(suffix.front())) {
    case 'k': return 10;
    case 'm': return 20;
    case 'g': return 30;
    case 't': return 40;
    default: return -1;
  }
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) noexcept {
  const auto number = take_number(text);
  const int shift = shift_of(text);
  if (!number || shift < 0 || *number > std::numeric_limits<std::uint64_t>::max() >> shift)
    return std::nullopt;
  return *number << shift;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
  constexpr std::uint64_t most = 24ull * 24 * 3600 * 1000;
  const auto number = take_number(text);
  std::uint64_t unit = 0;
  if (text.empty() || iequals(text, "s")) unit = 1000;
  if (iequals(text, "ms")) unit = 1;
  if (iequals(text, "m")) unit = 60'000;
  if (iequals(text, "h")) unit = 3'600'000;
  if (!number || *number == 0 || unit == 0 || *number > most / unit) return std::nullopt;
  return std::chrono::milliseconds{std::int64_t(*number * unit)};
}

}  // namespace httpd::config
