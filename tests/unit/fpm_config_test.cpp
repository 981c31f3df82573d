// The configuration text and the command line of our php-fpm.
#include "catch.hpp"

#include "init/fpm_config.hpp"

using namespace httpd;
using init::ini_quoted;

namespace {

config::php sample() {
  config::php php;
  php.fpm_path = "/usr/sbin/php-fpm8.2";
  php.workers = 8;
  return php;
}

std::string text_of(const config::php& php, const init::fpm_pool& pool) {
  return init::fpm_config(php, std::chrono::milliseconds{2500}, pool);
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("the pool has the size, the socket and the user it is given") {
  const auto text = text_of(sample(), {"/run/x/inherited", "www-data", "web"});
  CHECK(has_line(text, "listen = /run/x/inherited"));
  CHECK(has_line(text, "pm = static"));
  CHECK(has_line(text, "pm.max_children = 8"));
  CHECK(has_line(text, "user = www-data"));
  CHECK(has_line(text, "group = web"));
}

TEST_CASE("the pool has the name of its application, and nothing in it is special") {
  auto php = sample();
  CHECK(has_line(text_of(php, {"/s", "", ""}), "[www]"));
  php.name = "shop-2";
  CHECK(has_line(text_of(php, {"/s", "", ""}), "[shop-2]"));
  php.name = "a]\nuser = root\n[b";
  CHECK(has_line(text_of(php, {"/s", "", ""}), "[a__user___root__b]"));
}

TEST_CASE("who is not root names no user") {
  const auto text = text_of(sample(), {"/run/x/inherited", "", ""});
  CHECK(text.find("user =") == std::string::npos);
  CHECK(text.find("group =") == std::string::npos);
}

TEST_CASE("the grace is rounded up to seconds, php-fpm knows no less") {
  CHECK(has_line(text_of(sample(), {"/s", "", ""}), "process_control_timeout = 3s"));
}

TEST_CASE("messages leave whole and undecorated, and the environment is kept") {
  const auto text = text_of(sample(), {"/s", "", ""});
  for (const auto* line : {"daemonize = no", "error_log = /dev/null", "log_level = warning",
                           "log_limit = 1048576",
                           "clear_env = no", "catch_workers_output = yes", "decorate_workers_output = no",
                           "security.limit_extensions = .php", "php_admin_value[fastcgi.logging] = 0"}) {
    CAPTURE(line);
    CHECK(has_line(text, line));
  }
}

TEST_CASE("the command line is short without wishes") {
  CHECK(init::fpm_arguments(sample(), "/proc/self/fd/7", false) ==
        std::vector<std::string>{"/usr/sbin/php-fpm8.2", "-F", "-O", "-y", "/proc/self/fd/7"});
}

TEST_CASE("root workers, a php.ini and settings are on the command line") {
  auto php = sample();
  php.ini_file = "/etc/my.ini";
  php.values = {{"memory_limit", "256M"}, {"user_agent", "it's"}};
  CHECK(init::fpm_arguments(php, "/f", true) ==
        std::vector<std::string>{"/usr/sbin/php-fpm8.2", "-F", "-O", "-y", "/f", "-R", "-c", "/etc/my.ini",
                                 "-d", "memory_limit='256M'", "-d", "user_agent='it'\"'\"'s'"});
}

TEST_CASE("every value is quoted so that nothing in it is special") {
  CHECK(ini_quoted("") == "\"\"");
  CHECK(ini_quoted("on") == "'on'");
  CHECK(ini_quoted("a ${HOME};#\"\\[]=") == "'a ${HOME};#\"\\[]='");
  CHECK(ini_quoted("'") == "\"'\"");
  CHECK(ini_quoted("''a'") == "\"''\"'a'\"'\"");
}
