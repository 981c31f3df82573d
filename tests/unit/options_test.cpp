// The command line and the environment to a configuration.
#include "catch.hpp"

#include "config/given_options.hpp"
#include "config/options.hpp"

#include <filesystem>
#include <fstream>
#include <stdlib.h>

using namespace httpd::config;
using namespace std::chrono_literals;

namespace {

// A site with nothing in it, and an environment without our variables.
class site {
public:
  site() {
    std::string name = std::filesystem::temp_directory_path() / "site-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~site() {
    for (const auto& name : variables_) ::unsetenv(name.c_str());
    std::filesystem::remove_all(path);
  }
  site(site&&) = delete;

  void put(const std::string& name) const { std::ofstream{path + "/" + name} << "x"; }
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    variables_.push_back(name);
  }
  options read(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"httpd-php-fpm", "--document-root", path});
    return read_all(arguments);
  }
  configuration config(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--php-fpm", "none"});
    return read(std::move(arguments)).config;
  }
  // What is written for options that make no sense.
  std::string refusal(std::vector<std::string> arguments, int status = 2) const {
    try {
      read(std::move(arguments));
    } catch (const option_error& error) {
      CHECK(error.exit_status() == status);
      return error.what();
    }
    return "not refused";
  }
  static options read_all(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv;
    for (const auto& argument : arguments) argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    return read_options(int(arguments.size()), argv.data()).value();
  }

  std::string path;

private:
  std::vector<std::string> variables_;
};

std::vector<std::string> texts(const std::vector<httpd::endpoint>& addresses) {
  std::vector<std::string> all;
  for (const auto& address : addresses) all.push_back(address.to_string());
  return all;
}

