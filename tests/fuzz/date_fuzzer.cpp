// Dates: every time is written and read back, and what is read is what timegm() makes of it.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "http/date.hpp"

#include <optional>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

constexpr std::time_t earliest = -62135596800, latest = 253402300799;  // the years 1 to 9999

constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view days = "SunMonTueWedThuFriSat";
constexpr std::string_view long_days[] = {"Sunday", "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};

// Reads `text` by a pattern: 0 a digit, _ a digit or a space, @ a weekday, # a month, anything else itself.
bool read_by(std::string_view pattern, std::string_view text, tm& out) {
  int numbers[8]{};
  std::size_t count = 0, at = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char p = pattern[i];
    if (p == '@' || p == '#') {
      const auto name = text.substr(std::min(at, text.size()), 3);
      const auto found = (p == '@' ? days : months).find(name);
      if (name.size() != 3 || found == days.npos || found % 3 != 0) return false;
      if (p == '#') out.tm_mon = static_cast<int>(found / 3);
      at += 3;
      continue;
    }
    if (at >= text.size()) return false;
    const char c = text[at++];
    if (p == '0' || p == '_') {
      if (!is_digit(c) && !(p == '_' && c == ' ')) return false;
      const bool goes_on = i > 0 && (pattern[i - 1] == '0' || pattern[i - 1] == '_');
      if (!goes_on) ++count;
      numbers[count - 1] = numbers[count - 1] * 10 + (c == ' ' ? 0 : c - '0');
    } else if (p != c) {
      return false;
    }
  }
  if (at != text.size()) return false;
  const bool asctime = pattern.back() == '0';
  int n = 0;
  out.tm_mday = numbers[n++];
  if (!asctime) out.tm_year = numbers[n++];
  out.tm_hour = numbers[n++];
  out.tm_min = numbers[n++];
  out.tm_sec = numbers[n++];
  if (asctime) out.tm_year = numbers[n];
  return true;
}

std::optional<std::time_t> to_time(tm read) {
  if (read.tm_hour > 23 || read.tm_min > 59 || read.tm_sec > 60) return std::nullopt;
  read.tm_year -= 1900;
  const int day = read.tm_mday;
  const auto time = ::timegm(&read);
  // timegm() turns the 30th of February into the 1st of March; a leap second may move the day on.
  tm midnight = read;
  midnight.tm_sec -= 1;
  ::timegm(&midnight);
  const bool exists = day > 0 && (read.tm_mday == day || midnight.tm_mday == day);
  return exists ? std::optional{time} : std::nullopt;
}

std::optional<std::time_t> reference(std::string_view text) {
  tm read{};
  if (read_by("@, 00 # 0000 00:00:00 GMT", text, read)) return to_time(read);
  read = {};
  if (read_by("@ # _0 00:00:00 0000", text, read)) return to_time(read);
  return std::nullopt;
}

bool is_rfc850(std::string_view text) {
  for (const auto name : long_days) {
    tm read{};
    const auto short_form = concat("Sun", text.substr(std::min(name.size(), text.size())));
    if (text.starts_with(name) && read_by("@, 00-#-00 00:00:00 GMT", short_form, read)) return true;
  }
  return false;
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto time = static_cast<std::time_t>(from.number(8)) >> (from.byte() % 64);
  const auto written = http::format_date(time);
  const std::string_view text{written.data(), written.size()};
  const auto in_range = std::clamp(time, earliest, latest);
  expect(http::parse_date(text) == in_range && reference(text) == in_range, "what is written is read back");

  const auto sent = from.rest();
  const auto parsed = http::parse_date(sent);
  if (is_rfc850(sent)) {
    if (!parsed) return;
    // Less than a hundred years ago, and at most fifty to come.
    const auto from_now = std::difftime(*parsed, std::time(nullptr)) / (365.2425 * 86400);
    expect(from_now > -50.1 && from_now < 50.1, "two digits are the nearest year");
    return;
  }
  expect(parsed == reference(sent), "a date is what timegm() makes of it");
}
