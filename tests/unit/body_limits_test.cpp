// PHP's limits of a request body beside --max-body.
#include "catch.hpp"

#include "config/body_limits.hpp"

#include <filesystem>
#include <fstream>
#include <stdlib.h>

using namespace httpd::config;
using settings = std::vector<std::pair<std::string, std::string>>;

namespace {

class folder {
public:
  folder() {
    std::string name = std::filesystem::temp_directory_path() / "ini-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~folder() { std::filesystem::remove_all(path); }
  folder(folder&&) = delete;

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream{path + "/" + name} << text;
    return path + "/" + name;
  }

  std::string path;
};

configuration with_max_body(std::uint64_t bytes) {
  configuration config;
  config.limits.max_body_bytes = bytes;
  return config;
}

}  // namespace

TEST_CASE("an ini text sets what begins a line of it, and not what is a comment or another name") {
  CHECK(ini_sets("post_max_size = 8M\n", "post_max_size"));
  CHECK(ini_sets("a=b\r\n\tpost_max_size=8M", "post_max_size"));
  CHECK(ini_sets("[PHP]\npost_max_size\t=", "post_max_size"));
  CHECK_FALSE(ini_sets("", "post_max_size"));
  CHECK_FALSE(ini_sets(";post_max_size = 8M\n", "post_max_size"));
  CHECK_FALSE(ini_sets("post_max_size_x = 8M\nx.post_max_size = 1\n", "post_max_size"));
  CHECK_FALSE(ini_sets("post_max_size\n= 8M", "post_max_size"));
}

TEST_CASE("PHP gets both limits of the server") {
  auto config = with_max_body(64 << 20);
  follow_max_body(config, "");
  CHECK(config.php.values == settings{{"post_max_size", "67108864"}, {"upload_max_filesize", "67108864"}});
}

TEST_CASE("no limit is none for PHP either, and the largest is one that PHP can write") {
  auto none = with_max_body(0);
  follow_max_body(none, "");
  CHECK(none.php.values.at(0) == std::pair<std::string, std::string>{"post_max_size", "0"});
  auto most = with_max_body(~std::uint64_t{});
  follow_max_body(most, "");
  CHECK(most.php.values.at(1).second == "9223372036854775807");
}

TEST_CASE("a limit that the user set for PHP stays") {
  auto config = with_max_body(1 << 20);
  config.php.values = {{"upload_max_filesize", "5M"}};
  follow_max_body(config, "");
  CHECK(config.php.values == settings{{"upload_max_filesize", "5M"}, {"post_max_size", "1048576"}});
}

TEST_CASE("a limit in the user's php.ini stays") {
  const folder here;
  auto config = with_max_body(1 << 20);
  config.php.ini_file = here.put("my.ini", "post_max_size = 3M\n");
  follow_max_body(config, "");
  CHECK(config.php.values == settings{{"upload_max_filesize", "1048576"}});
}

TEST_CASE("a limit in a file of a named folder of settings stays") {
  const folder one, two;
  one.put("a.ini", "memory_limit = 1G\n");
  one.put("b.txt", "post_max_size = 3M\n");
  two.put("c.ini", "upload_max_filesize = 3M\n");
  auto config = with_max_body(1 << 20);
  follow_max_body(config, ":" + one.path + ":/no/such:" + two.path + ":");
  CHECK(config.php.values == settings{{"post_max_size", "1048576"}});
}
