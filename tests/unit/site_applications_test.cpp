// "applications": every member of the three types.
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view any_frame = R"({"applications": {"a": {%}}})";
constexpr std::string_view php_frame = R"({"applications": {"a": {"type": "php", "root": "/r", %}}})";
constexpr std::string_view isolation_frame =
    R"({"applications": {"a": {"type": "php", "root": "/r", "isolation": {%}}}})";
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
  const auto application = one(any_frame, R"("type": "php 8.4", "root": "/r", "script": "a.php", "index": "b.php",
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
      {R"("type": "phpp")", "The module to run \"phpp\" is not found among the available application modules.",
       at + "type", "php"},
      {R"("type": "external 1")",
       "The module to run \"external 1\" is not found among the available application modules.", at + "type",
       "external"},
      {R"("type": "")", "The module to run \"\" is not found among the available application modules.",
       at + "type"},
  });
  for (const std::string type : {"java", "perl", "python 3.11", "ruby 3", "wasm", "wasm-wasi-component", "go"}) {
    const auto error = refused(filled(any_frame, "\"type\": \"" + type + "\""));
    CHECK(error.detail == "The type \"" + type +
                              "\" is not supported: run it as an \"external\" application that listens on a socket.");
    CHECK(error.pointer == at + "type");
    CHECK(error.suggestion == "external");
  }
}

TEST_CASE("root, script, index and targets are checked") {
  check_refusals(any_frame, {
      {R"("type": "php")", "Required parameter \"root\" is missing.", "/applications/a"},
      {R"("type": "fastcgi", "address": "a:1")", "Required parameter \"root\" is missing.", "/applications/a"},
      {R"("type": "php", "root": 1)", "The \"root\" value must be a string, but not an integer number.",
       at + "root"},
      {R"("type": "php", "root": "")", "The \"root\" value must not be empty.", at + "root"},
      {R"("type": "php", "root": "a\u0000")", "The \"root\" value must not contain null character.", at + "root"},
      {R"("type": "php", "root": "/r", "script": [])", "The \"script\" value must be a string, but not an array.",
       at + "script"},
      {R"("type": "php", "root": "/r", "index": null)", "The \"index\" value must be a string, but not a null.",
       at + "index"},
      {R"("type": "php", "root": "/r", "target": {})", "Unknown parameter \"target\".", at + "target", "targets"},
      {R"("type": "php", "targets": [])", "The \"targets\" value must be an object, but not an array.",
       at + "targets"},
      {R"("type": "php", "targets": {})", "The \"targets\" object must contain at least one member.",
       at + "targets"},
      {R"("type": "php", "targets": {"": {"root": "/r"}})", "The target name must not be empty.", at + "targets/"},
      {R"("type": "php", "targets": {"x": 1})", "The \"x\" target must be an object.", at + "targets/x"},
      {R"("type": "php", "targets": {"x": {}})", "Required parameter \"root\" is missing.", at + "targets/x"},
      {R"("type": "php", "targets": {"x": {"root": 1}})",
       "The \"root\" value must be a string, but not an integer number.", at + "targets/x/root"},
      {R"("type": "php", "targets": {"x": {"root": "/r", "scrpt": "a"}})", "Unknown parameter \"scrpt\".",
       at + "targets/x/scrpt", "script"},
  });
  for (const std::string name : {"root", "script", "index"}) {
    const auto error = refused(filled(any_frame, R"("type": "php", "targets": {"x": {"root": "/r"}}, ")" + name +
                                                     "\": \"a\""));
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
      {R"("options": {"user": []})", "The \"user\" value must be an object, but not an array.", at + "options/user"},
      {R"("options": {"admin": {"": "a"}})", "The PHP option name must not be empty.", at + "options/admin/"},
      {R"("options": {"user": {"a": 1}})", "The \"a\" PHP option must be a string.", at + "options/user/a"},
      {R"("options": {"user": {"a": "1\nb=2"}})", "The \"a\" PHP option must be one line.", at + "options/user/a"},
      {R"("options": {"users": {}})", "Unknown parameter \"users\".", at + "options/users", "user"},
  });
}

