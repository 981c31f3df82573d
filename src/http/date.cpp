// HTTP dates: writing IMF-fixdate, reading the three forms of RFC 9110 5.6.7. No locale, no I/O.
#include "http/date.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>

namespace httpd::http {
namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 7> weekday_names{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// What four digits can say; a file's time may lie outside.
constexpr std::time_t earliest = sys_seconds{sys_days{year{1} / January / 1}}.time_since_epoch().count();
constexpr std::time_t latest =
    sys_seconds{sys_days{year{9999} / December / 31} + days{1} - seconds{1}}.time_since_epoch().count();

void put_digits(char* at, unsigned value, int count) noexcept {
  while (count-- > 0) {
    at[count] = char('0' + value % 10);
    value /= 10;
  }
}

// Reads a text from the left; once something did not fit, `good` stays false and every value is 0.
struct reader {
  std::string_view rest;
  bool good = true;

  void skip(std::string_view text) noexcept {
    good = good && rest.starts_with(text);
    if (good) rest.remove_prefix(text.size());
  }
  int digits(std::size_t count) noexcept {
    good = good && rest.size() >= count &&
           std::all_of(rest.begin(), rest.begin() + std::ptrdiff_t(count), is_digit);
    if (!good) return 0;
    int value = 0;
    for (const char c : rest.substr(0, count)) value = value * 10 + (c - '0');
    rest.remove_prefix(count);
    return value;
  }
  // The index of the name at the front, cut to `length` letters when that is not 0.
  unsigned name(std::span<const std::string_view> names, std::size_t length) noexcept {
    for (unsigned i = 0; good && i < names.size(); ++i) {
      const auto candidate = length ? names[i].substr(0, length) : names[i];
      if (!rest.starts_with(candidate)) continue;
      rest.remove_prefix(candidate.size());
      return i;
    }
    good = false;
    return 0;
  }
  month month_name() noexcept { return month{name(month_names, 3) + 1}; }
  // A leap second is the second after 59: time_t has no other.
  seconds time_of_day() noexcept {
    const int h = digits(2);
    skip(":");
    const int m = digits(2);
    skip(":");
    const int s = digits(2);
    good = good && h < 24 && m < 60 && s <= 60;
    return hours{h} + minutes{m} + seconds{s};
  }
};

std::optional<std::time_t> finish(const reader& in, year_month_day date, seconds time) noexcept {
  if (!in.good || !in.rest.empty() || !date.ok()) return std::nullopt;
  return (sys_seconds{sys_days{date}} + time).time_since_epoch().count();
}

std::optional<std::time_t> parse_imf_fixdate(reader in) noexcept {
  in.name(weekday_names, 3);
  in.skip(", ");
  const day d{unsigned(in.digits(2))};
  in.skip(" ");
  const auto m = in.month_name();
  in.skip(" ");
  const year y{in.digits(4)};
  in.skip(" ");
  const auto time = in.time_of_day();
  in.skip(" GMT");
  return finish(in, y / m / d, time);
}

std::optional<std::time_t> parse_rfc850(reader in) noexcept {
  in.name(weekday_names, 0);
  in.skip(", ");
  const day d{unsigned(in.digits(2))};
  in.skip("-");
  const auto m = in.month_name();
  in.skip("-");
  const int two_digits = in.digits(2);
  in.skip(" ");
  const auto time = in.time_of_day();
  in.skip(" GMT");

  // RFC 9110 5.6.7: more than 50 years ahead means the last century's year with these digits.
  const year_month_day today{floor<days>(system_clock::now())};
  const auto horizon = sys_days{today + years{50}};
  year y{(int(today.year()) / 100 + 1) * 100 + two_digits};
  while (sys_days{y / m / d} > horizon) y -= years{100};
  return finish(in, y / m / d, time);
}

std::optional<std::time_t> parse_asctime(reader in) noexcept {
  in.name(weekday_names, 3);
  in.skip(" ");
  const auto m = in.month_name();
  in.skip(" ");
  const bool padded = in.rest.starts_with(' ');
  if (padded) in.skip(" ");
  const day d{unsigned(in.digits(padded ? 1 : 2))};
  in.skip(" ");
  const auto time = in.time_of_day();
  in.skip(" ");
  const year y{in.digits(4)};
  return finish(in, y / m / d, time);
}

}  // namespace

date_text format_date(std::time_t when) noexcept {
  const sys_seconds point{seconds{std::clamp(when, earliest, latest)}};
  const auto midnight = floor<days>(point);
  const year_month_day date{midnight};
  const hh_mm_ss time{point - midnight};

  date_text text;
  std::memcpy(text.data(), "Sun, 06 Nov 1994 08:49:37 GMT", text.size());
  std::memcpy(text.data(), weekday_names[weekday{midnight}.c_encoding()].data(), 3);
  put_digits(text.data() + 5, unsigned(date.day()), 2);
  std::memcpy(text.data() + 8, month_names[unsigned(date.month()) - 1].data(), 3);
  put_digits(text.data() + 12, unsigned(int(date.year())), 4);
  put_digits(text.data() + 17, unsigned(time.hours().count()), 2);
  put_digits(text.data() + 20, unsigned(time.minutes().count()), 2);
  put_digits(text.data() + 23, unsigned(time.seconds().count()), 2);
  return text;
}

std::optional<std::time_t> parse_date(std::string_view text) noexcept {
  const reader in{text};
  if (text.size() > 3 && text[3] == ',') return parse_imf_fixdate(in);
  if (text.size() > 3 && text[3] == ' ') return parse_asctime(in);
  return parse_rfc850(in);
}

}  // namespace httpd::http
