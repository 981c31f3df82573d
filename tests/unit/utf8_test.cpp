// base/utf8: which bytes are characters.
#include "base/utf8.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace httpd;

TEST_CASE("a character is taken whole and a broken one up to where it breaks") {
  const auto first = [](std::string_view text) {
    const auto got = first_utf8(text);
    return concat(got.valid ? "" : "broken ", got.bytes);
  };
  CHECK(first("ab") == "1");
  CHECK(first("\xc3\xa9x") == "2");
  CHECK(first("\xe2\x82\xac") == "3");
  CHECK(first("\xf0\x9f\x98\x80") == "4");
  CHECK(first("\xf0\x9f\x98") == "broken 3");
  CHECK(first("\xe2\x82x") == "broken 2");
  CHECK(first("\x80") == "broken 1");
  CHECK(first("\xed\xa0\x80") == "broken 1");      // a surrogate
  CHECK(first("\xf4\x90\x80\x80") == "broken 1");  // above U+10FFFF
}

TEST_CASE("the first broken character is found") {
  CHECK(find_broken_utf8("") == std::string_view::npos);
  CHECK(find_broken_utf8("a\xc3\xa9\xf0\x9f\x98\x80z") == std::string_view::npos);
  CHECK(find_broken_utf8("a\xc3\xa9\xc3(\xff") == 3);
  CHECK(find_broken_utf8("\xc0\xaf") == 0);  // an overlong slash
}
