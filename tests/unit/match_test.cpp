// config/match: each member of a match, and how they add up.
#include "config/match.hpp"

#include "catch.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace httpd;
using namespace httpd::config;

namespace {

using texts = std::vector<std::string>;

string_patterns patterns(pattern_kind kind, const texts& list) {
  string_patterns result{kind};
  std::string error;
  for (const auto& text : list) REQUIRE(result.add(text, error));
  return result;
}

address_patterns addresses(const texts& list) {
  address_patterns result;
  std::string error;
  for (const auto& text : list) REQUIRE(result.add(text, error));
  return result;
}

using object = std::vector<std::pair<std::string, texts>>;

std::vector<name_patterns> objects(pattern_kind kind, const std::vector<object>& list) {
  std::vector<name_patterns> result;
  std::string error;
  for (const auto& members : list) {
    name_patterns next{kind};
    for (const auto& [name, values] : members) {
      auto* member = next.add(name, error);
      REQUIRE(member);
      for (const auto& value : values) REQUIRE(member->add(value, error));
    }
    result.push_back(std::move(next));
  }
  return result;
}

// Only $arg_NAME, from the query.
class variables : public variable_source {
public:
  explicit variables(const request_facts& facts) : facts_{facts} {}
  bool append(variable what, std::string_view name, std::string& out) const override {
    return what == variable::arg && append_argument(facts_.query, name, out);
  }

private:
  const request_facts& facts_;
};

verdict tested(const match& rule, const request_facts& facts) { return rule.test(facts, variables{facts}); }
bool fires(const match& rule, const request_facts& facts) { return tested(rule, facts) == verdict::yes; }

bool with_query(const match& rule, std::string_view query) {
  request_facts facts;
  facts.query = query;
  return fires(rule, facts);
}

bool with_headers(const match& rule, const std::vector<field>& headers) {
  request_facts facts;
  facts.headers = headers;
  return fires(rule, facts);
}

match arguments(const std::vector<object>& list) {
  match rule;
  rule.arguments = objects(pattern_kind::argument, list);
  return rule;
}
match headers(const std::vector<object>& list) {
  match rule;
  rule.headers = objects(pattern_kind::header, list);
  return rule;
}
match cookies(const std::vector<object>& list) {
  match rule;
  rule.cookies = objects(pattern_kind::cookie, list);
  return rule;
}

request_facts request() {
  request_facts facts;
  facts.host = "example.com";
  facts.method = "GET";
  facts.path = "/a/b.php";
  facts.query = "x=1&y=2";
  facts.source = {ip_address::parse("192.0.2.1"), 5000};
  facts.destination = {ip_address::parse("192.0.2.200"), 80};
  return facts;
}

}  // namespace

TEST_CASE("a match without members fires for every request") {
  CHECK(fires({}, {}));
  CHECK(fires({}, request()));
  CHECK_FALSE(match{}.wants_destination());
}

TEST_CASE("host, method and uri are compared whole") {
  match rule;
  rule.host = patterns(pattern_kind::host, {"*.example.com", "Example.com"});
  CHECK(fires(rule, request()));
  rule.method = patterns(pattern_kind::method, {"get", "HEAD"});
  CHECK(fires(rule, request()));
  rule.uri = patterns(pattern_kind::uri, {"*.php", "*.php/*"});
  CHECK(fires(rule, request()));
  auto other = request();
  other.path = "/a/b.html";
  CHECK_FALSE(fires(rule, other));
  other = request();
  other.method = "POST";
  CHECK_FALSE(fires(rule, other));
  other = request();
  other.host = "";
  CHECK_FALSE(fires(rule, other));
  match none;
  none.host = patterns(pattern_kind::host, {""});
  CHECK(fires(none, other));
}

TEST_CASE("a query is compared decoded and whole") {
  match rule;
  rule.query = patterns(pattern_kind::query, {"q=a b*"});
  CHECK(with_query(rule, "q=a+b"));
  CHECK(with_query(rule, "q=a%20bc&x"));
  CHECK_FALSE(with_query(rule, "q=a"));
  rule.query = patterns(pattern_kind::query, {""});
  CHECK(with_query(rule, ""));
  CHECK_FALSE(with_query(rule, "a"));
  rule.query = patterns(pattern_kind::query, {"~^a=100%$"});
  CHECK(with_query(rule, "a=100%25"));
  CHECK(with_query(rule, "a=100%"));
}

