// Sizes and durations as a user writes them.
#include "catch.hpp"

#include "config/units.hpp"

#include <string>

using namespace httpd::config;
using namespace std::chrono_literals;

TEST_CASE("a size is a number with a power of 1024") {
  CHECK(parse_size("0") == 0u);
  CHECK(parse_size("1048576") == 1048576u);
  CHECK(parse_size("8M") == 8u << 20);
  CHECK(parse_size("512k") == 512u << 10);
  CHECK(parse_size("1g") == 1u << 30);
  CHECK(parse_size("8MiB") == 8u << 20);
  CHECK(parse_size("8mb") == 8u << 20);
  CHECK(parse_size("7B") == 7u);
  CHECK(parse_size("18446744073709551615") == UINT64_MAX);
  CHECK(parse_size("16777215T") == 16777215ull << 40);
}

TEST_CASE("what is no size is refused") {
  for (const std::string text : {"", "M", "-1", "+1", "1.5M", "8 M", " 8M", "8M ", "8X", "8Mi", "8MM", "8ib",
                                 "0x10", "18446744073709551616", "16777216T", "18446744073709551615k"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_size(text));
  }
}

TEST_CASE("a duration is a number with a unit, seconds without") {
  CHECK(parse_duration("500ms") == 500ms);
  CHECK(parse_duration("10s") == 10s);
  CHECK(parse_duration("10") == 10s);
  CHECK(parse_duration("2m") == 2min);
  CHECK(parse_duration("1H") == 1h);
  CHECK(parse_duration("576h") == 576h);
  CHECK(parse_duration("2073600000ms") == 576h);
}

TEST_CASE("what is no positive duration of at most 24 days is refused") {
  for (const std::string text : {"", "s", "0", "0ms", "-1s", "1.5s", "1 s", "1d", "1sec", "577h",
                                 "2073600001ms", "99999999999999999999s", "18446744073709551615h"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text));
  }
}
