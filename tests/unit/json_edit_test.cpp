// config/json_edit: paths, Unit's four operations, and merging by RFC 7396.
#include "config/json_edit.hpp"

#include "base/text.hpp"
#include "config/json_reader.hpp"
#include "config/json_writer.hpp"

#include "catch.hpp"

using namespace httpd;
using namespace httpd::config;

namespace {

json_value read(std::string_view text) {
  const auto tree = read_json(text);
  if (!tree) FAIL(text << ": " << tree.error().detail);
  return *tree;
}

std::string compact(const json_value& tree) { return write_json(tree, json_form::compact); }

std::string joined(std::string_view path) {
  const auto tokens = split_path(path);
  if (!tokens) return "refused";
  std::string out;
  for (const auto& token : *tokens) append(out, '[', token, ']');
  return out;
}

std::string name_of(edit_outcome outcome) {
  switch (outcome) {
    case edit_outcome::done: return "done";
    case edit_outcome::not_found: return "not found";
    case edit_outcome::not_allowed: return "not allowed";
    case edit_outcome::too_deep: break;
  }
  return "too deep";
}

constexpr std::string_view start =
    R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":1},{"a":2}],"n":5})";

// The tree after `change`, or why there is none; then the tree must be what it was.
template <class Change>
std::string after(Change change) {
  auto tree = read(start);
  const auto outcome = change(tree);
  if (outcome == edit_outcome::done) return compact(tree);
  CHECK(compact(tree) == start);
  return name_of(outcome);
}
std::string after_put(std::string_view path, std::string_view value) {
  return after([&](json_value& tree) { return put(tree, *split_path(path), read(value)); });
}
std::string after_post(std::string_view path, std::string_view value) {
  return after([&](json_value& tree) { return post(tree, *split_path(path), read(value)); });
}
std::string after_remove(std::string_view path) {
  return after([&](json_value& tree) { return config::remove(tree, *split_path(path)); });
}
std::string merged(std::string_view target, std::string_view patch) {
  auto tree = read(target);
  merge_patch(tree, read(patch));
  return compact(tree);
}

json_value nested(std::size_t depth) { return read(std::string(depth, '[') + std::string(depth, ']')); }

}  // namespace

TEST_CASE("a path is split and then decoded") {
  CHECK(joined("/config/routes/0/action%2F") == "[config][routes][0][action/]");
  CHECK(joined("/config/listeners/*:80") == "[config][listeners][*:80]");
  CHECK(joined("/") == "");
  CHECK(joined("/config") == "[config]");
  CHECK(joined("/config/") == "[config]");
  CHECK(joined("/config//") == "[config][]");
  CHECK(joined("/config//a") == "[config][][a]");
  CHECK(joined("/%25%32%35+%c3%A9") == "[%25+\xc3\xa9]");
  CHECK(joined("/a%00b").size() == 5);
  for (const char* bad : {"", "config", "/%", "/a%4", "/%zz/b", "/%ff", "/a\xc3", "/\xed\xa0\x80"}) {
    CAPTURE(escaped(bad));
    CHECK(joined(bad) == "refused");
  }
}

TEST_CASE("a token has up to 256 bytes as it is meant, not as it is sent") {
  std::string encoded = "/";
  for (int i = 0; i < 256; ++i) encoded += "%61";
  CHECK(joined(encoded) == concat('[', std::string(256, 'a'), ']'));
  CHECK(joined(encoded + "a") == "refused");
  CHECK(joined(concat("/b", encoded, encoded, "/c")).size() == 2 * 258 + 6);
}

TEST_CASE("a value is found by names and indices") {
  const auto tree = read(start);
  const auto found = [&tree](std::string_view path) {
    const auto* value = find(tree, *split_path(path));
    return value ? compact(*value) : "none";
  };
  CHECK(found("/") == start);
  CHECK(found("/listeners/*:80/pass") == "\"routes\"");
  CHECK(found("/routes/1") == "{\"a\":2}");
  CHECK(found("/routes/1/a") == "2");
  for (const char* path : {"/x", "/routes/2", "/routes/-1", "/routes/a", "/routes//", "/routes/1/a/b", "/n/0",
                           "/routes/18446744073709551616", "/listeners/0", "//"}) {
    CAPTURE(path);
    CHECK(found(path) == "none");
  }
}

TEST_CASE("PUT replaces what is there") {
  CHECK(after_put("/", R"({"x": 1})") == R"({"x":1})");
  CHECK(after_put("/n", "[6]") ==
        R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":1},{"a":2}],"n":[6]})");
  CHECK(after_put("/routes/0", "7") ==
        R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[7,{"a":2}],"n":5})");
  CHECK(after_put("/listeners/*:80/pass", "null") ==
        R"({"listeners":{"*:80":{"pass":null}},"routes":[{"a":1},{"a":2}],"n":5})");
}

