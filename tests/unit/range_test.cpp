// The Range field: the table of case 62, merging, limits.
#include "catch.hpp"

#include "http/range.hpp"

#include <limits>

using namespace httpd::http;
using kind = range_result::kind;

namespace {

using ranges = std::vector<byte_range>;

void check_partial(std::string_view value, std::uint64_t length, const ranges& expected) {
  INFO("Range: " << value << " of " << length);
  const auto result = parse_range(value, length);
  CHECK(result.what == kind::partial);
  CHECK((result.ranges == expected));
}

void check_kind(std::string_view value, std::uint64_t length, kind expected) {
  INFO("Range: " << value << " of " << length);
  const auto result = parse_range(value, length);
  CHECK(result.what == expected);
  CHECK(result.ranges.empty());
}

std::string repeated(std::string_view spec, int times) {
  std::string value = "bytes=";
  for (int i = 0; i < times; ++i) value.append(i ? "," : "").append(spec);
  return value;
}

// 0-0,2-2,4-4: no two of them touch.
std::string scattered(int count) {
  std::string value = "bytes=";
  for (int i = 0; i < count; ++i) {
    const auto position = std::to_string(2 * i);
    value.append(i ? "," : "").append(position).append("-").append(position);
  }
  return value;
}

}  // namespace

TEST_CASE("case 62: a range is cut to the file and never wraps around") {
  check_partial("bytes=0-0", 1000, {{0, 0}});
  check_partial("bytes=-5000", 1000, {{0, 999}});
  check_partial("bytes=-1", 1000, {{999, 999}});
  check_partial("bytes=999-", 1000, {{999, 999}});
  check_partial("bytes=0-18446744073709551616", 1000, {{0, 999}});
  check_partial("bytes=0-999999999999999999999999999999", 1000, {{0, 999}});
  check_partial("bytes=-18446744073709551616", 1000, {{0, 999}});
  check_partial("bytes=0-1,5-6", 1000, {{0, 1}, {5, 6}});
}

TEST_CASE("case 62: what lies outside the file cannot be satisfied") {
  for (const auto* value : {"bytes=-0", "bytes=1000-", "bytes=1000-1000", "bytes=18446744073709551616-",
                            "bytes=99999999999999999999-99999999999999999999", "bytes=-0,1000-,2000-3000"})
    check_kind(value, 1000, kind::unsatisfiable);
  check_kind("bytes=0-", 0, kind::unsatisfiable);
  check_kind("bytes=-5", 0, kind::unsatisfiable);
  check_kind("bytes=-0", 0, kind::unsatisfiable);
}

TEST_CASE("case 62: a malformed field and a foreign unit are ignored") {
  for (const auto* value :
       {"", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=--1", "bytes=1", "bytes=9-5", "bytes = 0-1",
        "bytes =0-1", "items=0-1", "=0-1", "bytes=0-1;5-6", "bytes=a-b", "bytes=0x0-1", "bytes=+0-1",
        "bytes=0 - 1", "bytes=0-1 5-6", "bytes=0-1-2", "bytes=0-1,x", "bytes=0-1,9-5", "bytes==0-1",
        "bytes=0-1,items=2-3", "bytes=*", "bytes=1000-,-"})
    check_kind(value, 1000, kind::whole);
  check_kind("bytes=0-1,x", 0, kind::whole);
}

TEST_CASE("the unit has no case, lists may hold spaces and empty elements") {
  check_partial("Bytes=0-1", 1000, {{0, 1}});
  check_partial(" bytes=0-1 ", 1000, {{0, 1}});
  check_partial("bytes= ,0-1 ,\t, 5-6,", 1000, {{0, 1}, {5, 6}});
}

TEST_CASE("ranges keep their order, and those that overlap or touch become one") {
  check_partial("bytes=500-600,0-1", 1000, {{500, 600}, {0, 1}});
  check_partial("bytes=0-1,2-3", 1000, {{0, 3}});
  check_partial("bytes=2-3,0-1", 1000, {{0, 3}});
  check_partial("bytes=0-1,3-4", 1000, {{0, 1}, {3, 4}});
  check_partial("bytes=10-20,30-40,50-60,5-55", 1000, {{5, 60}});
  check_partial("bytes=30-40,900-,10-20,21-29", 1000, {{10, 40}, {900, 999}});
  check_partial("bytes=0-499,-500", 1000, {{0, 999}});
  check_partial("bytes=-10,0-0,995-996", 1000, {{990, 999}, {0, 0}});
  check_partial("bytes=1000-,5-6,2000-", 1000, {{5, 6}});
}

TEST_CASE("case 62: many ranges never cost more than the file") {
  check_kind(repeated("0-", 500), 1000, kind::whole);
  check_partial(repeated("0-", 64), 1000, {{0, 999}});
  CHECK(parse_range(scattered(64), 1000).ranges.size() == 64);
  check_kind(scattered(65), 1000, kind::whole);
  check_kind(repeated("5000-", 65), 1000, kind::whole);
}

TEST_CASE("case 67: positions beyond 4 GiB and up to the last one are exact") {
  constexpr std::uint64_t huge = 5368709120;
  check_partial("bytes=4294967290-4294967300", huge, {{4294967290, 4294967300}});
  check_partial("bytes=-1", huge, {{huge - 1, huge - 1}});
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  check_partial("bytes=0-,1-", most, {{0, most - 1}});
  check_partial("bytes=18446744073709551614-18446744073709551615", most, {{most - 1, most - 1}});
  CHECK(byte_range{4294967290, 4294967300}.size() == 11);
}

TEST_CASE("Content-Range names the range and the length, or the length alone") {
  CHECK(content_range({0, 1}, 1000) == "bytes 0-1/1000");
  CHECK(content_range({4294967290, 4294967300}, 5368709120) == "bytes 4294967290-4294967300/5368709120");
  CHECK(content_range_unsatisfied(1000) == "bytes */1000");
  CHECK(content_range_unsatisfied(0) == "bytes */0");
}
