// The ladder of RFC 9110 13.2.2 and If-Range.
#include "catch.hpp"

#include "http/conditional.hpp"
#include "http/request_head.hpp"

#include <initializer_list>

using namespace httpd::http;

namespace {

constexpr std::time_t modified = 784111777;
constexpr std::string_view before = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view same = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view after = "Sun, 06 Nov 1994 08:49:38 GMT";
constexpr validators current{"\"a,b\"", modified};

request_head head_of(std::initializer_list<field> fields) {
  request_head head;
  head.fields = fields;
  return head;
}

precondition get(std::initializer_list<field> fields) { return evaluate(head_of(fields), true, current); }
precondition put(std::initializer_list<field> fields) { return evaluate(head_of(fields), false, current); }
bool if_range(std::initializer_list<field> fields) { return if_range_allows(head_of(fields), current); }

constexpr auto proceed = precondition::proceed;
constexpr auto not_modified = precondition::not_modified;
constexpr auto failed = precondition::failed;

}  // namespace

TEST_CASE("without conditions a request proceeds") {
  CHECK(get({}) == proceed);
  CHECK(get({{"Accept", "*"}, {"If", "\"x\""}, {"X-If-Match", "\"x\""}}) == proceed);
}

TEST_CASE("If-Match compares strongly and fails with 412 for every method") {
  CHECK(get({{"If-Match", "\"a,b\""}}) == proceed);
  CHECK(put({{"if-match", "\"a,b\""}}) == proceed);
  CHECK(get({{"If-Match", "*"}}) == proceed);
  CHECK(get({{"If-Match", "\"x\", \"a,b\""}}) == proceed);
  CHECK(get({{"If-Match", "\"x\""}, {"If-Match", "\"a,b\""}}) == proceed);
  CHECK(get({{"If-Match", "W/\"a,b\", \"a,b\""}}) == proceed);
  CHECK(get({{"If-Match", "W/\"a,b\""}}) == failed);
  CHECK(put({{"If-Match", "W/\"a,b\""}}) == failed);
  CHECK(get({{"If-Match", "\"x\""}}) == failed);
  CHECK(get({{"If-Match", "\"a\", \"b\""}}) == failed);
  CHECK(get({{"If-Match", "\"A,B\""}}) == failed);
  CHECK(get({{"If-Match", "\"\""}}) == failed);
  CHECK(get({{"If-Match", ""}}) == failed);
}

TEST_CASE("If-None-Match compares weakly: 304 for GET and HEAD, 412 for the rest") {
  for (const auto* value :
       {"\"a,b\"", "W/\"a,b\"", "*", " * ", "\"x\",\"a,b\"", "\"x\" , W/\"a,b\" , \"y\"",
        ",,\"a,b\",", "\t\"a,b\""}) {
    INFO(value);
    CHECK(get({{"If-None-Match", value}}) == not_modified);
    CHECK(put({{"If-None-Match", value}}) == failed);
  }
  CHECK(get({{"If-None-Match", "\"x\""}, {"If-None-Match", "\"a,b\""}}) == not_modified);
  for (const auto* value : {"\"x\"", "\"a\",\"b\"", "W/\"x\"", "", ",", "\"a,b-gz\"", "\"\""}) {
    INFO(value);
    CHECK(get({{"If-None-Match", value}}) == proceed);
    CHECK(put({{"If-None-Match", value}}) == proceed);
  }
}

TEST_CASE("a list of tags that does not parse matches nothing") {
  for (const auto* value :
       {"a,b", "\"a,b", "a,b\"", "\"a,b\" \"x\"", "\"a,b\"\"x\"", "\"a,b\", x", "x, \"a,b\"", "w/\"a,b\"",
        "W/ \"a,b\"", "W/", "W/*", "*, \"a,b\"", "\"a,b\", *", "**", "\"a,b\";x", "\"a b\", \"a,b\"",
        "\"a,b\", \"\x01\"", "\"a,b\", \"\x7f\""}) {
    INFO(value);
    CHECK(get({{"If-Match", value}}) == failed);
    CHECK(get({{"If-None-Match", value}}) == proceed);
  }
  CHECK(get({{"If-None-Match", "\"a,b\""}, {"If-None-Match", "\"broken"}}) == proceed);
  CHECK(get({{"If-None-Match", "*"}, {"If-None-Match", "\"a,b\""}}) == proceed);
  CHECK(get({{"If-None-Match", "\"\xe4\", \"a,b\""}}) == not_modified);
}

