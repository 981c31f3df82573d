// What applications whose processes are ours have in common: how many, as whom, and isolation.
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view php_frame = R"({"applications": {"a": {"type": "php", "root": "/r", %}}})";
constexpr std::string_view isolation_frame =
    R"({"applications": {"a": {"type": "php", "root": "/r", "isolation": {%}}}})";
const std::string at = "/applications/a/";

process_settings process(std::string_view members) {
  const auto site = accepted(filled(php_frame, members));
  return std::get<php_application>(site.applications.at(0).runs).process;
}

}  // namespace

TEST_CASE("processes are a number or grow with the load") {
  CHECK(process(R"("processes": {})").processes == process_count{true, 1, 0, 15s});
  CHECK(process(R"("processes": {"max": 5, "spare": 5, "idle_timeout": 0})").processes ==
        process_count{true, 5, 5, 0s});
  CHECK(process(R"("processes": 2147483647)").processes.max == 2147483647u);
  const auto processes = at + "processes";
  check_refusals(php_frame, {
      {R"("processes": "1")",
       "The \"processes\" value must be either an integer number or an object, but not a string.",
       processes},
      {R"("processes": 0)", "The \"processes\" number must be equal to or greater than 1.", processes},
      {R"("processes": 2147483648)", "The \"processes\" number must not exceed 2147483647.", processes},
      {R"("processes": {"max": "1"})", "The \"max\" value must be an integer number, but not a string.",
       processes + "/max"},
      {R"("processes": {"max": 0})",
       "The \"max\" number must be equal to or greater than 1.", processes + "/max"},
      {R"("processes": {"max": 2147483648})",
       "The \"max\" number must not exceed 2147483647.", processes + "/max"},
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
      {R"("processes": {"idle_timeout": true})",
       "The \"idle_timeout\" value must be an integer number, but not a boolean.",
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
      {R"("limits": {"requests": 1.5})",
       "The \"requests\" value must be an integer number, but not a fractional number.",
       at + "limits/requests"},
      {R"("limits": {"requests": -1})",
       "The \"requests\" number must not be negative.", at + "limits/requests"},
      {R"("limits": {"shm": 1})",
       "The \"shm\" limit is not supported: this server shares no memory with applications.",
       at + "limits/shm"},
      {R"("limits": {"time": 1})", "Unknown parameter \"time\".", at + "limits/time"},
      {R"("environment": [])",
       "The \"environment\" value must be an object, but not an array.", at + "environment"},
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
    CHECK(refused(filled(php_frame, member + "\"\"")).detail ==
          "The \"" + name + "\" value must not be empty.");
    const auto error = refused(filled(php_frame, member + "\"\\u0000\""));
    CHECK(error.detail == "The \"" + name + "\" value must not contain null character.");
    CHECK(error.pointer == at + name);
  }
}

TEST_CASE("every member of isolation is read") {
  const auto isolation = process(R"("isolation": {
    "namespaces": {"cgroup": true, "credential": true, "mount": true, "network": true, "pid": true,
                   "uname": true},
    "uidmap": [{"container": 0, "host": 1000, "size": 1}], "gidmap": [], "rootfs": "/jail",
    "automount": {"language_deps": false, "procfs": false, "tmpfs": false}, "cgroup": {"path": "a/b"},
    "new_privs": false})").isolation;
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
  const auto none = process(R"("isolation": {})").isolation;
  CHECK(none == process_isolation{});
  CHECK(none.automount_procfs);
  CHECK_FALSE(none.pid);
  CHECK_FALSE(none.new_privileges);
}

TEST_CASE("isolation that is wrong is refused") {
  const auto in = at + "isolation/";
  check_refusals(isolation_frame, {
      {R"("namespaces": [])",
       "The \"namespaces\" value must be an object, but not an array.", in + "namespaces"},
      {R"("namespaces": {"pid": 1})", "The \"pid\" value must be a boolean, but not an integer number.",
       in + "namespaces/pid"},
      {R"("namespaces": {"user": true})", "Unknown parameter \"user\".", in + "namespaces/user"},
      {R"("uidmap": {})", "The \"uidmap\" value must be an array, but not an object.", in + "uidmap"},
      {R"("uidmap": [1])", "The \"uidmap\" array must contain only object values.", in + "uidmap/0"},
      {R"("gidmap": ["a"])", "The \"gidmap\" array must contain only object values.", in + "gidmap/0"},
      {R"("gidmap": [{"host": 1, "size": 1}])",
       "Required parameter \"container\" is missing.", in + "gidmap/0"},
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
      {R"("new_privs": "a")",
       "The \"new_privs\" value must be a boolean, but not a string.", in + "new_privs"},
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
