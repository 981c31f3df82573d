// "applications": every member of the three types.
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view any_frame = R"({"applications": {"a": {%}}})";
constexpr std::string_view php_frame = R"({"applications": {"a": {"type": "php", "root": "/r", %}}})";
const std::string at = "/applications/a/";

application one(std::string_view frame, std::string_view members) {
  auto site = accepted(filled(frame, members));
  REQUIRE(site.applications.size() == 1);
  return std::move(site.applications[0]);
}

php_application php(std::string_view members) {
  return std::get<php_application>(one(php_frame, members).runs);
}

}  // namespace

TEST_CASE("a php application has every default") {
  const auto application = one(any_frame, R"("type": "php", "root": "/r")");
  CHECK(application.name == "a");
  REQUIRE(application.targets.size() == 1);
  CHECK(application.targets[0] == script_target{"", "/r", "", "index.php"});
  CHECK(std::get<php_application>(application.runs) == php_application{});
  const process_settings process;
  CHECK(process.processes == process_count{false, 1, 0, 15s});
  CHECK(process.timeout == 0s);
  CHECK(process.requests == 0);
}

TEST_CASE("every member of a php application is read") {
  const auto application = one(any_frame, R"("type": "php 8.4", "root": "/r",
    "script": "a.php", "index": "b.php",
    "options": {"file": "/etc/php.ini", "admin": {"memory_limit": "1G"}, "user": {"a": "b", "c": ""}},
    "processes": 7, "limits": {"timeout": 10, "requests": 500}, "user": "u", "group": "g",
    "working_directory": "/w", "environment": {"A": "1", "B": ""}, "stdout": "/o", "stderr": "/e")");
  CHECK(application.targets.at(0) == script_target{"", "/r", "a.php", "b.php"});
  const auto& php = std::get<php_application>(application.runs);
  CHECK(php.version == "8.4");
  CHECK(php.ini_file == "/etc/php.ini");
  CHECK(php.admin_values == named_texts{{"memory_limit", "1G"}});
  CHECK(php.user_values == named_texts{{"a", "b"}, {"c", ""}});
  const auto& process = php.process;
  CHECK(process.processes == process_count{false, 7, 0, 15s});
  CHECK(process.timeout == 10s);
  CHECK(process.requests == 500);
  CHECK(process.user == "u");
  CHECK(process.group == "g");
  CHECK(process.working_directory == "/w");
  CHECK(process.environment == named_texts{{"A", "1"}, {"B", ""}});
  CHECK(process.stdout_path == "/o");
  CHECK(process.stderr_path == "/e");
}

TEST_CASE("an application that did not change is equal to what it was") {
  const auto before = one(php_frame, R"("processes": 2)");
  CHECK(before == one(php_frame, R"("processes": 2)"));
  CHECK_FALSE(before == one(php_frame, R"("processes": 3)"));
  CHECK_FALSE(before == one(php_frame, R"("processes": {"max": 2})"));
}

TEST_CASE("the type of an application is one that this server has") {
  CHECK(php("\"processes\": 1").version.empty());
  CHECK(std::get<php_application>(one(any_frame, R"("type": "php 8", "root": "/r")").runs).version == "8");
  check_refusals(any_frame, {
      {"", "Application must have the \"type\" property set.", "/applications/a"},
      {R"("type": 1)", "The \"type\" value must be a string, but not an integer number.", at + "type"},
      {R"("type": "phpp")",
       "The module to run \"phpp\" is not found among the available application modules.",
       at + "type", "php"},
      {R"("type": "external 1")",
       "The module to run \"external 1\" is not found among the available application modules.", at + "type",
       "external"},
      {R"("type": "")", "The module to run \"\" is not found among the available application modules.",
       at + "type"},
  });
  for (const std::string type :
       {"java", "perl", "python 3.11", "ruby 3", "wasm", "wasm-wasi-component", "go"}) {
    const auto error = refused(filled(any_frame, "\"type\": \"" + type + "\""));
    CHECK(error.detail == "The type \"" + type + "\" is not supported: run it as an \"external\" application "
                          "that listens on a socket.");
    CHECK(error.pointer == at + "type");
    CHECK(error.suggestion == "external");
  }
}

