// HTTP dates: writing, reading the three forms, refusing everything else.
#include "catch.hpp"

#include "http/date.hpp"

#include <limits>
#include <string>

using namespace httpd::http;

namespace {

std::string text(std::time_t when) {
  const auto date = format_date(when);
  return {date.data(), date.size()};
}

constexpr std::time_t example = 784111777;

int this_year() { return std::stoi(text(std::time(nullptr)).substr(12, 4)); }

// "Sunday, 01-Jan-YY 00:00:00 GMT" of that year.
std::optional<std::time_t> parse_short_year(int year) {
  const auto digits = std::to_string(100 + year % 100).substr(1);
  return parse_date("Sunday, 01-Jan-" + digits + " 00:00:00 GMT");
}

std::optional<std::time_t> parse_long_year(int year) {
  return parse_date("Sun, 01 Jan " + std::to_string(year) + " 00:00:00 GMT");
}

}  // namespace

TEST_CASE("dates are written as IMF-fixdate") {
  CHECK(text(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(text(example) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(text(951782400) == "Tue, 29 Feb 2000 00:00:00 GMT");
  CHECK(text(1735689599) == "Tue, 31 Dec 2024 23:59:59 GMT");
  CHECK(text(4294967296) == "Sun, 07 Feb 2106 06:28:16 GMT");
  CHECK(text(-1) == "Wed, 31 Dec 1969 23:59:59 GMT");
}

TEST_CASE("times that four digits cannot say are cut to what they can") {
  CHECK(text(253402300799) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(text(253402300800) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(text(std::numeric_limits<std::time_t>::max()) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(text(std::numeric_limits<std::time_t>::min()) == "Mon, 01 Jan 0001 00:00:00 GMT");
}

TEST_CASE("what is written is read back") {
  for (std::time_t when = -5000000000; when < 253402300799; when += 86399 * 97 + 1) {
    if (parse_date(text(when)) == when) continue;
    INFO(when);
    CHECK(parse_date(text(when)) == when);
  }
}

TEST_CASE("the three forms of RFC 9110 are read") {
  CHECK(parse_date("Sun, 06 Nov 1994 08:49:37 GMT") == example);
  CHECK(parse_date("Sunday, 06-Nov-94 08:49:37 GMT") == example);
  CHECK(parse_date("Sun Nov  6 08:49:37 1994") == example);
  CHECK(parse_date("Sun Nov 06 08:49:37 1994") == example);
  CHECK(parse_date("Wed Nov 16 08:49:37 1994") == example + 10 * 86400);
}

TEST_CASE("a leap second is the second after 59") {
  CHECK(parse_date("Sat, 31 Dec 2016 23:59:60 GMT") == 1483228800);
}

TEST_CASE("a year of two digits is never more than fifty years ahead") {
  const int now = this_year();
  for (const int ahead : {0, 1, 49, 50}) {
    INFO(ahead);
    CHECK(parse_short_year(now + ahead) == parse_long_year(now + ahead));
  }
  for (const int back : {1, 48, 49}) {
    INFO(back);
    CHECK(parse_short_year(now - back) == parse_long_year(now - back));
  }
}

TEST_CASE("what is cut short or longer than a date is none") {
  for (const std::string whole : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                                  "Sun Nov  6 08:49:37 1994"}) {
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
      INFO(whole.substr(0, cut));
      CHECK_FALSE(parse_date(std::string_view{whole}.substr(0, cut)));
      CHECK_FALSE(parse_date(std::string_view{whole}.substr(whole.size() - cut)));
    }
    CHECK_FALSE(parse_date(whole + " "));
    CHECK_FALSE(parse_date(" " + whole));
    CHECK_FALSE(parse_date(whole + ", " + whole));
  }
}

TEST_CASE("what resembles a date is none") {
  for (const auto* value :
       {"sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994  8:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 99-Nov-94 08:49:37 GMT", "Sunday, 00-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37", "Someday, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 94", "Sun Nov 31 08:49:37 1994", "784111777", "1994-11-06T08:49:37Z", "now",
        ","}) {
    INFO(value);
    CHECK_FALSE(parse_date(value));
  }
}
