// "routes": every member of a step and of its match.
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;

namespace {

constexpr std::string_view match_frame = R"({"routes": [{"match": {%}, "action": {"return": 200}}]})";

site with_match(std::string_view members) { return accepted(filled(match_frame, members)); }

const match& first(const site& site) { return site.routes.at(0).steps.at(0).match; }

bool passes(const std::optional<string_patterns>& patterns, std::string_view value) {
  REQUIRE(patterns);
  return patterns->matches(value) == verdict::yes;
}

}  // namespace

TEST_CASE("routes are an array, or arrays with names") {
  CHECK(accepted(R"({"routes": []})").one_route);
  const auto site = accepted(R"({"routes": {"a": [], "b": [{"action": {"return": 404}}]}})");
  CHECK_FALSE(site.one_route);
  REQUIRE(site.routes.size() == 2);
  CHECK(site.routes[0].name == "a");
  CHECK(site.routes[0].steps.empty());
  CHECK(site.routes[1].name == "b");
  CHECK(site.routes[1].steps.size() == 1);
  check_refusals("{\"routes\": %}", {
      {R"({"a": {}})", "The \"a\" value must be an array, but not an object.", "/routes/a"},
      {"[1]", "The \"routes\" array must contain only object values.", "/routes/0"},
      {R"({"a": [{"action": {"return": 1}}, null]})", "The \"routes\" array must contain only object values.",
       "/routes/a/1"},
      {"[{}]", "Required parameter \"action\" is missing.", "/routes/0"},
      {R"([{"action": 1}])", "The \"action\" value must be an object, but not an integer number.",
       "/routes/0/action"},
      {R"([{"match": [], "action": {"return": 1}}])",
       "The \"match\" value must be an object, but not an array.",
       "/routes/0/match"},
      {R"([{"action": {"return": 1}, "acton": 1}])",
       "Unknown parameter \"acton\".", "/routes/0/acton", "action"},
  });
}

TEST_CASE("a match without members sets nothing") {
  const auto site = with_match("");
  const auto& match = first(site);
  CHECK_FALSE(match.https);
  CHECK_FALSE(match.method);
  CHECK_FALSE(match.host);
  CHECK_FALSE(match.uri);
  CHECK_FALSE(match.query);
  CHECK_FALSE(match.source);
  CHECK_FALSE(match.destination);
  CHECK_FALSE(match.headers);
  CHECK_FALSE(match.cookies);
  CHECK_FALSE(match.arguments);
  CHECK_FALSE(match.when);
}

TEST_CASE("every member of a match is read") {
  const auto site = with_match(R"("method": "get", "scheme": "HTTPS", "host": ["a.*", "!a.b"], "uri": "/%2A",
    "query": "~^x", "source": "10.0.0.0/8", "destination": ["*:80", "*:81"], "if": "!$arg_a",
    "headers": {"accept": "x"}, "cookies": [{"a": "b"}, {"c": ["d"]}], "arguments": [])");
  const auto& match = first(site);
  CHECK(match.https == true);
  CHECK(passes(match.method, "GET"));
  CHECK(passes(match.host, "a.c"));
  CHECK_FALSE(passes(match.host, "a.b"));
  CHECK(passes(match.uri, "/*"));
  CHECK(passes(match.query, "xy"));
  REQUIRE(match.source);
  CHECK(match.source->matches({ip_address::parse("10.0.0.1"), 5}));
  REQUIRE(match.destination);
  CHECK(match.destination->matches({ip_address::parse("10.0.0.1"), 81}));
  REQUIRE(match.headers);
  CHECK(match.headers->size() == 1);
  REQUIRE(match.cookies);
  CHECK(match.cookies->size() == 2);
  REQUIRE(match.arguments);
  CHECK(match.arguments->empty());
  CHECK(match.when.has_value());
  const auto plain = with_match(R"("scheme": "http")");
  CHECK(first(plain).https == false);
}