TEST_CASE("root, script, index and targets are checked") {
  check_refusals(any_frame, {
      {R"("type": "php")", "Required parameter \"root\" is missing.", "/applications/a"},
      {R"("type": "fastcgi", "address": "a:1")",
       "Required parameter \"root\" is missing.", "/applications/a"},
      {R"("type": "php", "root": 1)", "The \"root\" value must be a string, but not an integer number.",
       at + "root"},
      {R"("type": "php", "root": "")", "The \"root\" value must not be empty.", at + "root"},
      {R"("type": "php", "root": "a\u0000")",
       "The \"root\" value must not contain null character.", at + "root"},
      {R"("type": "php", "root": "/r", "script": [])",
       "The \"script\" value must be a string, but not an array.",
       at + "script"},
      {R"("type": "php", "root": "/r", "index": null)",
       "The \"index\" value must be a string, but not a null.",
       at + "index"},
      {R"("type": "php", "root": "/r", "target": {})",
       "Unknown parameter \"target\".", at + "target", "targets"},
      {R"("type": "php", "targets": [])", "The \"targets\" value must be an object, but not an array.",
       at + "targets"},
      {R"("type": "php", "targets": {})", "The \"targets\" object must contain at least one member.",
       at + "targets"},
      {R"("type": "php", "targets": {"": {"root": "/r"}})",
       "The target name must not be empty.", at + "targets/"},
      {R"("type": "php", "targets": {"x": 1})", "The \"x\" target must be an object.", at + "targets/x"},
      {R"("type": "php", "targets": {"x": {}})", "Required parameter \"root\" is missing.", at + "targets/x"},
      {R"("type": "php", "targets": {"x": {"root": 1}})",
       "The \"root\" value must be a string, but not an integer number.", at + "targets/x/root"},
      {R"("type": "php", "targets": {"x": {"root": "/r", "scrpt": "a"}})", "Unknown parameter \"scrpt\".",
       at + "targets/x/scrpt", "script"},
  });
  for (const std::string name : {"root", "script", "index"}) {
    const auto member = ", \"" + name + "\": \"a\"";
    const auto error =
        refused(filled(any_frame, R"("type": "php", "targets": {"x": {"root": "/r"}})" + member));
    CHECK(error.detail == "The \"" + name + "\" option is mutually exclusive with the \"targets\" object.");
    CHECK(error.pointer == at + name);
  }
}

TEST_CASE("there are at most 254 targets") {
  const auto with = [](int count) {
    std::string members;
    for (int i = 0; i < count; ++i)
      members += (i ? ", \"" : "\"") + std::to_string(i) + R"(": {"root": "/r"})";
    return filled(any_frame, R"("type": "php", "targets": {)" + members + "}");
  };
  CHECK(accepted(with(254)).applications.at(0).targets.size() == 254);
  const auto error = refused(with(255));
  CHECK(error.detail == "The \"targets\" object must not contain more than 254 members.");
  CHECK(error.pointer == at + "targets");
}

TEST_CASE("options of PHP are texts of one line") {
  check_refusals(php_frame, {
      {R"("options": [])", "The \"options\" value must be an object, but not an array.", at + "options"},
      {R"("options": {"file": 1})", "The \"file\" value must be a string, but not an integer number.",
       at + "options/file"},
      {R"("options": {"file": ""})", "The \"file\" value must not be empty.", at + "options/file"},
      {R"("options": {"admin": "a"})", "The \"admin\" value must be an object, but not a string.",
       at + "options/admin"},
      {R"("options": {"user": []})",
       "The \"user\" value must be an object, but not an array.", at + "options/user"},
      {R"("options": {"admin": {"": "a"}})", "The PHP option name must not be empty.", at + "options/admin/"},
      {R"("options": {"user": {"a": 1}})", "The \"a\" PHP option must be a string.", at + "options/user/a"},
      {R"("options": {"user": {"a": "1\nb=2"}})",
       "The \"a\" PHP option must be one line.", at + "options/user/a"},
      {R"("options": {"users": {}})", "Unknown parameter \"users\".", at + "options/users", "user"},
  });
}