TEST_CASE("processes are a number or grow with the load") {
  CHECK(php(R"("processes": {})").process.processes == process_count{true, 1, 0, 15s});
  CHECK(php(R"("processes": {"max": 5, "spare": 5, "idle_timeout": 0})").process.processes ==
        process_count{true, 5, 5, 0s});
  CHECK(php(R"("processes": 2147483647)").process.processes.max == 2147483647u);
  const auto processes = at + "processes";
  check_refusals(php_frame, {
      {R"("processes": "1")", "The \"processes\" value must be either an integer number or an object, but not a string.",
       processes},
      {R"("processes": 0)", "The \"processes\" number must be equal to or greater than 1.", processes},
      {R"("processes": 2147483648)", "The \"processes\" number must not exceed 2147483647.", processes},
      {R"("processes": {"max": "1"})", "The \"max\" value must be an integer number, but not a string.",
       processes + "/max"},
      {R"("processes": {"max": 0})", "The \"max\" number must be equal to or greater than 1.", processes + "/max"},
      {R"("processes": {"max": 2147483648})", "The \"max\" number must not exceed 2147483647.", processes + "/max"},
      {R"("processes": {"spare": -1})", "The \"spare\" number must not be negative.", processes + "/spare"},
      {R"("processes": {"spare": null})", "The \"spare\" value must be an integer number, but not a null.",
       processes + "/spare"},
      {R"("processes": {"spare": 2147483648})", "The \"spare\" number must not exceed 2147483647.",
       processes + "/spare"},
      {R"("processes": {"spare": 2})", "The \"spare\" number must be less than or equal to \"max\".",
       processes + "/spare"},
      {R"("processes": {"idle_timeout": -1})", "The \"idle_timeout\" number must not be negative.",
       processes + "/idle_timeout"},
      {R"("processes": {"idle_timeout": 2147484})", "The \"idle_timeout\" number must not exceed 2147483.",
       processes + "/idle_timeout"},
      {R"("processes": {"idle_timeout": true})", "The \"idle_timeout\" value must be an integer number, but not a boolean.",
       processes + "/idle_timeout"},
      {R"("processes": {"min": 1})", "Unknown parameter \"min\".", processes + "/min"},
  });
}

TEST_CASE("what is about the processes has its types") {
  check_refusals(php_frame, {
      {R"("limits": 1)", "The \"limits\" value must be an object, but not an integer number.", at + "limits"},
      {R"("limits": {"timeout": "1"})", "The \"timeout\" value must be an integer number, but not a string.",
       at + "limits/timeout"},
      {R"("limits": {"timeout": -1})", "The \"timeout\" number must not be negative.", at + "limits/timeout"},
      {R"("limits": {"requests": 1.5})", "The \"requests\" value must be an integer number, but not a fractional number.",
       at + "limits/requests"},
      {R"("limits": {"requests": -1})", "The \"requests\" number must not be negative.", at + "limits/requests"},
      {R"("limits": {"shm": 1})", "The \"shm\" limit is not supported: this server shares no memory with applications.",
       at + "limits/shm"},
      {R"("limits": {"time": 1})", "Unknown parameter \"time\".", at + "limits/time"},
      {R"("environment": [])", "The \"environment\" value must be an object, but not an array.", at + "environment"},
      {R"("environment": {"": "a"})", "The environment name must not be empty.", at + "environment/"},
      {R"("environment": {"a=b": "a"})", "The environment name must not contain '=' character.",
       at + "environment/a=b"},
      {R"("environment": {"A": 1})", "The \"A\" environment value must be a string.", at + "environment/A"},
      {R"("environment": {"A": "\u0000"})", "The \"A\" environment value must not contain null character.",
       at + "environment/A"},
      {R"("enviroment": {})", "Unknown parameter \"enviroment\".", at + "enviroment", "environment"},
  });
  CHECK(refused(filled(php_frame, R"("environment": {"\u0000": "a"})")).detail ==
        "The environment name must not contain null character.");
  for (const std::string name : {"user", "group", "working_directory", "stdout", "stderr"}) {
    const auto member = "\"" + name + "\": ";
    CHECK(refused(filled(php_frame, member + "1")).detail ==
          "The \"" + name + "\" value must be a string, but not an integer number.");
    CHECK(refused(filled(php_frame, member + "\"\"")).detail == "The \"" + name + "\" value must not be empty.");
    const auto error = refused(filled(php_frame, member + "\"\\u0000\""));
    CHECK(error.detail == "The \"" + name + "\" value must not contain null character.");
    CHECK(error.pointer == at + name);
  }
}