TEST_CASE("PUT makes a member of an object or the element after the last") {
  CHECK(after_put("/m", "6") ==
        R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":1},{"a":2}],"n":5,"m":6})");
  CHECK(after_put("/routes/1/b%2F", "{}") ==
        R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":1},{"a":2,"b/":{}}],"n":5})");
  CHECK(after_put("/routes/2", "7") ==
        R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":1},{"a":2},7],"n":5})");
  for (const char* path :
       {"/routes/3", "/routes/-", "/routes/b", "/x/y", "/n/x", "/n/0", "/routes/2/a", "/n/x/y"}) {
    CAPTURE(path);
    CHECK(after_put(path, "7") == "not found");
  }
}

TEST_CASE("POST appends to an array and to nothing else") {
  CHECK(after_post("/routes", "[7]") ==
        R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":1},{"a":2},[7]],"n":5})");
  for (const char* path : {"/", "/n", "/listeners", "/routes/0"})
    CHECK(after_post(path, "7") == "not allowed");
  for (const char* path : {"/x", "/routes/2", "/n/x"}) CHECK(after_post(path, "7") == "not found");
  auto array = read("[]");
  CHECK(post(array, {}, read("1")) == edit_outcome::not_allowed);
}

TEST_CASE("DELETE takes out a member or an element and empties the root") {
  CHECK(after_remove("/") == "{}");
  CHECK(after_remove("/listeners") == R"({"routes":[{"a":1},{"a":2}],"n":5})");
  CHECK(after_remove("/routes/0") == R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":2}],"n":5})");
  CHECK(after_remove("/routes/1/a") ==
        R"({"listeners":{"*:80":{"pass":"routes"}},"routes":[{"a":1},{}],"n":5})");
  for (const char* path : {"/x", "/routes/2", "/n/x", "/x/y"}) CHECK(after_remove(path) == "not found");
}

TEST_CASE("no change makes a tree too deep to be read again") {
  auto tree = read("{\"a\": []}");
  const std::vector<std::string> path{"a"}, element{"a", "0"};
  CHECK(put(tree, path, nested(max_json_depth)) == edit_outcome::too_deep);
  CHECK(post(tree, path, nested(max_json_depth - 1)) == edit_outcome::too_deep);
  CHECK(put(tree, element, nested(max_json_depth - 1)) == edit_outcome::too_deep);
  CHECK(compact(tree) == "{\"a\":[]}");
  CHECK(put(tree, {}, nested(max_json_depth)) == edit_outcome::done);
  tree = read("{\"a\": []}");
  CHECK(post(tree, path, nested(max_json_depth - 2)) == edit_outcome::done);
  CHECK(put(tree, element, nested(max_json_depth - 2)) == edit_outcome::done);
  CHECK(put(tree, path, nested(max_json_depth - 1)) == edit_outcome::done);
  CHECK(read_json(compact(tree)).has_value());
}

TEST_CASE("the examples of RFC 7396 are merged as it says") {
  CHECK(merged(R"({"a":"b"})", R"({"a":"c"})") == R"({"a":"c"})");
  CHECK(merged(R"({"a":"b"})", R"({"b":"c"})") == R"({"a":"b","b":"c"})");
  CHECK(merged(R"({"a":"b"})", R"({"a":null})") == R"({})");
  CHECK(merged(R"({"a":"b","b":"c"})", R"({"a":null})") == R"({"b":"c"})");
  CHECK(merged(R"({"a":["b"]})", R"({"a":"c"})") == R"({"a":"c"})");
  CHECK(merged(R"({"a":"c"})", R"({"a":["b"]})") == R"({"a":["b"]})");
  CHECK(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})") == R"({"a":{"b":"d"}})");
  CHECK(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})") == R"({"a":[1]})");
  CHECK(merged(R"(["a","b"])", R"(["c","d"])") == R"(["c","d"])");
  CHECK(merged(R"({"a":"b"})", R"(["c"])") == R"(["c"])");
  CHECK(merged(R"({"a":"foo"})", R"(null)") == R"(null)");
  CHECK(merged(R"({"a":"foo"})", R"("bar")") == R"("bar")");
  CHECK(merged(R"({"e":null})", R"({"a":1})") == R"({"e":null,"a":1})");
  CHECK(merged(R"([1,2])", R"({"a":"b","c":null})") == R"({"a":"b"})");
  CHECK(merged(R"({})", R"({"a":{"bb":{"ccc":null}}})") == R"({"a":{"bb":{}}})");
  // Section 1 and the larger one of section 3.
  CHECK(merged(R"({"a":"b","c":{"d":"e","f":"g"}})", R"({"a":"z","c":{"f":null}})") ==
        R"({"a":"z","c":{"d":"e"}})");
  CHECK(merged(R"({"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},
                   "tags":["example","sample"],"content":"This will be unchanged"})",
               R"({"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},
                   "tags":["example"]})") ==
        R"({"title":"Hello!","author":{"givenName":"John"},"tags":["example"],)"
        R"("content":"This will be unchanged","phoneNumber":"+01-123-456-7890"})");
}

TEST_CASE("a merge keeps the order of what was there and null in an array") {
  CHECK(merged(R"({"a":1,"b":{"x":1},"c":3})", R"({"c":4,"b":{"y":[null]},"d":5})") ==
        R"({"a":1,"b":{"x":1,"y":[null]},"c":4,"d":5})");
}
