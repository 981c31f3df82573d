// Which php-fpm is chosen.
#include "catch.hpp"

#include "config/php_fpm_search.hpp"

#include <filesystem>
#include <fstream>
#include <stdlib.h>

using namespace httpd::config;

namespace {

class folder {
public:
  folder() {
    std::string name = std::filesystem::temp_directory_path() / "programs-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~folder() { std::filesystem::remove_all(path); }
  folder(folder&&) = delete;

  std::string add(const std::string& name, bool executable = true) const {
    const auto file = path + "/" + name;
    std::ofstream{file} << "#!/bin/sh\n";
    using std::filesystem::perms;
    std::filesystem::permissions(file, executable ? perms::owner_all : perms::owner_read);
    return file;
  }
  std::string path;
};

}  // namespace

TEST_CASE("versions compare by their parts") {
  CHECK(older_version("8.9", "8.10"));
  CHECK_FALSE(older_version("8.10", "8.9"));
  CHECK(older_version("7.4", "8.0"));
  CHECK(older_version("8", "8.1"));
  CHECK(older_version("", "5"));
  CHECK_FALSE(older_version("8.2", "8.2"));
  CHECK_FALSE(older_version("", ""));
}

TEST_CASE("the newest version wins, whatever the folder") {
  const folder a, b;
  a.add("php-fpm8.2");
  a.add("php-fpm");
  const auto newest = b.add("php-fpm8.10");
  b.add("php-fpm8.9");
  b.add("php-fpm9.0", false);
  b.add("php-fpm-wrapper");
  std::filesystem::create_directory(b.path + "/php-fpm99");
  CHECK(newest_php_fpm({a.path, "/does/not/exist", b.path}) == newest);
}

TEST_CASE("a plain php-fpm is taken when there is no other, the first of two") {
  const folder a, b;
  const auto first = a.add("php-fpm");
  b.add("php-fpm");
  CHECK(newest_php_fpm({a.path, b.path}) == first);
  CHECK(newest_php_fpm({}).empty());
}

TEST_CASE("a program is a path, or a name that is looked for") {
  const folder a;
  const auto file = a.add("php-fpm8.2");
  CHECK(find_program(file, {}).path == file);
  CHECK(find_program("php-fpm8.2", {"/nowhere", a.path}).path == file);
}

TEST_CASE("a program that is not there is 127, one that cannot run 126") {
  const folder a;
  const auto file = a.add("plain", false);
  CHECK(find_program(a.path + "/none", {}).exit_status == 127);
  CHECK(find_program("none", {a.path}).exit_status == 127);
  CHECK(find_program(file, {}).exit_status == 126);
  CHECK(find_program(a.path, {}).exit_status == 126);
}

TEST_CASE("programs are looked for in PATH first, then where php-fpm lives") {
  const auto folders = program_folders("/a:relative::/usr/sbin:/a");
  const decltype(folders) right{"/a", "/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/bin"};
  CHECK(folders == right);
  CHECK(program_folders(nullptr).front() == "/usr/local/sbin");
}