TEST_CASE("members of a match have their types") {
  const std::string at = "/routes/0/match/";
  for (const std::string name : {"method", "host", "uri", "query", "source", "destination"}) {
    const auto error = refused(filled(match_frame, "\"" + name + "\": {}"));
    CHECK(error.detail ==
          "The \"" + name + "\" value must be either a string or an array, but not an object.");
    CHECK(error.pointer == at + name);
  }
  for (const std::string name : {"arguments", "headers", "cookies"}) {
    const auto error = refused(filled(match_frame, "\"" + name + "\": \"a\""));
    CHECK(error.detail ==
          "The \"" + name + "\" value must be either an array or an object, but not a string.");
    CHECK(error.pointer == at + name);
  }
  check_refusals(match_frame, {
      {R"("scheme": [])", "The \"scheme\" value must be a string, but not an array.", at + "scheme"},
      {R"("scheme": "ftp")", "The \"scheme\" can either be \"http\" or \"https\".", at + "scheme"},
      {R"("if": true)", "The \"if\" value must be a string, but not a boolean.", at + "if"},
      {R"("if": "$x")", "Unknown variable \"x\" in the \"if\" value.", at + "if"},
      {R"("uris": "/")", "Unknown parameter \"uris\".", at + "uris", "uri"},
  });
}

TEST_CASE("patterns that are wrong are refused") {
  const std::string at = "/routes/0/match/";
  check_refusals(match_frame, {
      {R"("method": [1])", "The \"match\" pattern for \"method\" must be strings.", at + "method/0"},
      {R"("host": ["a", null])", "The \"match\" pattern for \"host\" must be strings.", at + "host/1"},
      {R"("uri": [true])", "The \"match\" pattern for \"uri\" must be a string.", at + "uri/0"},
      {R"("query": [{}])", "The \"match\" pattern for \"query\" must be a string.", at + "query/0"},
      {R"("source": [1])", "The \"match\" pattern for \"address\" must be a string.", at + "source/0"},
      {R"("uri": "/**")", "The \"match\" pattern must not contain double \"*\" markers.", at + "uri"},
      {R"("host": ["a**"])", "The \"match\" pattern must not contain double \"*\" markers.", at + "host/0"},
      {R"("uri": "/%zz")", "The \"match\" pattern for \"uri\" is encoded but is invalid.", at + "uri"},
      {R"("query": "%2")", "The \"match\" pattern for \"query\" is encoded but is invalid.", at + "query"},
      {R"("uri": "~(")", "Invalid regular expression: missing closing parenthesis", at + "uri"},
      {R"("source": "")", "The \"address\" is too short.", at + "source"},
      {R"("source": "10.0.0.1:0-99999")", "The \"address\" port an invalid port.", at + "source"},
      {R"("source": "10.0.0.9-10.0.0.1")", "The \"address\" range is overlapping.", at + "source"},
      {R"("destination": "10.0.0.0/64")", "The \"address\" has an invalid CIDR prefix.", at + "destination"},
      {R"("headers": [1])", "The \"match\" patterns for \"headers\" must be objects.", at + "headers/0"},
      {R"("cookies": [{}, []])", "The \"match\" patterns for \"cookies\" must be objects.", at + "cookies/1"},
      {R"("arguments": ["a"])",
       "The \"match\" pattern for \"arguments\" must be an object.", at + "arguments/0"},
      {R"("headers": {"": "a"})", "The \"match\" pattern objects must not contain empty member names.",
       at + "headers/"},
      {R"("arguments": {"%z": "a"})", "The \"match\" pattern for \"arguments\" is encoded but is invalid.",
       at + "arguments/%z"},
      {R"("headers": {"a": 1})", "The \"match\" pattern for \"headers\" must be strings.", at + "headers/a"},
      {R"("cookies": [{"a": ["b", 2]}])", "The \"match\" pattern for \"cookies\" must be strings.",
       at + "cookies/0/a/1"},
      {R"("arguments": {"a": 1})",
       "The \"match\" pattern for \"arguments\" must be a string.", at + "arguments/a"},
  });
  const auto bad = refused(filled(match_frame, R"("uri": "~a(b")"));
  CHECK(bad.detail.starts_with("Invalid regular expression: "));
}
