// config/json_reader: trees with their offsets, and what is refused with where and why.
#include "config/json_reader.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace httpd;
using namespace httpd::config;
using namespace std::string_literals;
using kind = json_value::kind;

namespace {

json_value read(std::string_view text) {
  auto tree = read_json(text);
  INFO(text);
  if (!tree) FAIL(tree.error().detail);
  return *std::move(tree);
}

// "LINE:COLUMN@OFFSET DETAIL" with the first words of the detail, as many as `expected` has.
void check_refused(std::string_view text, std::string_view expected) {
  CAPTURE(escaped(text));
  const auto tree = read_json(text);
  REQUIRE(tree.has_error());
  const auto& error = tree.error();
  const auto got = concat(error.place.line, ':', error.place.column, '@', error.offset, ' ', error.detail);
  CHECK(got.substr(0, expected.size()) == expected);
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

constexpr const char* comma_in_object =
    "A comma or a closing brace is expected here, after a member of an object.";
constexpr const char* duplicate = "Duplicate object member.  All JSON object members must have unique names.";

}  // namespace

TEST_CASE("every kind of JSON value is read") {
  CHECK(read("null").what == kind::null);
  CHECK(read("true").boolean);
  CHECK(read(" false ").what == kind::boolean);
  CHECK_FALSE(read("false").boolean);
  CHECK(read("\"a\"").text == "a");
  CHECK(read("[1, [], {}]").elements.size() == 3);
  const auto object = read(R"({"b": 1, "a": {"c": [true]}, "": null})");
  REQUIRE(object.members.size() == 3);
  CHECK(object.members[0].name == "b");  // in the order of the text
  CHECK(object.members[1].name == "a");
  CHECK(object.find("a")->find("c")->elements.at(0).boolean);
  CHECK(object.find("")->what == kind::null);
}

TEST_CASE("integers are exact and fractions keep how they were written") {
  CHECK(read("9223372036854775807").integer == 9223372036854775807);
  CHECK(read("-9223372036854775808").integer == -9223372036854775807 - 1);
  CHECK(read("-0").what == kind::integer);
  const auto fraction = read("[1.50,1e3,-0.25E-2]").elements;
  for (const auto& value : fraction) CHECK(value.what == kind::fraction);
  CHECK(fraction[0].text == "1.50");
  CHECK(fraction[0].fraction == 1.5);
  CHECK(fraction[1].fraction == 1000);
  CHECK(fraction[2].text == "-0.25E-2");
  CHECK(fraction[2].fraction == -0.0025);
}

TEST_CASE("escapes in strings and names are undone") {
  CHECK(read(R"("\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00\u0000.")").text ==
        "\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\0."s);
  CHECK(read(R"({"a\u002fb": 1})").find("a/b"));
}

TEST_CASE("a string may be longer than any buffer and cut by escapes anywhere") {
  for (const std::size_t size : {4000u, 4095u, 4096u, 4097u, 20000u}) {
    std::string written = "\"", expected;
    for (std::size_t i = 0; i < size; ++i) {
      written += i % 7 == 3 ? "\\u00e9" : i % 5 == 1 ? "\xf0\x9f\x98\x80" : "x";
      expected += i % 7 == 3 ? "\xc3\xa9" : i % 5 == 1 ? "\xf0\x9f\x98\x80" : "x";
    }
    CHECK(read(written + '"').text == expected);
    CHECK(read(concat("{", written, "\": 1}")).members.at(0).name == expected);
  }
}

TEST_CASE("values and names know where they began in the text") {
  const auto text = "\xef\xbb\xbf /* {, */ {\n// \"x\": [\n\"a\\\"\" /* : */ : /**/ [ 12 ,true, \"]\"/*,*/,"
                    "\n-1.5e1,null] , \"b\"://\n{ \"c\":false}}"s;
  const auto tree = read(text);
  const auto at = [&text](std::size_t offset, std::string_view token) {
    CHECK(text.substr(offset, token.size()) == token);
  };
  at(tree.offset, "{\n//");
  const auto& a = tree.members.at(0);
  at(a.offset, "\"a\\\"\"");
  at(a.value.offset, "[ 12");
  const std::string_view tokens[] = {"12", "true", "\"]\"", "-1.5e1", "null"};
  REQUIRE(a.value.elements.size() == std::size(tokens));
  for (std::size_t i = 0; i < std::size(tokens); ++i) at(a.value.elements[i].offset, tokens[i]);
  const auto& b = tree.members.at(1);
  at(b.offset, "\"b\"");
  at(b.value.offset, "{ \"c\"");
  at(b.value.members.at(0).offset, "\"c\"");
  at(b.value.members.at(0).value.offset, "false");
}

TEST_CASE("comments stand where white space may") {
  const auto tree =
      read("// first\n{/**/\"a\"/* * / */:/***/[1//one\n,/*two*/2/*,*/]/*/*/}/* last */ // end");
  CHECK(tree == read(R"({"a": [1, 2]})"));
  CHECK(read("1//") == read("1"));
  for (const char* comment : {"/**/", "/***/", "/****/", "/* **/", "/** * ** **/", "/*/*/", "/*//*/",
                              "/*\"*/", "//*\n", "// \"\n", "/*\xff\xc3*/", "/*\n*/"}) {
    CAPTURE(comment);
    CHECK(read(concat("[1,", comment, "2]")) == read("[1,2]"));
    CHECK(read(concat(comment, "{", comment, "\"a\"", comment, ":", comment, "2", comment, "}", comment)) ==
          read("{\"a\": 2}"));
    CHECK(read(concat("[\"", "/*/**/ // \", \"", "/*\"]")).elements.size() == 2);  // no comments in strings
  }
}

TEST_CASE("columns are characters and lines end at a line feed") {
  const std::string_view text = "\xef\xbb\xbf" "{\r\n\t\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\": x";
  check_refused(text, "2:9@20 A value is expected here");
  CHECK(place_of(text, 3).line == 1);
  CHECK(place_of(text, 3).column == 1);  // the mark is no character
  CHECK(place_of(text, 0).column == 1);
  CHECK(place_of(text, 6).line == 2);
  CHECK(place_of(text, 1000).column == 10);  // no further than the end
}

TEST_CASE("two members of one name are refused at the second") {
  check_refused(R"({"a": 1, "a": 2})", concat("1:10@9 ", duplicate));
  check_refused("{\"x\": [{\"\\u0061\": 1,\n \"b\": {\"a\": 1}, \"a\": nonsense",
                concat("2:17@37 ", duplicate));
  CHECK(read(R"({"a": {"a": [{"a": 1}, {"a": 2}]}})").members.size() == 1);
}

TEST_CASE("what follows the value is refused") {
  for (const char* text : {"{} x", "1  2", "[] ,", "{}  }", "\"\" \"\"", "nul l"}) {
    CAPTURE(text);
    REQUIRE(read_json(text).has_error());
  }
  check_refused("{} x", "1:4@3 Unexpected characters after the end of the JSON value.");
  check_refused("01", "1:2@1 Unexpected characters");
  check_refused("[1]\n]", "2:1@4 Unexpected characters");
}

TEST_CASE("what is missing is said where it is missing") {
  const auto end = "Unexpected end of the JSON text.  "s;
  check_refused("", concat("1:1@0 ", end, "A value is expected here"));
  check_refused("\xef\xbb\xbf \n ", concat("2:2@6 ", end));
  check_refused("{", concat("1:2@1 ", end, "The name of a member"));
  check_refused("{\"a\"", concat("1:5@4 ", end, "A colon"));
  check_refused("{\"a\":", concat("1:6@5 ", end, "A value"));
  check_refused("{\"a\":1", concat("1:7@6 ", end, comma_in_object));
  check_refused("[1", concat("1:3@2 ", end, "A comma or a closing bracket"));
  check_refused("[1, // 2]", concat("1:10@9 ", end, "A value"));
  check_refused("{\"a\" 1}", "1:6@5 A colon is expected here, after the name of a member.");
  check_refused("{\"a\": 1 \"b\": 2}", concat("1:9@8 ", comma_in_object));
  check_refused("{\"a\": 1]", concat("1:8@7 ", comma_in_object));
  check_refused("[1 2]",
                "1:4@3 A comma or a closing bracket is expected here, after an element of an array.");
  check_refused("[1, \"a\" \"b\"]", "1:9@8 A comma or a closing bracket");
  check_refused("{\"a\": 1,}", "1:9@8 The name of a member in double quotes is expected here.");
  check_refused("{a: 1}", "1:2@1 The name of a member in double quotes");
  check_refused("{'a': 1}", "1:2@1 The name of a member in double quotes");
  for (const char* text : {"[,1]", "[x]", "[+1]", "[.5]", "[NaN]", "[nul]", "[True]", "[\\]", "[:1]", "[#]"})
    check_refused(text, "1:2@1 A value is expected here");
  check_refused("[1,]", "1:4@3 A value is expected here");
  check_refused("[1,,2]", "1:4@3 A value is expected here");
  check_refused("{\"a\"::1}", "1:6@5 A value is expected here");
  check_refused("tru", "1:1@0 A value is expected here");
  check_refused("[truex]", "1:6@5 A comma or a closing bracket");
  check_refused("\0"s, "1:1@0 A value is expected here");
}

TEST_CASE("strings that are none are refused at the wrong character") {
  check_refused("[\"a\nb\"]", "1:4@3 A control character must be escaped in a string.");
  check_refused("[\"\\n\t\"]", "1:5@4 A control character");
  check_refused("[\"a\0\"]"s, "1:4@3 A control character");
  check_refused("{\"a\x1f\": 1}", "1:4@3 A control character");
  for (const char* bad : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff"}) {
    check_refused(concat("[\"\xc3\xa9", bad, "\"]"), "1:4@4 This is no UTF-8 character.");
    check_refused(concat("[\"\\n", bad, "0123456789\"]"), "1:5@4 This is no UTF-8 character.");
    check_refused(concat("\"", bad, "\""), "1:2@1 This is no UTF-8 character.");
  }
  for (const char* bad : {"\\x", "\\'", "\\u12", "\\u12g4", "\\U0041", "\\ud800", "\\ud800x", "\\ud800\\n",
                          "\\ud800\\u0041", "\\udc00", "\\ud800\\ud800", "\\ud800\xc3\xa9", "\\\xc3\xa9"}) {
    check_refused(concat("[\"ab", bad, "\"]"), "1:5@4 Invalid escape.  A backslash must be followed by");
    check_refused(concat("[\"ab", bad, "xyzxyzxyzxyzxyzxyzxyz\"]"), "1:5@4 Invalid escape.");
    check_refused(concat("{\"ab", bad, "\": 1}"), "1:5@4 Invalid escape.");
  }
  for (const char* text : {"[ \"abc", "[ \"", "[ \"\\n", "[ \"\\\"", "[ \"\\u0041"})
    check_refused(text, "1:3@2 The string that begins here has no end.");
}

TEST_CASE("comments that are none are refused where they begin") {
  for (const char* text : {"[ /* ]", "[ /*/", "[ /**", "[ /*", "1 /* x"})
    check_refused(text, "1:3@2 The comment that begins here has no end.");
  for (const char* text : {"[ /", "[ / 1]", "1 /", "1 /#"})
    check_refused(text, "1:3@2 A comment begins with // or /*.");
  check_refused("{\"a\" /* : 1}", "1:6@5 The comment that begins here has no end.");
  check_refused("/*\n\xc3\xa9*/ x", "2:5@8 A value is expected here");
  check_refused("{\"a\": /* 1}", "1:7@6 The comment that begins here has no end.");
}

TEST_CASE("numbers that are none or too large are refused where they begin") {
  for (const char* text : {"[ -]", "[ -x]", "[ 1.]", "[ 1.x]", "[ 1e]", "[ 1e+]", "[ -1.5e-]", "[ 2.", "[ -"})
    check_refused(text, "1:3@2 This is no number.  A fraction or an exponent must have digits.");
  for (const char* text : {"[ 9223372036854775808]", "[ -9223372036854775809]", "[ 18446744073709551616]",
                           "[ 1e309]", "[ -1e309]", "[ 1e99999999999]", "[ 1.5e2147483648]"})
    check_refused(text, "1:3@2 The number is too large.");
  check_refused("[ " + std::string(5000, '9') + "]", "1:3@2 The number is too large.");
}

TEST_CASE("arrays and objects may be nested so deep and no deeper") {
  CHECK(read(nested(max_json_depth)).elements.size() == 1);
  check_refused(nested(max_json_depth + 1), "1:65@64 More than 64 arrays and objects in one another.");
  check_refused(std::string(1'000'000, '['), "1:65@64 More than 64");
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  check_refused(objects, "1:321@320 More than 64");
}

TEST_CASE("a text cut anywhere is refused inside the text") {
  const auto text = "\xef\xbb\xbf{\"a\": [1.5, -2, \"\\u00e9\xc3\xa9\\ud83d\\ude00\", true, null],"
                    " /* c */ \"b\": {}}"s;
  CHECK(read(text).members.size() == 2);
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    const auto tree = read_json(std::string_view{text}.substr(0, size));
    REQUIRE(tree.has_error());
    CHECK(tree.error().offset <= size);
    CHECK_FALSE(tree.error().detail.empty());
  }
}