TEST_CASE("the scheme is http or https") {
  match rule;
  auto facts = request();
  rule.https = true;
  CHECK_FALSE(fires(rule, facts));
  facts.https = true;
  CHECK(fires(rule, facts));
  rule.https = false;
  CHECK_FALSE(fires(rule, facts));
  std::string error;
  CHECK(parse_scheme("HTTPS", error) == true);
  CHECK(parse_scheme("http", error) == false);
  CHECK(error.empty());
  for (const char* text : {"", "ftp", "http:", "https "}) {
    error.clear();
    CHECK_FALSE(parse_scheme(text, error));
    CHECK(error == "The \"scheme\" can either be \"http\" or \"https\".");
  }
}

TEST_CASE("source and destination are the two ends of the connection") {
  match rule;
  rule.source = addresses({"192.0.2.0/24", "!192.0.2.9"});
  CHECK(fires(rule, request()));
  CHECK_FALSE(rule.wants_destination());
  rule.destination = addresses({"*:80"});
  CHECK(rule.wants_destination());
  CHECK(fires(rule, request()));
  auto other = request();
  other.destination.port = 81;
  CHECK_FALSE(fires(rule, other));
  other = request();
  other.source = {};
  CHECK_FALSE(fires(rule, other));
  rule.source = addresses({"unix"});
  CHECK(fires(rule, other));
  rule.destination = addresses({"!unix"});
  other.destination = {};
  CHECK_FALSE(fires(rule, other));
}

TEST_CASE("every occurrence of an argument must match, and there must be one") {
  const auto rule = arguments({{{"a", {"1*", "!12"}}}});
  CHECK(with_query(rule, "a=1"));
  CHECK(with_query(rule, "b=2&a=1&a=13"));
  CHECK_FALSE(with_query(rule, "a=1&a=2"));
  CHECK_FALSE(with_query(rule, "a=2&a=1"));
  CHECK_FALSE(with_query(rule, "a=12"));
  CHECK_FALSE(with_query(rule, ""));
  CHECK_FALSE(with_query(rule, "A=1"));
  const auto negated = arguments({{{"a", {"!1"}}}});
  CHECK(with_query(negated, "a=2"));
  CHECK(with_query(negated, "a"));
  CHECK_FALSE(with_query(negated, "b=2"));
}

TEST_CASE("arguments are compared decoded, and their names and patterns may be encoded") {
  CHECK(with_query(arguments({{{"a b", {"c d"}}}}), "a+b=c%20d"));
  CHECK(with_query(arguments({{{"a+b", {"c+d"}}}}), "%61+b=c+d"));
  CHECK(with_query(arguments({{{"%2A", {"%2A"}}}}), "*=*"));
  CHECK_FALSE(with_query(arguments({{{"%2A", {"%2A"}}}}), "*=x"));
  CHECK(with_query(arguments({{{"a%3Db", {"1"}}}}), "a%3db=1"));
  CHECK_FALSE(with_query(arguments({{{"a%3Db", {"1"}}}}), "a=b=1"));
  CHECK(with_query(arguments({{{"a", {"~^\\d+%$"}}}}), "a=12%25"));
}

TEST_CASE("headers have names and values of any case") {
  const auto rule = headers({{{"x-Mode", {"Fast*"}}}});
  CHECK(with_headers(rule, {{"X-MODE", "faster"}}));
  CHECK(with_headers(rule, {{"Host", "h"}, {"X-Mode", "FAST"}, {"x-mode", "fast"}}));
  CHECK_FALSE(with_headers(rule, {{"X-Mode", "fast"}, {"X-Mode", "slow"}}));
  CHECK_FALSE(with_headers(rule, {{"X_Mode", "fast"}}));
  CHECK_FALSE(with_headers(rule, {}));
  CHECK_FALSE(with_headers(headers({{{"X", {"!a"}}}}), {}));
  CHECK(with_headers(headers({{{"X", {""}}}}), {{"X", ""}}));
}

