// "action": every member of the four kinds.
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;

namespace {

constexpr std::string_view action_frame = R"({"routes": [{"action": {%}}]})";

struct acted {
  config::site site;
  const config::action& action() const { return site.routes.at(0).steps.at(0).action; }
};
acted with_action(std::string_view members) { return {accepted(filled(action_frame, members))}; }

bool passes(const std::optional<string_patterns>& patterns, std::string_view value) {
  REQUIRE(patterns);
  return patterns->matches(value) == verdict::yes;
}

}  // namespace

TEST_CASE("an action is exactly one of four") {
  const std::string_view just_one =
      "The \"action\" object must have just one of \"pass\", \"return\", \"share\", or \"proxy\" options "
      "set.";
  const std::string_view none =
      "The \"action\" object must have either \"pass\", \"return\", \"share\", or \"proxy\" option set.";
  check_refusals(action_frame, {
      {"", none, "/routes/0/action"},
      {R"("rewrite": "/a")", none, "/routes/0/action"},
      {R"("retrun": 404)", none, "/routes/0/action", "return"},
      {R"("return": 404, "share": "/a")", just_one, "/routes/0/action"},
      {R"("pass": "a", "proxy": "/a")", just_one, "/routes/0/action"},
      {R"("return": 404, "index": "a")", "Unknown parameter \"index\".", "/routes/0/action/index"},
      {R"("share": "/a", "location": "a")", "Unknown parameter \"location\".", "/routes/0/action/location"},
      {R"("proxy": "http://a:1", "types": "a")", "Unknown parameter \"types\".", "/routes/0/action/types"},
      {R"("pass": "routes", "response_header": {})", "Unknown parameter \"response_header\".",
       "/routes/0/action/response_header", "response_headers"},
  });
}

TEST_CASE("return has a status and may have a location") {
  const auto plain = with_action(R"("return": 0)");
  CHECK(std::get<return_action>(plain.action().what).status == 0);
  CHECK_FALSE(std::get<return_action>(plain.action().what).location);
  CHECK_FALSE(plain.action().rewrite);
  CHECK(plain.action().response_headers.empty());
  const auto moved = with_action(R"("return": 999, "location": "https://$host$request_uri")");
  CHECK(std::get<return_action>(moved.action().what).status == 999);
  CHECK(std::get<return_action>(moved.action().what).location->uses(variable::host));
  const auto empty = with_action(R"("return": 301, "location": "")");
  CHECK(constant(*std::get<return_action>(empty.action().what).location).empty());
  const std::string_view range = "The \"return\" value is out of allowed HTTP status code range 0-999.";
  check_refusals(action_frame, {
      {R"("return": -1)", range, "/routes/0/action/return"},
      {R"("return": 1000)", range, "/routes/0/action/return"},
      {R"("return": "404")", "The \"return\" value must be an integer number, but not a string.",
       "/routes/0/action/return"},
      {R"("return": 404.5)", "The \"return\" value must be an integer number, but not a fractional number.",
       "/routes/0/action/return"},
      {R"("return": 301, "location": 1)",
       "The \"location\" value must be a string, but not an integer number.",
       "/routes/0/action/location"},
      {R"("return": 301, "location": "${uri")", "Invalid variable at position 0 in the \"location\" value.",
       "/routes/0/action/location"},
  });
}

TEST_CASE("share has every default") {
  const auto result = with_action(R"("share": "/www$uri")");
  const auto& share = std::get<share_action>(result.action().what);
  REQUIRE(share.paths.size() == 1);
  CHECK(share.index == "index.html");
  CHECK_FALSE(share.types);
  CHECK_FALSE(share.chroot);
  CHECK(share.follow_symlinks);
  CHECK(share.traverse_mounts);
  CHECK_FALSE(share.fallback);
}

TEST_CASE("every member of share is read") {
  const auto result = with_action(R"("share": ["/a", "/b$uri"], "index": "i.htm",
    "types": ["image/*", "!image/gif"],
    "chroot": "/www/$host", "follow_symlinks": false, "traverse_mounts": false,
    "fallback": {"share": "/c", "fallback": {"return": 404}})");
  const auto& share = std::get<share_action>(result.action().what);
  REQUIRE(share.paths.size() == 2);
  CHECK(constant(share.paths[0]) == "/a");
  CHECK(share.paths[1].uses(variable::uri));
  CHECK(share.index == "i.htm");
  CHECK(passes(share.types, "image/png"));
  CHECK_FALSE(passes(share.types, "image/gif"));
  REQUIRE(share.chroot);
  CHECK(share.chroot->uses(variable::host));
  CHECK_FALSE(share.follow_symlinks);
  CHECK_FALSE(share.traverse_mounts);
  REQUIRE(share.fallback);
  const auto& second = std::get<share_action>(share.fallback->what);
  REQUIRE(second.fallback);
  CHECK(std::get<return_action>(second.fallback->what).status == 404);
}

TEST_CASE("share that is wrong is refused") {
  const std::string at = "/routes/0/action/";
  check_refusals(action_frame, {
      {R"("share": 1)", "The \"share\" value must be either a string or an array, but not an integer number.",
       at + "share"},
      {R"("share": [])", "The \"share\" array must contain at least one element.", at + "share"},
      {R"("share": ["a", 1])", "The \"share\" array must contain only string values.", at + "share/1"},
      {R"("share": "/$x")", "Unknown variable \"x\" in the \"share\" value.", at + "share"},
      {R"("share": ["/", "$"])", "Invalid variable at position 0 in the \"share\" value.", at + "share/1"},
      {R"("share": "/a\u0000b")", "The \"share\" value must not contain null character.", at + "share"},
      {R"("share": "/", "index": [])",
       "The \"index\" value must be a string, but not an array.", at + "index"},
      {R"("share": "/", "index": "")", "The \"index\" value must not be empty.", at + "index"},
      {R"("share": "/", "types": 1)",
       "The \"types\" value must be either a string or an array, but not an integer number.", at + "types"},
      {R"("share": "/", "types": [1])",
       "The \"match\" pattern for \"types\" must be strings.", at + "types/0"},
      {R"("share": "/", "chroot": null)",
       "The \"chroot\" value must be a string, but not a null.", at + "chroot"},
      {R"("share": "/", "chroot": "$y")", "Unknown variable \"y\" in the \"chroot\" value.", at + "chroot"},
      {R"("share": "/", "follow_symlinks": 1)",
       "The \"follow_symlinks\" value must be a boolean, but not an integer number.", at + "follow_symlinks"},
      {R"("share": "/", "traverse_mounts": "no")",
       "The \"traverse_mounts\" value must be a boolean, but not a string.", at + "traverse_mounts"},
      {R"("share": "/", "fallback": "a")", "The \"fallback\" value must be an object, but not a string.",
       at + "fallback"},
      {R"("share": "/", "fallback": {"share": "/", "fallback": {"return": 1000}})",
       "The \"return\" value is out of allowed HTTP status code range 0-999.",
       at + "fallback/fallback/return"},
  });
}

TEST_CASE("proxy names a server") {
  const auto server = [](std::string_view address) {
    return std::get<proxy_action>(
               with_action("\"proxy\": \"" + std::string{address} + "\"").action().what).server;
  };
  CHECK(server("http://127.0.0.1:8080") == endpoint{"127.0.0.1", 8080, ""});
  CHECK(server("http://[::1]:80") == endpoint{"::1", 80, ""});
  CHECK(server("http://unix:/run/a.sock") == endpoint{"", 0, "/run/a.sock"});
  CHECK(server("http://backend:80") == endpoint{"backend", 80, ""});
  for (const std::string bad : {"", "127.0.0.1:80", "http://", "http://127.0.0.1", "http://*:80",
                                "https://a:443", "http://a:0", "http://a:80/"}) {
    const auto error = refused(filled(action_frame, "\"proxy\": \"" + bad + "\""));
    CHECK(error.detail == "The \"proxy\" address is invalid \"" + bad + "\"");
    CHECK(error.pointer == "/routes/0/action/proxy");
  }
  check_refusals(action_frame, {
      {R"("proxy": {})",
       "The \"proxy\" value must be a string, but not an object.", "/routes/0/action/proxy"},
  });
}

TEST_CASE("every action may rewrite the path and set response headers") {
  for (const std::string what : {R"("return": 200)", R"("share": "/a")", R"("proxy": "http://a:1")",
                                 R"("pass": "routes")"}) {
    const auto result = with_action(what + R"(, "rewrite": "/x$uri",
      "response_headers": {"X-A": "1", "Cache-Control": null, "X-B": "$host"})");
    REQUIRE(result.action().rewrite);
    CHECK(result.action().rewrite->uses(variable::uri));
    const auto& headers = result.action().response_headers;
    REQUIRE(headers.size() == 3);
    CHECK(headers[0].first == "X-A");
    CHECK(constant(*headers[0].second) == "1");
    CHECK(headers[1].first == "Cache-Control");
    CHECK_FALSE(headers[1].second);
    CHECK(headers[2].second->uses(variable::host));
  }
  check_refusals(action_frame, {
      {R"("return": 1, "rewrite": 1)", "The \"rewrite\" value must be a string, but not an integer number.",
       "/routes/0/action/rewrite"},
      {R"("return": 1, "rewrite": "$no")", "Unknown variable \"no\" in the \"rewrite\" value.",
       "/routes/0/action/rewrite"},
      {R"("return": 1, "response_headers": [])",
       "The \"response_headers\" value must be an object, but not an array.",
       "/routes/0/action/response_headers"},
  });
}

TEST_CASE("response headers that are wrong are refused") {
  const std::string at = "/routes/0/action/response_headers/";
  check_refusals(R"({"routes": [{"action": {"return": 200, "response_headers": {%}}}]})", {
      {R"("": "a")", "The response header name must not be empty.", at},
      {R"("a b": "a")",
       "The response header name \"a b\" contains characters that are not allowed in a header field name.",
       at + "a b"},
      {R"("Content-Length": "1")", "The \"Content-Length\" response header value is not supported",
       at + "Content-Length"},
      {R"("content-length": null)", "The \"content-length\" response header value is not supported",
       at + "content-length"},
      {R"("Transfer-Encoding": "a")", "The \"Transfer-Encoding\" response header value is not supported",
       at + "Transfer-Encoding"},
      {R"("Date": "a")", "The \"Date\" response header value is not supported", at + "Date"},
      {R"("Server": "a")", "The \"Server\" response header value is not supported", at + "Server"},
      {R"("X": 1)", "The \"X\" response header value must either be a string or a null", at + "X"},
      {R"("X": ["a"])", "The \"X\" response header value must either be a string or a null", at + "X"},
      {R"("X": "a\r\nB: c")",
       "The \"X\" response header value must not contain control characters.", at + "X"},
      {R"("X": "$x")", "Unknown variable \"x\" in the \"X\" value.", at + "X"},
  });
}
