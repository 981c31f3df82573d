// base/text: appending, numbers, lists, escaping for log lines and JSON.
#include "base/text.hpp"

#include "catch.hpp"

#include <limits>

using namespace httpd;
using namespace std::string_literals;

namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

}  // namespace

TEST_CASE("concat writes text and characters and integers of any size") {
  CHECK(concat("a", 'b', 3, std::string{"c"}, -4) == "ab3c-4");
  CHECK(concat(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(concat(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(concat() == "");
}

TEST_CASE("numbers are digits and nothing else") {
  CHECK(parse_u64("0") == 0u);
  CHECK(parse_u64("007") == 7u);
  CHECK(parse_u64("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  for (const char* bad : {"", "+5", "-1", "0x5", "5 5", " 5", "5 ", "5.", "18446744073709551616", "a"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_u64(bad));
  }
}

TEST_CASE("trim takes spaces and tabs from both ends only") {
  CHECK(trim(" \t a b\t ") == "a b");
  CHECK(trim(" \t ") == "");
  CHECK(trim("\va") == "\va");
}

TEST_CASE("a list gives its elements trimmed and the empty ones too") {
  std::string_view list = "a , b,,\tc";
  CHECK(next_in_list(list) == "a");
  CHECK(next_in_list(list) == "b");
  CHECK(next_in_list(list) == "");
  CHECK(next_in_list(list) == "c");
  CHECK(list.empty());
}

TEST_CASE("names are compared without case but only in ASCII") {
  CHECK(iequals("Content-LENGTH", "content-length"));
  CHECK_FALSE(iequals("a", "ab"));
  CHECK_FALSE(iequals("@", "`"));
  CHECK_FALSE(iequals("\xc0", "\xe0"));
}

TEST_CASE("an escaped text is printable ASCII on one line whatever it was") {
  std::string every;
  for (int c = 0; c < 256; ++c) every.push_back(static_cast<char>(c));
  for (const char c : escaped(every)) {
    CHECK(c >= 0x20);
    CHECK(c <= 0x7e);
    CHECK(c != '"');
  }
  CHECK(escaped("GET /a?b=c HTTP/1.1") == "GET /a?b=c HTTP/1.1");
  CHECK(escaped("a\r\nb\"c\\d\x1b[0m\x7f\xc3\xa9\0"s) == R"(a\x0D\x0Ab\x22c\x5Cd\x1B[0m\x7F\xC3\xA9\x00)");
  CHECK(escaped("") == "");
  CHECK(escaped("\n") == "\\x0A");
  CHECK(escaped("\n\n") == "\\x0A\\x0A");
}

TEST_CASE("a printable message keeps its text and loses what a terminal obeys") {
  const auto same = R"({"level":"info","path":"C:\x","text":"\u00e4 \xc3\xa4 \xf0\x9f\x98\x80"})"s;
  CHECK(printable(same) == same);
  CHECK(printable("tab\t \xc3\xa4\xe2\x82\xac~") == "tab\t \xc3\xa4\xe2\x82\xac~");
  CHECK(printable("a\0\x01\x1b[31m\r\n\x7f"s) == R"(a\x00\x01\x1B[31m\x0D\x0A\x7F)");
  CHECK(printable("\xff\xfe \xc3 \xe2\x82 \xc0\xaf \xed\xa0\x80") ==
        R"(\xFF\xFE \xC3 \xE2\x82 \xC0\xAF \xED\xA0\x80)");
  CHECK(printable("\xc2\x9b" "31m \xc2\xa0") == "\\xC2\\x9B31m \xc2\xa0");  // C1: a terminal's CSI
  CHECK(printable("") == "");
}

TEST_CASE("append_escaped keeps what is there already") {
  std::string out = "x";
  append_escaped(out, "\ty");
  CHECK(out == "x\\x09y");
}

TEST_CASE("JSON strings escape quotes and control characters") {
  CHECK(json("plain /text") == "plain /text");
  CHECK(json("\"\\\n\r\t\b\x1f\x7f\0"s) == R"(\"\\\n\r\t\u0008\u001F\u007F\u0000)");
  CHECK(json("\xc2\x9b") == "\\u009B");  // a terminal's control sequence introducer
}

TEST_CASE("JSON strings keep valid UTF-8 of every length") {
  for (const char* text : {"\xc2\xa0", "\xc3\xa9", "\xdf\xbf", "\xe0\xa0\x80", "\xe2\x82\xac", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    CAPTURE(escaped(text));
    CHECK(json(text) == text);
    CHECK(json(concat("a", text, text, "b")) == concat("a", text, text, "b"));
  }
}

TEST_CASE("JSON strings replace what is not UTF-8") {
  CHECK(json("\x80") == "\\uFFFD");
  CHECK(json("\xff\xfe") == "\\uFFFD\\uFFFD");
  CHECK(json("\xc0\xaf") == "\\uFFFD\\uFFFD");                    // overlong slash
  CHECK(json("\xe0\x80\xaf") == "\\uFFFD\\uFFFD\\uFFFD");
  CHECK(json("\xed\xa0\x80") == "\\uFFFD\\uFFFD\\uFFFD");         // a surrogate
  CHECK(json("\xf4\x90\x80\x80") == "\\uFFFD\\uFFFD\\uFFFD\\uFFFD");
  CHECK(json("\xf5") == "\\uFFFD");
}

TEST_CASE("a character cut anywhere is one replacement and the rest is read on") {
  const std::string_view text = "\xf0\x9f\x90\x98";
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    CHECK(json(text.substr(0, cut)) == "\\uFFFD");
    CHECK(json(concat(text.substr(0, cut), "\"")) == "\\uFFFD\\\"");
  }
}
