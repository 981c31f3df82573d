// Where the first process of a container serves.
#include "catch.hpp"

#include "config/first_process.hpp"

#include <filesystem>
#include <fstream>
#include <stdlib.h>

using namespace httpd::config;
using strings = std::vector<std::string>;
using namespace std::string_literals;

namespace {

// A fake /proc whose first process has this command line.
class machine {
public:
  explicit machine(const std::string& cmdline) {
    std::string name = std::filesystem::temp_directory_path() / "proc-XXXXXX";
    path = ::mkdtemp(name.data());
    std::filesystem::create_directories(path + "/proc/1");
    std::ofstream{path + "/proc/1/cmdline"} << cmdline;
  }
  ~machine() { std::filesystem::remove_all(path); }
  machine(machine&&) = delete;

  // What `health` with this command line takes for `name`.
  strings seen_by(std::vector<const char*> argv, std::string_view name, bool from_environment = false) const {
    argv.insert(argv.begin(), "httpd-php-fpm");
    argv.push_back(nullptr);
    auto health = read_command_line(int(argv.size()) - 1, argv.data());
    for (auto& [_, option] : health.by_name) option.from_environment = from_environment;
    adopt_first_process(health, path);
    const auto* found = health.find(name);
    return found ? found->values : strings{};
  }

  std::string path;
};

}  // namespace

TEST_CASE("our command line is found, also behind another init, and no other is taken for it") {
  CHECK(own_command_line("/usr/bin/httpd-php-fpm\0-s\0" "80\0"s) ==
        strings{"/usr/bin/httpd-php-fpm", "-s", "80"});
  CHECK(own_command_line("/sbin/docker-init\0--\0/usr/bin/httpd-php-fpm\0--serve=81\0"s) ==
        strings{"/usr/bin/httpd-php-fpm", "--serve=81"});
  CHECK(own_command_line("httpd-php-fpm\0--user\0\0-d\0x\0"s) ==
        strings{"httpd-php-fpm", "--user", "", "-d", "x"});
  CHECK(own_command_line("").empty());
  CHECK(own_command_line("/sbin/init\0splash\0"s).empty());
  CHECK(own_command_line("sh\0-c\0httpd-php-fpm -s 80\0"s).empty());
}

TEST_CASE("health asks where the first process was told to serve") {
  const machine here{"/usr/bin/httpd-php-fpm\0-d\0/none\0-s\0" "0.0.0.0:8080\0--health-path\0/up\0"s};
  CHECK(here.seen_by({"health"}, "serve") == strings{"0.0.0.0:8080"});
  CHECK(here.seen_by({"health"}, "health-path") == strings{"/up"});
  CHECK(here.seen_by({"health"}, "document-root").empty());
}

TEST_CASE("the command line of health wins over that of the first process, which wins over the environment") {
  const machine here{"httpd-php-fpm\0-s\0" "8080\0"s};
  CHECK(here.seen_by({"-s", "9090", "health"}, "serve") == strings{"9090"});
  CHECK(here.seen_by({"-s", "9090", "health"}, "serve", true) == strings{"8080"});
  CHECK(here.seen_by({"--health-path", "/up", "health"}, "health-path", true) == strings{"/up"});
}

TEST_CASE("a first process that is another program changes nothing") {
  for (const auto& text : {""s, "/sbin/init\0"s, "httpd-php-fpm\0--of-another-kind\0"s}) {
    const machine here{text};
    CHECK(here.seen_by({"-s", "9090", "health"}, "serve", true) == strings{"9090"});
    CHECK(here.seen_by({"health"}, "serve").empty());
  }
}
