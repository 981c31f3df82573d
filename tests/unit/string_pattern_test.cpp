// config/string_pattern and config/regex: Unit's pattern language, its errors, and the limits of a search.
#include "config/string_pattern.hpp"

#include "catch.hpp"

#include <string>
#include <thread>
#include <vector>

using namespace httpd::config;
using namespace std::string_view_literals;

namespace {

string_pattern read(std::string_view text, pattern_kind kind) {
  std::string error;
  auto pattern = string_pattern::parse(text, kind, error);
  INFO(text << ": " << error);
  REQUIRE(pattern);
  return *pattern;
}

std::string fault(std::string_view text, pattern_kind kind = pattern_kind::uri) {
  std::string error;
  const auto pattern = string_pattern::parse(text, kind, error);
  CHECK(pattern.has_value() == error.empty());
  return error;
}

bool matches(std::string_view text, std::string_view value, pattern_kind kind = pattern_kind::uri) {
  const auto found = read(text, kind).matches(value);
  CHECK(found != verdict::undecided);
  return found == verdict::yes;
}

string_patterns list(const std::vector<std::string>& texts, pattern_kind kind = pattern_kind::uri) {
  string_patterns result{kind};
  std::string error;
  for (const auto& text : texts) REQUIRE(result.add(text, error));
  return result;
}

struct row {
  std::string_view pattern, value;
  bool matches;
};

}  // namespace

TEST_CASE("a pattern matches the whole value, with any run for a star") {
  for (const row& r : std::vector<row>{
           {"/a", "/a", true}, {"/a", "/A", false}, {"/a", "/ab", false}, {"/a", "x/a", false},
           {"/a", "", false},
           {"", "", true}, {"", "/", false}, {"*", "", true}, {"*", "/anything", true},
           {"/a*", "/a", true}, {"/a*", "/ab/c", true}, {"/a*", "/", false}, {"/a*", "x/a", false},
           {"*.php", ".php", true}, {"*.php", "/a.php", true}, {"*.php", "/a.php/", false},
           {"*.php", "/a.PHP", false}, {"*.php/*", "/a.php/b", true}, {"*.php/*", "/a.php/", true},
           {"*.php/*", "/a.php", false}, {"*a*", "a", true}, {"*a*", "bab", true}, {"*a*", "b", false},
           {"a*a", "a", false}, {"a*a", "aa", true}, {"a*a", "aba", true}, {"ab*ba", "aba", false},
           {"a*b*c", "abc", true}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "ac", false},
           {"a*b*c", "acb", false},
           {"*b*c*", "bc", true}, {"*b*c*", "cb", false}, {"*b*b*", "b", false}, {"*b*b*", "xbxbx", true},
           {"a*bc*bc", "abcbc", true}, {"a*bc*bc", "abc", false}, {"a*bc*bc", "abcbcx", false},
           {"*ab*b", "ab", false}, {"*ab*b", "aab", false}, {"*ab*b", "aabb", true},
           {"/*/x/*/y", "/1/x/2/y", true}, {"/*/x/*/y", "/1/x/y", false}, {"?", "?", true}, {"?", "a", false},
           {"[a]", "[a]", true}, {"a.c", "abc", false}}) {
    CAPTURE(r.pattern, r.value);
    CHECK(matches(r.pattern, r.value) == r.matches);
  }
}

TEST_CASE("bytes of any value take part in a pattern") {
  CHECK(matches("/\xc3\xa9*", "/\xc3\xa9t\xc3\xa9"));
  CHECK(matches("a\0*"sv, "a\0b"sv));
  CHECK_FALSE(matches("a\0*"sv, "ab"sv));
  CHECK(matches("~^a\\x00b$", "a\0b"sv));
  CHECK(matches("~\xff", "\xfe\xff"));
}

TEST_CASE("an exclamation mark negates and is left to the caller") {
  CHECK(read("!/a", pattern_kind::uri).is_negated());
  CHECK(matches("!/a", "/a"));
  CHECK_FALSE(read("/a!", pattern_kind::uri).is_negated());
  CHECK(read("!~a", pattern_kind::uri).is_negated());
  CHECK(matches("!~a", "bab"));
  CHECK(matches("!!a", "!a"));  // only the first one
  CHECK(matches("!", ""));
  CHECK_FALSE(matches("!", "x"));
  CHECK_FALSE(read("", pattern_kind::uri).is_negated());
}

TEST_CASE("a regular expression is found anywhere unless it anchors itself") {
  CHECK(matches("~b", "abc"));
  CHECK_FALSE(matches("~^b", "abc"));
  CHECK(matches("~^/(a|b)/\\d+$", "/b/123"));
  CHECK_FALSE(matches("~^/(a|b)/\\d+$", "/c/123"));
  CHECK(matches("~", ""));
  CHECK(matches("~", "x"));
  CHECK(matches("~^$", ""));
  CHECK(matches("~^$", {}));  // a view of nothing
  CHECK(matches("~(.)\\1", "abb"));
  CHECK(matches("~**"sv.substr(0, 1), "a"));
  CHECK(matches("~a**"sv.substr(0, 3), ""));
  CHECK(matches("~%2A", "%2A"));  // not decoded
  CHECK_FALSE(matches("~%2A", "*"));
}

