// config/json_writer: the forms, and that what is written reads back.
#include "config/json_writer.hpp"

#include "config/json_reader.hpp"

#include "catch.hpp"

using namespace httpd::config;

namespace {

const json_value tree = *read_json(R"({"listeners": {"*:80": {"pass": "routes"}, "[::1]:81": {}},
  "routes": [{"match": {"uri": ["/a", "/b"]}, "action": {"return": 404}}, {"action": {"share": []}}, []],
  "n": -1, "f": 1.50, "none": null, "yes": true, "s": "\"\u00e9\u0007\u007f\ud83d\ude00/"})");

}  // namespace

TEST_CASE("Unit's form has tabs and an empty line after a member that has something in it") {
  CHECK(write_json(tree, json_form::unit) ==
        "{\r\n"
        "\t\"listeners\": {\r\n"
        "\t\t\"*:80\": {\r\n"
        "\t\t\t\"pass\": \"routes\"\r\n"
        "\t\t},\r\n"
        "\r\n"
        "\t\t\"[::1]:81\": {}\r\n"
        "\t},\r\n"
        "\r\n"
        "\t\"routes\": [\r\n"
        "\t\t{\r\n"
        "\t\t\t\"match\": {\r\n"
        "\t\t\t\t\"uri\": [\r\n"
        "\t\t\t\t\t\"/a\",\r\n"
        "\t\t\t\t\t\"/b\"\r\n"
        "\t\t\t\t]\r\n"
        "\t\t\t},\r\n"
        "\r\n"
        "\t\t\t\"action\": {\r\n"
        "\t\t\t\t\"return\": 404\r\n"
        "\t\t\t}\r\n"
        "\t\t},\r\n"
        "\t\t{\r\n"
        "\t\t\t\"action\": {\r\n"
        "\t\t\t\t\"share\": []\r\n"
        "\t\t\t}\r\n"
        "\t\t},\r\n"
        "\t\t[]\r\n"
        "\t],\r\n"
        "\r\n"
        "\t\"n\": -1,\r\n"
        "\t\"f\": 1.50,\r\n"
        "\t\"none\": null,\r\n"
        "\t\"yes\": true,\r\n"
        "\t\"s\": \"\\\"\xc3\xa9\\u0007\\u007F\xf0\x9f\x98\x80/\"\r\n"
        "}\r\n");
  CHECK(write_json(*read_json("{}"), json_form::unit) == "{}\r\n");
  CHECK(write_json(*read_json("\"a\""), json_form::unit) == "\"a\"\r\n");
}

TEST_CASE("the pretty form has two spaces and the compact one none") {
  const auto small = *read_json(R"({"a": {"b": [1, 2.0]}, "c": [], "d": {}})");
  CHECK(write_json(small, json_form::pretty) ==
        "{\n  \"a\": {\n    \"b\": [\n      1,\n      2.0\n    ]\n  },\n  \"c\": [],\n  \"d\": {}\n}\n");
  CHECK(write_json(small, json_form::compact) == R"({"a":{"b":[1,2.0]},"c":[],"d":{}})");
}

TEST_CASE("what is written reads back as an equal tree in every form") {
  for (const auto form : {json_form::compact, json_form::pretty, json_form::unit}) {
    const auto text = write_json(tree, form);
    const auto again = read_json(text);
    REQUIRE(again.has_value());
    CHECK(*again == tree);
    CHECK(write_json(*again, form) == text);
  }
}

TEST_CASE("an entity tag follows what is in the tree and not how it was written") {
  const auto tag = [](std::string_view text) { return entity_tag(*read_json(text)); };
  CHECK(tag("{}") == "\"08f44b07b5901a25-2\"");
  CHECK(tag(R"({"a": [1, "x"]})") == tag(" // comment\n{\"\\u0061\":[\t1,\"x\"]}"));
  CHECK(tag(R"({"a": 1})") != tag(R"({"a": "1"})"));
  CHECK(tag(R"({"a": 1})") != tag(R"({"a": 1.0})"));
  CHECK(tag(R"({"a": 1, "b": 2})") != tag(R"({"b": 2, "a": 1})"));
  CHECK(tag("[[], 1]") != tag("[[1]]"));
}
