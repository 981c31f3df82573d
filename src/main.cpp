// The story: options, then the configuration, then init, which starts and watches everything else.
#include "base/text.hpp"
#include "config/options.hpp"
#include "control/health.hpp"
#include "init/init.hpp"

#include <cstdio>
#include <exception>
#include <string>

namespace {

int fail(const char* what, int exit_status) {
  std::fprintf(stderr, "httpd-php-fpm: %s\n", what);
  return exit_status;
}

int obey(httpd::config::options options, int argc, char** argv) {
  using httpd::config::command;
  switch (options.what) {
    case command::check:
      httpd::init::check(options.config);
      std::puts("configuration ok");
      return 0;
    case command::print_config:
      std::fputs(print(options.config).c_str(), stdout);
      return 0;
    case command::health: return httpd::control::ask_health(options.health_url);
    case command::serve: break;
  }
  const auto read_again = [argc, argv] {
    auto fresh = httpd::config::read_options(argc, argv);
    return fresh.value().config;
  };
  return httpd::init::run(std::move(options.config), read_again);
}

}  // namespace

int main(int argc, char** argv) {
  httpd::init::hold_signals();
  try {
    auto options = httpd::config::read_options(argc, argv);
    return options ? obey(std::move(*options), argc, argv) : 0;
  } catch (const httpd::config::option_error& error) {
    return fail(error.what(), error.exit_status());
  } catch (const std::exception& error) {
    return fail(httpd::escaped(error.what()).c_str(), 1);  // it may name a path
  }
}