TEST_CASE("cookies have names and values as written") {
  const auto rule = cookies({{{"user", {"a*"}}}});
  CHECK(with_headers(rule, {{"Cookie", "x=1; user=abc"}}));
  CHECK(with_headers(rule, {{"Cookie", "user=a"}, {"Cookie", "user=ab"}}));
  CHECK_FALSE(with_headers(rule, {{"Cookie", "user=a"}, {"Cookie", "user=b"}}));
  CHECK_FALSE(with_headers(rule, {{"Cookie", "User=a"}}));
  CHECK_FALSE(with_headers(rule, {{"Cookie", "user=A"}}));
  CHECK_FALSE(with_headers(rule, {{"user", "a"}}));
  CHECK(with_headers(cookies({{{"a", {"%20+"}}}}), {{"Cookie", "a=%20+"}}));
}

TEST_CASE("the members of an object are all wanted, and of an array one object") {
  const object both{{"a", {"1"}}, {"b", {"2"}}};
  CHECK(with_query(arguments({both}), "a=1&b=2"));
  CHECK_FALSE(with_query(arguments({both}), "a=1"));
  CHECK_FALSE(with_query(arguments({both}), "a=1&b=3"));
  const auto either = arguments({both, {{"c", {"3"}}}});
  CHECK(with_query(either, "c=3"));
  CHECK(with_query(either, "a=1&b=2"));
  CHECK_FALSE(with_query(either, "a=1&c=4"));
  CHECK(with_query(arguments({}), ""));     // no object at all
  CHECK(with_query(arguments({{}}), ""));   // an object without members
  CHECK(with_headers(headers({{{"A", {"1"}}}, {{"B", {"2"}}}}), {{"B", "2"}}));
  CHECK(with_headers(cookies({{{"A", {"1"}}}, {{"B", {"2"}}}}), {{"Cookie", "B=2"}}));
}

TEST_CASE("an if is one more member") {
  std::string error;
  match rule;
  rule.when = condition::parse("$arg_debug", "if", error);
  REQUIRE(rule.when);
  CHECK(with_query(rule, "debug=1"));
  CHECK_FALSE(with_query(rule, "debug=0"));
  CHECK_FALSE(with_query(rule, ""));
  rule.uri = patterns(pattern_kind::uri, {"/x"});
  CHECK_FALSE(with_query(rule, "debug=1"));
}

TEST_CASE("names that cannot be are refused in Unit's words") {
  std::string error;
  for (const auto kind : {pattern_kind::argument, pattern_kind::header, pattern_kind::cookie}) {
    CHECK_FALSE(name_patterns{kind}.add("", error));
    CHECK(error == "The \"match\" pattern objects must not contain empty member names.");
  }
  CHECK_FALSE(name_patterns{pattern_kind::argument}.add("a%", error));
  CHECK(error == "The \"match\" pattern for \"arguments\" is encoded but is invalid.");
  CHECK(name_patterns{pattern_kind::header}.add("a%", error));
}

// Whatever else the match wants: a request that nobody can judge is neither in nor out.
TEST_CASE("a value that a regular expression gives up is told by every member") {
  const std::string bad = std::string(4000, 'a') + "!";
  const std::string query = "a=" + bad;
  const std::string cookie = "a=" + bad;
  const std::vector<field> fields{{"X", bad}, {"Cookie", cookie}};
  request_facts facts;
  facts.host = facts.method = facts.path = bad;
  facts.query = query;
  facts.headers = fields;
  const texts slow{"~^(a=)?(a+)+$"};
  for (const auto& list : {slow, texts{"!" + slow[0]}}) {
    match host, method, uri, in_query;
    host.host = patterns(pattern_kind::host, list);
    method.method = patterns(pattern_kind::method, list);
    uri.uri = patterns(pattern_kind::uri, list);
    in_query.query = patterns(pattern_kind::query, list);
    for (const auto* rule : {&host, &method, &uri, &in_query})
      CHECK(tested(*rule, facts) == verdict::undecided);
    CHECK(tested(arguments({{{"a", list}}}), facts) == verdict::undecided);
    CHECK(tested(arguments({{{"a", list}}, {{"a", {"*"}}}}), facts) == verdict::undecided);
    CHECK(tested(headers({{{"x", list}}}), facts) == verdict::undecided);
    CHECK(tested(cookies({{{"a", list}}}), facts) == verdict::undecided);
  }
  match no;
  no.method = patterns(pattern_kind::method, {"POST"});
  no.uri = patterns(pattern_kind::uri, slow);
  CHECK(tested(no, facts) == verdict::no);  // another member knows
}