TEST_CASE("host, method, header and type patterns ignore case") {
  // A host is compared in lower case.
  CHECK(matches("Example.COM", "example.com", pattern_kind::host));
  CHECK(matches("*.Example.COM", "www.example.com", pattern_kind::host));
  CHECK(matches("www.*", "www.example.com", pattern_kind::host));
  CHECK_FALSE(matches("*.example.com", "example.com", pattern_kind::host));
  CHECK(matches("get", "GET", pattern_kind::method));
  CHECK(matches("P*T", "post", pattern_kind::method));
  CHECK(matches("bearer *", "Bearer abc", pattern_kind::header));
  CHECK(matches("*MOZILLA*(x11*", "x Mozilla/5.0 (X11; ...", pattern_kind::header));
  CHECK_FALSE(matches("*MOZILLA*(x11*", "x (X11 Mozilla", pattern_kind::header));
  CHECK(matches("Image/*", "image/PNG", pattern_kind::type));
  for (const auto kind :
       {pattern_kind::uri, pattern_kind::query, pattern_kind::argument, pattern_kind::cookie})
    CHECK_FALSE(matches("a*", "A", kind));
}

TEST_CASE("a regular expression minds the case where values keep theirs") {
  CHECK(matches("~^Example\\.com$", "example.com", pattern_kind::host));
  CHECK(matches("~^(get|head)$", "GET", pattern_kind::method));
  CHECK_FALSE(matches("~^bearer", "Bearer x", pattern_kind::header));
  CHECK(matches("~(?i)^bearer", "Bearer x", pattern_kind::header));
  CHECK_FALSE(matches("~^image", "Image/png", pattern_kind::type));
}

TEST_CASE("uri, query and argument patterns may be percent-encoded") {
  CHECK(matches("/%2A", "/*"));
  CHECK_FALSE(matches("/%2A", "/x"));
  CHECK(matches("%21a", "!a"));
  CHECK_FALSE(read("%21a", pattern_kind::uri).is_negated());
  CHECK(matches("%7Ea", "~a"));
  CHECK(matches("/%c3%A9*%2a", "/\xc3\xa9t\xc3\xa9*"));
  CHECK(matches("/%2A%2A", "/**"));  // no double star
  CHECK(matches("/a+b", "/a+b"));
  CHECK(matches("a+b", "a b", pattern_kind::query));
  CHECK(matches("a%2Bb", "a+b", pattern_kind::query));
  CHECK(matches("a+*", "a bc", pattern_kind::argument));
  CHECK(matches("%25", "%", pattern_kind::argument));
  for (const auto kind : {pattern_kind::host, pattern_kind::header, pattern_kind::cookie}) {
    CHECK(matches("%2a", "%2a", kind));
    CHECK(matches("a+b", "a+b", kind));
    CHECK(matches("100%", "100%", kind));
  }
}

TEST_CASE("patterns that cannot be are refused in Unit's words") {
  constexpr auto stars = "The \"match\" pattern must not contain double \"*\" markers.";
  for (const char* text : {"**", "a**", "**a", "a**b", "!**", "***", "a*b**"}) CHECK(fault(text) == stars);
  for (const auto kind : {pattern_kind::host, pattern_kind::method, pattern_kind::header, pattern_kind::type})
    CHECK(fault("a**", kind) == stars);
  for (const char* text : {"%", "a%", "%2", "%2g", "%g2", "%%41", "%4*1", "!%", "*%", "a*%z*"}) {
    CHECK(fault(text) == "The \"match\" pattern for \"uri\" is encoded but is invalid.");
    CHECK(fault(text, pattern_kind::query) ==
          "The \"match\" pattern for \"query\" is encoded but is invalid.");
    CHECK(fault(text, pattern_kind::argument) ==
          "The \"match\" pattern for \"arguments\" is encoded but is invalid.");
  }
  CHECK(fault("~a[") == "Invalid regular expression: missing terminating ] for character class");
  CHECK(fault("~a)b") == "Invalid regular expression: unmatched closing parenthesis at offset 1");
  CHECK(fault("!~a)b") == "Invalid regular expression: unmatched closing parenthesis at offset 1");
  CHECK(fault("~*a").starts_with("Invalid regular expression: quantifier does not follow a repeatable item"));
  CHECK(fault("~(") == "Invalid regular expression: missing closing parenthesis");
}

