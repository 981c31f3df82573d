// "access_log": every member.
#include "unit/site_test.hpp"

using namespace httpd::config;

namespace {

constexpr std::string_view log_frame = R"({"access_log": %})";

access_log_settings access_log(std::string_view value) {
  auto site = accepted(filled(log_frame, value));
  REQUIRE(site.access_log);
  return std::move(*site.access_log);
}

}  // namespace

TEST_CASE("an access log is a path, or more") {
  for (const std::string_view value : {R"("/log")", R"({"path": "/log"})"}) {
    const auto log = access_log(value);
    CHECK(log.path == "/log");
    CHECK_FALSE(log.json);
    CHECK_FALSE(log.when);
    REQUIRE(log.format.size() == 1);
    CHECK(log.format[0].first.empty());
    CHECK(log.format[0].second.uses(variable::time_local));
    CHECK(log.format[0].second.uses(variable::body_bytes_sent));
  }
  const auto text = access_log(R"({"path": "-", "format": "$status x", "if": "$arg_a"})");
  CHECK_FALSE(text.json);
  CHECK(text.format.at(0).second.uses(variable::status));
  CHECK(text.when.has_value());
  const auto json = access_log(R"({"path": "-", "format": {"s": "$status", "c": "x"}})");
  CHECK(json.json);
  REQUIRE(json.format.size() == 2);
  CHECK(json.format[0].first == "s");
  CHECK(constant(json.format[1].second) == "x");
  const auto empty = access_log(R"({"path": "-", "format": {}})");
  CHECK(empty.json);
  CHECK(empty.format.empty());
}

TEST_CASE("an access log that is wrong is refused") {
  check_refusals(log_frame, {
      {R"("")", "The \"access_log\" value must not be empty.", "/access_log"},
      {R"("a\u0000")", "The \"access_log\" value must not contain null character.", "/access_log"},
      {"{}", "The \"path\" string must not be empty.", "/access_log"},
      {R"({"path": ""})", "The \"path\" string must not be empty.", "/access_log/path"},
      {R"({"path": 1})",
       "The \"path\" value must be a string, but not an integer number.", "/access_log/path"},
      {R"({"path": "\u0000"})", "The \"path\" value must not contain null character.", "/access_log/path"},
      {R"({"path": "a", "format": []})",
       "The \"format\" value must be either a string or an object, but not an array.",
       "/access_log/format"},
      {R"({"path": "a", "format": "$x"})",
       "Unknown variable \"x\" in the \"format\" value.", "/access_log/format"},
      {R"({"path": "a", "format": {"": "a"}})", "In the access log format, the name must not be empty.",
       "/access_log/format/"},
      {R"({"path": "a", "format": {"a": 1}})", "In the access log format, the value must be a string.",
       "/access_log/format/a"},
      {R"({"path": "a", "format": {"a": "$x"}})", "Unknown variable \"x\" in the \"a\" value.",
       "/access_log/format/a"},
      {R"({"path": "a", "if": 1})",
       "The \"if\" value must be a string, but not an integer number.", "/access_log/if"},
      {R"({"path": "a", "if": "!$x"})", "Unknown variable \"x\" in the \"if\" value.", "/access_log/if"},
      {R"({"path": "a", "fromat": "a"})", "Unknown parameter \"fromat\".", "/access_log/fromat", "format"},
  });
}