TEST_CASE("a fastcgi application is a pool somewhere else") {
  const auto application = one(any_frame, R"("type": "fastcgi", "address": "php:9000", "root": "/r")");
  const auto& least = std::get<fastcgi_application>(application.runs);
  CHECK(least == fastcgi_application{{endpoint{"php", 9000, ""}}, 0, 0s});
  CHECK(application.targets.at(0) == script_target{"", "/r", "", "index.php"});
  const auto full = one(any_frame, R"("type": "fastcgi", "address": ["[::1]:9000", "unix:/run/php.sock"],
    "targets": {"x": {"root": "/r", "script": "a.php", "index": "b.php"}}, "workers": 8, "limits": {"timeout": 30})");
  CHECK(std::get<fastcgi_application>(full.runs) ==
        fastcgi_application{{endpoint{"::1", 9000, ""}, endpoint{"", 0, "/run/php.sock"}}, 8, 30s});
  CHECK(full.targets.at(0) == script_target{"x", "/r", "a.php", "b.php"});
}

TEST_CASE("a fastcgi application that is wrong is refused") {
  check_refusals(R"({"applications": {"a": {"type": "fastcgi", "root": "/r", %}}})", {
      {R"("workers": 1)", "Required parameter \"address\" is missing.", "/applications/a"},
      {R"("address": 1)", "The \"address\" value must be either a string or an array, but not an integer number.",
       at + "address"},
      {R"("address": [])", "The \"address\" array must contain at least one element.", at + "address"},
      {R"("address": ["a:1", 2])", "The \"address\" array must contain only string values.", at + "address/1"},
      {R"("address": "a")", "The \"a\" is not valid server address.", at + "address"},
      {R"("address": ["a:1", "*:2"])", "The \"*:2\" is not valid server address.", at + "address/1"},
      {R"("address": "a:1", "workers": 0)", "The \"workers\" number must be equal to or greater than 1.",
       at + "workers"},
      {R"("address": "a:1", "workers": "8")", "The \"workers\" value must be an integer number, but not a string.",
       at + "workers"},
      {R"("address": "a:1", "limits": {"requests": 1})", "Unknown parameter \"requests\".", at + "limits/requests"},
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
      {R"("arguments": "a")", "The \"arguments\" value must be an array, but not a string.", at + "arguments"},
      {R"("arguments": [1])", "The \"arguments\" array must contain only string values.", at + "arguments/0"},
      {R"("arguments": ["a\u0000"])", "The \"arguments\" array must not contain strings with null character.",
       at + "arguments/0"},
      {R"("protocol": "htpp")", "The \"protocol\" can either be \"http\" or \"fastcgi\".", at + "protocol", "http"},
      {R"("protocol": 1)", "The \"protocol\" value must be a string, but not an integer number.", at + "protocol"},
      {R"("root": "/r")", "Unknown parameter \"root\".", at + "root"},
  });
  check_refusals(any_frame, {
      {R"("type": "external")", "Required parameter \"executable\" is missing.", "/applications/a"},
      {R"("type": "external", "executable": "")", "The \"executable\" value must not be empty.", at + "executable"},
      {R"("type": "external", "executable": [])", "The \"executable\" value must be a string, but not an array.",
       at + "executable"},
  });
}