using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("without options the defaults of the documentation hold") {
  const site here;
  const auto config = here.config({});
  CHECK(config.document_root == here.path);
  CHECK(texts(config.serve) == strings{"127.0.0.1:3000"});
  CHECK(config.index == strings{"index.php", "index.html"});
  CHECK(config.front_controller.empty());
  CHECK(config.limits.max_body_bytes == 8u << 20);
  CHECK(config.limits.grace == 9s);
  CHECK(config.limits.max_head_bytes == 128u << 10);
  CHECK(config.limits.max_target_bytes == 33'280);
  CHECK(config.limits.max_fields == 200);
  CHECK(config.limits.max_connections == 0);
  CHECK(config.limits.keepalive_requests == 1000);
  CHECK(config.limits.max_php_head_bytes == 256u << 10);
  CHECK(config.limits.php_buffer_bytes == 128u << 10);
  CHECK(config.php.queue_length == 10000);
  CHECK(config.threads >= 1);
  CHECK(config.access_log.target == "-");
  CHECK(config.health_path == "/.httpd/health");
}

TEST_CASE("limits are taken at the ends of their ranges and refused beyond them") {
  const site here;
  const auto taken = [&](const char* option, const char* value) {
    return here.config({option, value}).limits;
  };
  CHECK(taken("--max-head", "256").max_head_bytes == 256);
  CHECK(taken("--max-head", "16M").max_head_bytes == 16u << 20);
  CHECK(taken("--max-target", "16").max_target_bytes == 16);
  CHECK(taken("--max-target", "63k").max_target_bytes == 63u << 10);
  CHECK(taken("--max-fields", "1").max_fields == 1);
  CHECK(taken("--max-fields", "10000").max_fields == 10'000);
  CHECK(taken("--max-connections", "1").max_connections == 1);
  CHECK(taken("--keepalive-requests", "0").keepalive_requests == 0);
  CHECK(taken("--max-php-head", "16m").max_php_head_bytes == 16u << 20);
  CHECK(taken("--php-buffer", "4k").php_buffer_bytes == 4096);
  CHECK(taken("--php-spool", "0").php_spool_bytes == 0);
  CHECK(taken("--php-spool", "2T").php_spool_bytes == std::uint64_t{2} << 40);
  using pair = std::pair<const char*, const char*>;
  for (const auto& [option, value] :
       {pair{"--max-head", "255"}, pair{"--max-head", "16385k"}, pair{"--max-target", "15"},
        pair{"--max-target", "64k"}, pair{"--max-fields", "0"}, pair{"--max-fields", "10001"},
        pair{"--max-connections", "0"}, pair{"--max-connections", "lots"}, pair{"--keepalive-requests", "-1"},
        pair{"--max-php-head", "1"}, pair{"--php-buffer", "4095"}, pair{"--php-buffer", "2G"},
        pair{"--php-spool", "-1"}, pair{"--php-spool", "x"}})
    CHECK(here.refusal({option, value}).starts_with(option));
}

TEST_CASE("repeatable options add up, others take the last") {
  const site here;
  const auto config = here.config({"-s", "8080", "--serve=[::1]:0", "-s", "unix:/run/x.sock",
                                   "--index", "a.html", "--index", "b.html", "--grace", "1s",
                                   "--grace", "500ms", "-s4000"});
  CHECK(texts(config.serve) == strings{"127.0.0.1:8080", "[::1]:0", "unix:/run/x.sock", "127.0.0.1:4000"});
  CHECK(config.index == strings{"a.html", "b.html"});
  CHECK(config.limits.grace == 500ms);
}

TEST_CASE("every option can come from the environment") {
  site here;
  here.set("HTTPD_SERVE", " 8080,8081 [::1]:8082\n");
  here.set("HTTPD_MAX_BODY", "1G");
  here.set("HTTPD_TRUSTED_PROXY", "10.0.0.0/8, unix");
  const auto config = here.config({});
  CHECK(texts(config.serve) == strings{"127.0.0.1:8080", "127.0.0.1:8081", "[::1]:8082"});
  CHECK(config.limits.max_body_bytes == 1u << 30);
  CHECK(config.trusted_proxies.size() == 2);
}

TEST_CASE("the command line wins over the environment, and an empty variable is none") {
  site here;
  here.set("HTTPD_SERVE", "8080");
  here.set("HTTPD_GRACE", "");
  const auto config = here.config({"-s", "9090"});
  CHECK(texts(config.serve) == strings{"127.0.0.1:9090"});
  CHECK(config.limits.grace == 9s);
}

TEST_CASE("the sandbox is on unless it is switched off") {
  site here;
  CHECK(here.config({}).sandbox.on);
  CHECK_FALSE(here.config({"--no-sandbox"}).sandbox.on);
  here.put("more");
  CHECK(here.config({"--sandbox-read", here.path + "/./more", "--sandbox-read", "/"}).sandbox.reads ==
        strings{here.path + "/more", "/"});
  CHECK(here.refusal({"--no-sandbox", "--sandbox-read", "/"}).starts_with("--sandbox-read"));
  CHECK(here.refusal({"--sandbox-read", "/missing/file"}).starts_with("--sandbox-read /missing/file: "));
  for (const auto* yes : {"1", "yes", "TRUE", "on"}) {
    here.set("HTTPD_NO_SANDBOX", yes);
    CHECK_FALSE(here.config({}).sandbox.on);
  }
  here.set("HTTPD_SANDBOX_READ", here.path);  // a base image's, and of no use now
  CHECK(here.config({}).sandbox.reads.empty());
  for (const auto* no : {"0", "no", "false", "Off", ""}) {
    here.set("HTTPD_NO_SANDBOX", no);
    CHECK(here.config({}).sandbox.on);
  }
  here.set("HTTPD_NO_SANDBOX", "perhaps");
  CHECK(here.refusal({}).find("HTTPD_NO_SANDBOX") != std::string::npos);
}

TEST_CASE("PHP settings are separated by lines or semicolons in the environment") {
  CHECK(split_environment("a=1, 2;b=x y\n\nc=3;", repeat::by_line_or_semicolon) ==
        strings{"a=1, 2", "b=x y", "c=3"});
  CHECK(split_environment("a b,c", repeat::last_wins) == strings{"a b,c"});
  CHECK(environment_name("php-fpm") == "HTTPD_PHP_FPM");
}

TEST_CASE("a refusal names the option, the value and the reason in one line") {
  const site here;
  CHECK(here.refusal({"--threads", "-1"}) == "--threads -1: must be a whole number from 1 to 1024");
  CHECK(here.refusal({"--threads", "0"}).starts_with("--threads 0: "));
  CHECK(here.refusal({"--foo"}) == "--foo: unknown option, see --help");
  CHECK(here.refusal({"--foo=1"}) == "--foo: unknown option, see --help");
  CHECK(here.refusal({"word"}).starts_with("word: unexpected argument"));
  CHECK(here.refusal({"--serve"}) == "--serve: needs a value");
  CHECK(here.refusal({"--access-log=", "--no-sandbox"}) == "--access-log: needs a value");
  CHECK(here.refusal({"--grace", "0"}).starts_with("--grace 0: "));
  CHECK(here.refusal({"--max-body", "8 M\n"}).starts_with("--max-body 8 M\\x0A: "));
  CHECK(here.refusal({"--php-value", "no equals"}) == "--php-value no equals: must be NAME=VALUE");
  CHECK(here.refusal({"--php-value", "a]b=1"}).starts_with("--php-value a]b=1: "));
  CHECK(here.refusal({"--index", "a/b"}) == "--index a/b: must be a file name");
  CHECK(here.refusal({"--php-fpm", "none", "--front-controller", "/no"}).starts_with("--front-controller "));
  CHECK(here.refusal({"--trusted-proxy", "10.0.0.0/99"}).starts_with("--trusted-proxy 10.0.0.0/99: "));
  CHECK(here.refusal({"--log-format", "xml"}) == "--log-format xml: must be combined or json");
  CHECK(here.refusal({"--a\nb\x1b[31m\x7f"}) == "--a\\x0Ab\\x1B[31m\\x7F: unknown option, see --help");
  CHECK(here.refusal({"--php", "unix:/a\nb", "--php-fpm", "none"}).starts_with(
      "--php-fpm none: excludes --php unix:/a\\x0Ab: "));
  CHECK(here.refusal({"--document-root", "/does/not/exist"}) ==
        "--document-root /does/not/exist: No such file or directory");
}

TEST_CASE("a refusal says when the value is from the environment") {
  site here;
  here.set("HTTPD_LOG_FORMAT", "xml");
  CHECK(here.refusal({}) == "--log-format xml: must be combined or json (from HTTPD_LOG_FORMAT)");
}

TEST_CASE("a php-fpm that cannot run has the exit status of a shell") {
  const site here;
  here.put("plain");
  CHECK(here.refusal({"--php-fpm", here.path + "/none"}, 127).starts_with("--php-fpm "));
  CHECK(here.refusal({"--php-fpm", here.path + "/plain"}, 126).starts_with("--php-fpm "));
}

TEST_CASE("our own php-fpm and one elsewhere exclude each other, unless the environment is overruled") {
  site here;
  CHECK(here.refusal({"--php", "unix:/p", "--php-fpm", "none"}).starts_with("--php-fpm none: excludes"));
  here.set("HTTPD_PHP_FPM", "/does/not/exist");
  const auto config = here.read({"--php", "127.0.0.1:9000"}).config;
  CHECK(config.php.mode == php_mode::external);
  CHECK(config.php.workers == 0);
}

TEST_CASE("options that would do nothing are refused on the command line") {
  const site here;
  CHECK(here.refusal({"--php", "unix:/p", "--php-value", "a=1"}).starts_with("--php-value a=1: "));
  CHECK(here.refusal({"--php-fpm", "none", "--php-root", "/x"}).starts_with("--php-root /x: "));
}

TEST_CASE("a limit of the body is one for our own php-fpm too, when it is given") {
  site here;
  const auto names = [&here](strings arguments) {
    arguments.insert(arguments.begin(), {"--php-fpm", "/bin/true"});
    strings all;
    for (const auto& [name, value] : here.read(arguments).config.php.values)
      all.push_back(name + "=" + value);
    return all;
  };
  CHECK(names({}).empty());
  CHECK(names({"--max-body", "1M"}) == strings{"post_max_size=1048576", "upload_max_filesize=1048576"});
  CHECK(names({"--max-body", "1M", "--php-value", "post_max_size=2M"}) ==
        strings{"post_max_size=2M", "upload_max_filesize=1048576"});
  CHECK(here.read({"--php", "unix:/p", "--max-body", "1M"}).config.php.values.empty());
  here.set("HTTPD_MAX_BODY", "2k");
  CHECK(names({}) == strings{"post_max_size=2048", "upload_max_filesize=2048"});
}

TEST_CASE("/index.php is the front controller when PHP runs, also when it is not there yet") {
  const site here;
  CHECK(here.read({"--php", "unix:/p"}).config.front_controller == "/index.php");
  here.put("app.html");
  CHECK(here.config({}).front_controller.empty());
  CHECK(here.config({"--front-controller", "/app.html"}).front_controller == "/app.html");
  CHECK(here.read({"--php", "unix:/p", "--front-controller", "none"}).config.front_controller.empty());
}

TEST_CASE("health asks the first address served, and nothing else of the options matters") {
  const auto url = [](strings arguments) {
    arguments.insert(arguments.begin(), "httpd-php-fpm");
    const auto read = site::read_all(arguments);
    CHECK(read.what == command::health);
    return read.health_url;
  };
  CHECK(url({"health"}) == "http://127.0.0.1:3000/.httpd/health");
  CHECK(url({"health", "http://127.0.0.1:1/x"}) == "http://127.0.0.1:1/x");
  CHECK(url({"health", "-s", "*:8080", "--health-path", "/up", "-d", "/none"}) == "http://127.0.0.1:8080/up");
  CHECK(url({"-s", "[::]:80", "health"}) == "http://[::1]:80/.httpd/health");
  CHECK(url({"-s", "unix:/run/s", "health"}) == "unix:/run/s:/.httpd/health");
}

TEST_CASE("the configuration in force is printed as JSON") {
  const site here;
  const auto text = print(here.config({"--index", "a\"b", "--grace", "1500ms"}));
  CHECK(text.starts_with("{\n  \"document-root\": \"" + here.path + "\",\n"));
  CHECK(text.find("\"serve\": [\"127.0.0.1:3000\"]") != text.npos);
  CHECK(text.find("\"php-fpm\": \"none\"") != text.npos);
  CHECK(text.find("\"index\": [\"a\\\"b\"]") != text.npos);
  CHECK(text.find("\"grace\": \"1500ms\"") != text.npos);
  CHECK(text.ends_with("\n}\n"));
}