TEST_CASE("If-Modified-Since gives 304 to GET and HEAD when nothing is newer") {
  CHECK(get({{"If-Modified-Since", before}}) == proceed);
  CHECK(get({{"If-Modified-Since", same}}) == not_modified);
  CHECK(get({{"If-Modified-Since", after}}) == not_modified);
  CHECK(get({{"If-Modified-Since", "Sunday, 06-Nov-94 08:49:37 GMT"}}) == not_modified);
  CHECK(get({{"If-Modified-Since", "Sun Nov  6 08:49:37 1994"}}) == not_modified);
  CHECK(put({{"If-Modified-Since", same}}) == proceed);
}

TEST_CASE("If-Unmodified-Since fails every method when the file is newer") {
  CHECK(get({{"If-Unmodified-Since", before}}) == failed);
  CHECK(put({{"If-Unmodified-Since", before}}) == failed);
  CHECK(get({{"If-Unmodified-Since", same}}) == proceed);
  CHECK(put({{"If-Unmodified-Since", after}}) == proceed);
}

TEST_CASE("dates that do not parse, and several of them, are ignored") {
  for (const auto* value : {"", "yesterday", "0", "Sun, 06 Nov 1994 08:49:36",
                            "Sun, 31 Feb 1994 08:49:36 GMT"}) {
    INFO(value);
    CHECK(get({{"If-Unmodified-Since", value}}) == proceed);
    CHECK(get({{"If-Modified-Since", value}}) == proceed);
  }
  CHECK(get({{"If-Modified-Since", same}, {"If-Modified-Since", same}}) == proceed);
  CHECK(get({{"If-Unmodified-Since", before}, {"If-Unmodified-Since", before}}) == proceed);
}

TEST_CASE("a tag field outranks its date field, and matching comes before modification") {
  CHECK(get({{"If-Match", "\"a,b\""}, {"If-Unmodified-Since", before}}) == proceed);
  CHECK(get({{"If-Match", "\"x\""}, {"If-Unmodified-Since", after}}) == failed);
  CHECK(get({{"If-Modified-Since", after}, {"If-None-Match", "\"x\""}}) == proceed);
  CHECK(get({{"If-Modified-Since", after}, {"If-None-Match", "broken"}}) == proceed);
  CHECK(get({{"If-Modified-Since", before}, {"If-None-Match", "\"a,b\""}}) == not_modified);
  CHECK(get({{"If-None-Match", "\"a,b\""}, {"If-Match", "\"x\""}}) == failed);
  CHECK(get({{"If-None-Match", "\"a,b\""}, {"If-Match", "\"a,b\""}}) == not_modified);
  CHECK(get({{"If-Modified-Since", same}, {"If-Unmodified-Since", before}}) == failed);
  CHECK(get({{"If-Modified-Since", same}, {"If-Unmodified-Since", same}}) == not_modified);
}

TEST_CASE("If-Range needs the strong tag or the exact date") {
  CHECK(if_range({}));
  CHECK(if_range({{"If-Range", "\"a,b\""}}));
  CHECK(if_range({{"if-range", same}}));
  CHECK_FALSE(if_range({{"If-Range", "W/\"a,b\""}}));
  CHECK_FALSE(if_range({{"If-Range", "\"x\""}}));
  CHECK_FALSE(if_range({{"If-Range", "\"a,b\", \"x\""}}));
  CHECK_FALSE(if_range({{"If-Range", "*"}}));
  CHECK_FALSE(if_range({{"If-Range", ""}}));
  CHECK_FALSE(if_range({{"If-Range", "a,b"}}));
  CHECK_FALSE(if_range({{"If-Range", before}}));
  CHECK_FALSE(if_range({{"If-Range", after}}));
  CHECK_FALSE(if_range({{"If-Range", "\"a,b\""}, {"If-Range", "\"a,b\""}}));
}
