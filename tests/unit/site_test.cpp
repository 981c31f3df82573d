// The configuration as a whole: its sections, types, places and suggestions.
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view symfony = R"({
  "listeners": {"*:8080": {"pass": "routes"}},
  "routes": [
    {"match": {"uri": ["*.php", "*.php/*"]}, "action": {"pass": "applications/symfony/direct"}},
    {"action": {"share": "/app/public$uri", "fallback": {"pass": "applications/symfony/index"}}}
  ],
  "applications": {
    "symfony": {
      "type": "php",
      "processes": {"max": 25, "spare": 10, "idle_timeout": 120},
      "targets": {
        "direct": {"root": "/app/public/"},
        "index": {"root": "/app/public/", "script": "index.php"}
      }
    }
  }
})";

}  // namespace

TEST_CASE("an empty configuration has every default") {
  const auto site = accepted("{}");
  CHECK(site.listeners.empty());
  CHECK(site.routes.empty());
  CHECK(site.applications.empty());
  CHECK(site.upstreams.empty());
  CHECK_FALSE(site.access_log);
  CHECK_FALSE(site.one_route);
}

TEST_CASE("the configuration an instance of Unit starts with is read") {
  const auto site = accepted(R"({"listeners":{},"routes":[],"applications":{}})");
  CHECK(site.one_route);
  REQUIRE(site.routes.size() == 1);
  CHECK(site.routes[0].steps.empty());
}

TEST_CASE("the configuration that Unit users write for Symfony is read") {
  const auto site = accepted(std::string{symfony});
  REQUIRE(site.listeners.size() == 1);
  CHECK(site.listeners[0].address == endpoint{"*", 8080, ""});
  CHECK(site.listeners[0].pass.to == destination{destination::kind::route, 0, 0});
  REQUIRE(site.routes.size() == 1);
  const auto& steps = site.routes[0].steps;
  REQUIRE(steps.size() == 2);
  REQUIRE(steps[0].match.uri);
  CHECK(steps[0].match.uri->matches("/a.php") == verdict::yes);
  CHECK(steps[0].match.uri->matches("/a.php/b") == verdict::yes);
  CHECK(steps[0].match.uri->matches("/a.css") == verdict::no);
  CHECK(std::get<pass_action>(steps[0].action.what).to == destination{destination::kind::application, 0, 0});
  const auto& share = std::get<share_action>(steps[1].action.what);
  REQUIRE(share.paths.size() == 1);
  CHECK(share.paths[0].uses(variable::uri));
  REQUIRE(share.fallback);
  CHECK(std::get<pass_action>(share.fallback->what).to == destination{destination::kind::application, 0, 1});
  REQUIRE(site.applications.size() == 1);
  const auto& symfony_app = site.applications[0];
  CHECK(symfony_app.name == "symfony");
  REQUIRE(symfony_app.targets.size() == 2);
  CHECK(symfony_app.targets[0] == script_target{"direct", "/app/public/", "", "index.php"});
  CHECK(symfony_app.targets[1] == script_target{"index", "/app/public/", "index.php", "index.php"});
  const auto& php = std::get<php_application>(symfony_app.runs);
  CHECK(php.process.processes == process_count{true, 25, 10, 120s});
}

TEST_CASE("a configuration is an object") {
  check_refusals("%", {
      {"[]", "The configuration must be an object, but not an array.", ""},
      {"null", "The configuration must be an object, but not a null.", ""},
      {"true", "The configuration must be an object, but not a boolean.", ""},
      {"1", "The configuration must be an object, but not an integer number.", ""},
      {"1.5", "The configuration must be an object, but not a fractional number.", ""},
      {"\"a\"", "The configuration must be an object, but not a string.", ""},
  });
}

TEST_CASE("a section has its type") {
  check_refusals("{%}", {
      {R"("settings": [])", "The \"settings\" value must be an object, but not an array.", "/settings"},
      {R"("listeners": "*:80")",
       "The \"listeners\" value must be an object, but not a string.", "/listeners"},
      {R"("routes": "a")",
       "The \"routes\" value must be either an array or an object, but not a string.", "/routes"},
      {R"("applications": null)",
       "The \"applications\" value must be an object, but not a null.", "/applications"},
      {R"("upstreams": 1)",
       "The \"upstreams\" value must be an object, but not an integer number.", "/upstreams"},
      {R"("access_log": [])",
       "The \"access_log\" value must be either a string or an object, but not an array.",
       "/access_log"},
  });
}

TEST_CASE("an unknown section is refused with the name that was meant") {
  check_refusals("{%}", {
      {R"("listener": {})", "Unknown parameter \"listener\".", "/listener", "listeners"},
      {R"("route": [])", "Unknown parameter \"route\".", "/route", "routes"},
      {R"("accesslog": "a")", "Unknown parameter \"accesslog\".", "/accesslog", "access_log"},
      {R"("certificates": {})", "Unknown parameter \"certificates\".", "/certificates"},
      {R"("": {})", "Unknown parameter \"\".", "/"},
  });
}

TEST_CASE("the first fault in the order of the text is told") {
  const auto error = refused(R"({"upstreams": 1, "settings": 2})");
  CHECK(error.pointer == "/upstreams");
}

TEST_CASE("a pointer escapes what it is made of") {
  check_refusals("{\"applications\": {%}}", {
      {R"("a/b~c": 1)", "The \"a/b~c\" value must be an object, but not an integer number.",
       "/applications/a~1b~0c"},
  });
}

TEST_CASE("an offset is that of the value, or of the name where that is the fault") {
  const std::string wrong_type = R"({"settings": {"http": {"send_timeout": "1"}}})";
  CHECK(refused(wrong_type).offset == wrong_type.find("\"1\""));
  const std::string unknown = R"({"settings": {"htp": {}}})";
  CHECK(refused(unknown).offset == unknown.find("\"htp\""));
  const std::string missing = R"({"applications": {"a": {"type": "php"}}})";
  CHECK(refused(missing).offset == missing.find("{\"type\""));
  CHECK(refused(missing).pointer == "/applications/a");
}

TEST_CASE("a fault is one line with its place, its pointer and what was meant") {
  const std::string text = "{\n  \"listeners\": {\n    \"*:80\": {\"pas\": \"routes\"}\n  }\n}\n";
  CHECK(describe(refused(text), "/etc/site.json", text) ==
        "/etc/site.json:3:14: Unknown parameter \"pas\". (at /listeners/*:80/pas; did you mean \"pass\"?)");
  CHECK(describe(refused("[]"), "a", "[]") ==
        "a:1:1: The configuration must be an object, but not an array.");
  const std::string plain = R"({"zzzzzz": 1})";
  CHECK(describe(refused(plain), "a", plain) == "a:1:2: Unknown parameter \"zzzzzz\". (at /zzzzzz)");
  const std::string control = R"({"a\nb": 1})";
  CHECK(describe(refused(control), "a", control) == "a:1:2: Unknown parameter \"a\\x0Ab\". (at /a\\x0Ab)");
}

TEST_CASE("a whole document is told with a suggestion and no pointer") {
  CHECK(describe({"Wrong.", "", 0, "x"}, "f", "") == "f:1:1: Wrong. (did you mean \"x\"?)");
}
