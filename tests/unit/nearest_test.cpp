// base/nearest: what is proposed for a name that is none.
#include "base/nearest.hpp"

#include "catch.hpp"

#include <string>

using namespace httpd;

namespace {

constexpr std::string_view names[] = {"settings", "listeners", "routes", "applications", "upstreams",
                                      "access_log", "max_body_size", "pass", "share", "uri", "if"};

}  // namespace

TEST_CASE("a name with a slip is the name") {
  CHECK(nearest_name("listener", names) == "listeners");    // left out
  CHECK(nearest_name("liisteners", names) == "listeners");  // added
  CHECK(nearest_name("rautes", names) == "routes");         // changed
  CHECK(nearest_name("ruotes", names) == "routes");         // swapped, one change
  CHECK(nearest_name("shaer", names) == "share");
  CHECK(nearest_name("url", names) == "uri");
  CHECK(nearest_name("maxBodySize", names) == "max_body_size");
  CHECK(nearest_name("Max-Body-Size", names) == "max_body_size");
  CHECK(nearest_name("accesslog", names) == "access_log");
}

TEST_CASE("what is far from every name gets none") {
  for (const char* given : {"", "x", "fi", "documentroot", "rts", "abc"}) {
    CAPTURE(given);
    CHECK(nearest_name(given, names) == "");
  }
  CHECK(nearest_name("routes", {}) == "");
  const std::string longest(64, 'a'), longer(65, 'a');
  const std::string_view two[] = {longer, longest};
  CHECK(nearest_name(longest.substr(1), two) == longest);
  CHECK(nearest_name(longer, two) == "");
}

TEST_CASE("of two that are as near the first is proposed and a nearer one before it") {
  constexpr std::string_view close[] = {"header", "heater", "headers"};
  CHECK(nearest_name("heaker", close) == "header");
  CHECK(nearest_name("headerss", close) == "headers");
}
