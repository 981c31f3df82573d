// config/json_diff: what is told of a change.
#include "config/json_diff.hpp"

#include "config/json_reader.hpp"
#include "config/json_writer.hpp"

#include "catch.hpp"

using namespace httpd::config;

namespace {

std::string between(std::string_view before, std::string_view after) {
  return write_json(to_json(diff(*read_json(before), *read_json(after))), json_form::compact);
}

}  // namespace

TEST_CASE("equal trees differ in nothing") {
  CHECK(between("{\"a\": [1, {}], \"b\": null}", "{ \"b\":null, \"a\":[1,{}] }") == "[]");
  CHECK(between("1", "1") == "[]");
}

TEST_CASE("members that are added or taken out or changed are told by their pointers") {
  CHECK(between(R"({"a":1,"b":{"c":2,"d":3}})", R"({"b":{"c":4,"e":5},"a":1})") ==
        R"([{"op":"replace","path":"/b/c","old":2,"value":4},{"op":"remove","path":"/b/d","old":3},)"
        R"({"op":"add","path":"/b/e","value":5}])");
  CHECK(between("1", "{}") == R"([{"op":"replace","path":"","old":1,"value":{}}])");
  CHECK(between("{\"a\":{}}", "{\"a\":[]}") == R"([{"op":"replace","path":"/a","old":{},"value":[]}])");
  CHECK(between("{\"a\":null}", "{\"a\":0}") == R"([{"op":"replace","path":"/a","old":null,"value":0}])");
  CHECK(between("{\"a/b\":{\"~\":1,\"\":1}}", "{\"a/b\":{}}") ==
        R"([{"op":"remove","path":"/a~1b/~0","old":1},{"op":"remove","path":"/a~1b/","old":1}])");
}

TEST_CASE("an array differs between what it has in common at both ends") {
  CHECK(between("[1,2,3]", "[1,2,3,4]") == R"([{"op":"add","path":"/3","value":4}])");
  CHECK(between("[1,2,3]", "[0,1,2,3]") == R"([{"op":"add","path":"/0","value":0}])");
  CHECK(between("[1,2,3,4]", "[1,4]") ==
        R"([{"op":"remove","path":"/2","old":3},{"op":"remove","path":"/1","old":2}])");
  CHECK(between("[1,4]", "[1,2,3,4]") ==
        R"([{"op":"add","path":"/1","value":2},{"op":"add","path":"/2","value":3}])");
  CHECK(between("[1,1]", "[1]") == R"([{"op":"remove","path":"/1","old":1}])");
  CHECK(between("[]", "[[]]") == R"([{"op":"add","path":"/0","value":[]}])");
  CHECK(between(R"([{"a":1},{"b":1,"c":2},{"d":1}])", R"([{"a":1},{"b":2,"c":2},5,{"d":1}])") ==
        R"([{"op":"replace","path":"/1/b","old":1,"value":2},{"op":"add","path":"/2","value":5}])");
}

TEST_CASE("a pointer escapes tildes and slashes") {
  const std::vector<std::string> path{"routes", "0", "a/b~1", ""};
  CHECK(pointer_to(path) == "/routes/0/a~1b~01/");
  CHECK(pointer_to({}) == "");
}