TEST_CASE("a fastcgi application is a pool somewhere else") {
  const auto application = one(any_frame, R"("type": "fastcgi", "address": "php:9000", "root": "/r")");
  const auto& least = std::get<fastcgi_application>(application.runs);
  CHECK(least == fastcgi_application{{endpoint{"php", 9000, ""}}, 0, 0s});
  CHECK(application.targets.at(0) == script_target{"", "/r", "", "index.php"});
  const auto full = one(any_frame, R"("type": "fastcgi", "address": ["[::1]:9000", "unix:/run/php.sock"],
    "targets": {"x": {"root": "/r", "script": "a.php", "index": "b.php"}}, "workers": 8,
    "limits": {"timeout": 30})");
  CHECK(std::get<fastcgi_application>(full.runs) ==
        fastcgi_application{{endpoint{"::1", 9000, ""}, endpoint{"", 0, "/run/php.sock"}}, 8, 30s});
  CHECK(full.targets.at(0) == script_target{"x", "/r", "a.php", "b.php"});
}

TEST_CASE("a fastcgi application that is wrong is refused") {
  check_refusals(R"({"applications": {"a": {"type": "fastcgi", "root": "/r", %}}})", {
      {R"("workers": 1)", "Required parameter \"address\" is missing.", "/applications/a"},
      {R"("address": 1)",
       "The \"address\" value must be either a string or an array, but not an integer number.",
       at + "address"},
      {R"("address": [])", "The \"address\" array must contain at least one element.", at + "address"},
      {R"("address": ["a:1", 2])",
       "The \"address\" array must contain only string values.", at + "address/1"},
      {R"("address": "a")", "The \"a\" is not valid server address.", at + "address"},
      {R"("address": ["a:1", "*:2"])", "The \"*:2\" is not valid server address.", at + "address/1"},
      {R"("address": "a:1", "workers": 0)", "The \"workers\" number must be equal to or greater than 1.",
       at + "workers"},
      {R"("address": "a:1", "workers": "8")",
       "The \"workers\" value must be an integer number, but not a string.",
       at + "workers"},
      {R"("address": "a:1", "limits": {"requests": 1})",
       "Unknown parameter \"requests\".", at + "limits/requests"},
      {R"("address": "a:1", "user": "a")", "Unknown parameter \"user\".", at + "user"},
  });
}

TEST_CASE("an external application is a command") {
  const auto least = one(any_frame, R"("type": "external", "executable": "/bin/app")");
  CHECK(least.targets.empty());
  external_application expected;
  expected.executable = "/bin/app";
  CHECK(std::get<external_application>(least.runs) == expected);
  CHECK(expected.speaks == external_application::protocol::http);
  const auto full = one(any_frame, R"("type": "external", "executable": "/bin/app", "arguments": ["-a", ""],
    "protocol": "fastcgi", "user": "u", "processes": {"max": 3}, "environment": {"A": "1"}, "group": "g",
    "working_directory": "/w", "limits": {"timeout": 5})");
  const auto& external = std::get<external_application>(full.runs);
  CHECK(external.arguments == std::vector<std::string>{"-a", ""});
  CHECK(external.speaks == external_application::protocol::fastcgi);
  CHECK(external.process.user == "u");
  CHECK(external.process.processes.max == 3);
  CHECK(external.process.timeout == 5s);
  CHECK(std::get<external_application>(
            one(any_frame, R"("type": "external", "executable": "/a", "protocol": "http")").runs).speaks ==
        external_application::protocol::http);
}

TEST_CASE("an external application that is wrong is refused") {
  check_refusals(R"({"applications": {"a": {"type": "external", "executable": "/bin/app", %}}})", {
      {R"("arguments": "a")",
       "The \"arguments\" value must be an array, but not a string.", at + "arguments"},
      {R"("arguments": [1])", "The \"arguments\" array must contain only string values.", at + "arguments/0"},
      {R"("arguments": ["a\u0000"])", "The \"arguments\" array must not contain strings with null character.",
       at + "arguments/0"},
      {R"("protocol": "htpp")",
       "The \"protocol\" can either be \"http\" or \"fastcgi\".", at + "protocol", "http"},
      {R"("protocol": 1)",
       "The \"protocol\" value must be a string, but not an integer number.", at + "protocol"},
      {R"("root": "/r")", "Unknown parameter \"root\".", at + "root"},
  });
  check_refusals(any_frame, {
      {R"("type": "external")", "Required parameter \"executable\" is missing.", "/applications/a"},
      {R"("type": "external", "executable": "")",
       "The \"executable\" value must not be empty.", at + "executable"},
      {R"("type": "external", "executable": [])",
       "The \"executable\" value must be a string, but not an array.",
       at + "executable"},
  });
}