TEST_CASE("every member of isolation is read") {
  const auto isolation = php(R"("isolation": {
    "namespaces": {"cgroup": true, "credential": true, "mount": true, "network": true, "pid": true, "uname": true},
    "uidmap": [{"container": 0, "host": 1000, "size": 1}], "gidmap": [], "rootfs": "/jail",
    "automount": {"language_deps": false, "procfs": false, "tmpfs": false}, "cgroup": {"path": "a/b"},
    "new_privs": false})").process.isolation;
  CHECK(isolation.cgroup_namespace);
  CHECK(isolation.credential);
  CHECK(isolation.mount);
  CHECK(isolation.network);
  CHECK(isolation.pid);
  CHECK(isolation.uname);
  CHECK(isolation.uidmap == std::vector<process_isolation::mapping>{{0, 1000, 1}});
  CHECK(isolation.gidmap.empty());
  CHECK(isolation.rootfs == "/jail");
  CHECK_FALSE(isolation.automount_language_deps);
  CHECK_FALSE(isolation.automount_procfs);
  CHECK_FALSE(isolation.automount_tmpfs);
  CHECK(isolation.cgroup_path == "a/b");
  CHECK(isolation.new_privileges == false);
  const auto none = php(R"("isolation": {})").process.isolation;
  CHECK(none == process_isolation{});
  CHECK(none.automount_procfs);
  CHECK_FALSE(none.pid);
  CHECK_FALSE(none.new_privileges);
}

TEST_CASE("isolation that is wrong is refused") {
  const auto in = at + "isolation/";
  check_refusals(isolation_frame, {
      {R"("namespaces": [])", "The \"namespaces\" value must be an object, but not an array.", in + "namespaces"},
      {R"("namespaces": {"pid": 1})", "The \"pid\" value must be a boolean, but not an integer number.",
       in + "namespaces/pid"},
      {R"("namespaces": {"user": true})", "Unknown parameter \"user\".", in + "namespaces/user"},
      {R"("uidmap": {})", "The \"uidmap\" value must be an array, but not an object.", in + "uidmap"},
      {R"("uidmap": [1])", "The \"uidmap\" array must contain only object values.", in + "uidmap/0"},
      {R"("gidmap": ["a"])", "The \"gidmap\" array must contain only object values.", in + "gidmap/0"},
      {R"("gidmap": [{"host": 1, "size": 1}])", "Required parameter \"container\" is missing.", in + "gidmap/0"},
      {R"("gidmap": [{"container": "0", "host": 1, "size": 1}])",
       "The \"container\" value must be an integer number, but not a string.", in + "gidmap/0/container"},
      {R"("uidmap": [{"container": 0, "host": -1, "size": 1}])", "The \"host\" number must not be negative.",
       in + "uidmap/0/host"},
      {R"("rootfs": 1)", "The \"rootfs\" value must be a string, but not an integer number.", in + "rootfs"},
      {R"("automount": {"procfs": "a"})", "The \"procfs\" value must be a boolean, but not a string.",
       in + "automount/procfs"},
      {R"("cgroup": {})", "Required parameter \"path\" is missing.", in + "cgroup"},
      {R"("cgroup": {"path": ""})", "The cgroup path \"\" is invalid.", in + "cgroup/path"},
      {R"("cgroup": {"path": "a/../b"})", "The cgroup path \"a/../b\" is invalid.", in + "cgroup/path"},
      {R"("new_privs": "a")", "The \"new_privs\" value must be a boolean, but not a string.", in + "new_privs"},
      {R"("roots": "a")", "Unknown parameter \"roots\".", in + "roots", "rootfs"},
  });
  for (const std::string path : {"", "/", "//", "jail", "/a/..", "/./", "/../.."}) {
    const auto error = refused(filled(isolation_frame, "\"rootfs\": \"" + path + "\""));
    CHECK(error.detail == "The \"rootfs\" path \"" + path +
                              "\" is invalid; an absolute path other than \"/\" is required.");
  }
  const std::string long_path(5000, 'a');
  CHECK(refused(filled(isolation_frame, R"("cgroup": {"path": ")" + long_path + "\"}")).detail ==
        "The cgroup path \"" + long_path + "\" is too long.");
}