TEST_CASE("a list passes what one positive and no negated pattern matches") {
  const auto passes = [](const std::vector<std::string>& texts, std::string_view value) {
    return list(texts).matches(value) == verdict::yes;
  };
  CHECK(passes({}, "/a"));
  CHECK(passes({"/a", "/b"}, "/b"));
  CHECK_FALSE(passes({"/a", "/b"}, "/c"));
  CHECK(passes({"!/a", "!/b"}, "/c"));
  CHECK_FALSE(passes({"!/a", "!/b"}, "/b"));
  for (const auto& both : {std::vector<std::string>{"/a*", "!/ab*"}, {"!/ab*", "/a*"}}) {
    CHECK(passes(both, "/ac"));
    CHECK_FALSE(passes(both, "/abc"));
    CHECK_FALSE(passes(both, "/c"));
  }
  CHECK_FALSE(passes({"~^/a", "!~\\.php$", "/x"}, "/a.php"));
  CHECK(passes({"~^/a", "!~\\.php$", "/x"}, "/x"));
  CHECK(passes({"!"}, "x"));
  CHECK_FALSE(passes({"!"}, ""));
}

TEST_CASE("a list keeps what it has when a pattern is refused") {
  auto patterns = list({"/a"});
  std::string error;
  CHECK_FALSE(patterns.add("**", error));
  CHECK(error == "The \"match\" pattern must not contain double \"*\" markers.");
  CHECK(patterns.matches("/a") == verdict::yes);
  CHECK(patterns.matches("/b") == verdict::no);
}

// Each takes hours without a limit. A hang shows as CTest's own time-out.
TEST_CASE("a regular expression that would take for ever is given up, and the list says so") {
  const std::string value = std::string(4000, 'a') + "!";
  for (const char* text : {"~^(a+)+$", "~^(a|a)*$", "~^(a|aa)+$", "~(a+)+[0-9]", "~^(?:(?:a+)+)+$",
                           "~(*NO_JIT)^(a+)+$", "~(*NO_JIT)(a|a)+$"}) {
    CAPTURE(text);
    CHECK(read(text, pattern_kind::uri).matches(value) == verdict::undecided);
    CHECK(list({text}).matches(value) == verdict::undecided);
    CHECK(list({"!" + std::string{text} + "z?"}).matches(value) == verdict::undecided);
    CHECK(list({"/no", text}).matches(value) == verdict::undecided);
  }
  CHECK(list({"!*!", "~^(a+)+$"}).matches(value) == verdict::no);  // another pattern knows
  CHECK(list({"*!", "~^(a+)+$"}).matches(value) == verdict::yes);
  CHECK(list({"~^(a+)+$"}).matches(std::string(4000, 'a')) == verdict::yes);  // nothing is left behind
}

// No single place where a match could begin takes many steps here; together they are billions.
TEST_CASE("a regular expression that is slow everywhere is given up") {
  const std::string value(64000, 'a');
  for (const char* text : {"~(?:a|b)+[0-9]", "~(*NO_JIT)[a-z]+[0-9]", "~(*NO_JIT)(?:a|b)+[0-9]"}) {
    CAPTURE(text);
    CHECK(read(text, pattern_kind::uri).matches(value) == verdict::undecided);
  }
}

TEST_CASE("a match is found wherever it begins in a long value") {
  for (const char* text : {"~x(?:y|z)", "~(*NO_JIT)x(?:y|z)", "~(?<=,)x[yz]$|^x[yz]", "~\\bx[yz]\\b"}) {
    const auto pattern = read(text, pattern_kind::header);
    CAPTURE(text);
    for (std::size_t at = 0; at < 300; ++at) {
      const auto value = std::string(at, ',') + "xz";
      CHECK(pattern.matches(value) == verdict::yes);
      CHECK(pattern.matches(value.substr(0, at + 1)) == verdict::no);
    }
  }
}

TEST_CASE("an expression may ask for UTF-8") {
  std::string value = "x";
  for (int i = 0; i < 200; ++i) value += "\xc3\xa9";  // no stretch ends with a character
  const auto pattern = read("~(*UTF)\\x{e9}.$", pattern_kind::uri);
  CHECK(pattern.matches(value) == verdict::yes);
  CHECK(pattern.matches(value + "\xc3\xa8") == verdict::yes);
  CHECK(pattern.matches(value + "xx") == verdict::no);
  CHECK(pattern.matches("\xc3") == verdict::undecided);
}

TEST_CASE("a regular expression that is only deep is not given up") {
  std::string path;
  for (int i = 0; i < 8000; ++i) path += "/ab";
  CHECK(matches("~^(?:/[^/]+)*$", path));
  CHECK(matches("~^(/(a|b)+)*$", path));
  CHECK_FALSE(matches("~^(?:/[^/]+)*x$", path));
  CHECK(matches("~b/ab$", path));
  CHECK_FALSE(matches("~\\.(php|phtml)(/|$)", path));
}

TEST_CASE("threads share a pattern") {
  const auto shared = list({"~^/(\\w+)/(\\d+)$", "!~^/no/"});
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&shared, &count = wrong[t]] {
      for (int i = 0; i < 2000; ++i) {
        const auto number = std::to_string(i);
        count += shared.matches("/yes/" + number) != verdict::yes;
        count += shared.matches("/no/" + number) != verdict::no;
        count += shared.matches("/yes/" + number + "x") != verdict::no;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4));
}
