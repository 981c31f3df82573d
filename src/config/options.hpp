// The command line and the environment (HTTPD_ + the long name) to a configuration.
#pragma once

#include "config/config.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace httpd::config {

// An option that makes no sense. what() is one line of printable ASCII, whatever was given, that names the
// option, the value and the reason; the process ends with exit_status().
class option_error : public std::runtime_error {
public:
  option_error(const std::string& what, int exit_status = 2);
  // "--NAME VALUE: REASON"
  option_error(std::string_view name, std::string_view value, std::string_view reason,
               int exit_status = 2);
  int exit_status() const noexcept { return exit_status_; }

private:
  int exit_status_;
};

enum class command { serve, check, print_config, health };

struct options {
  command what = command::serve;
  configuration config;
  std::string health_url;  // command::health
};

// nullopt: --help or --version was answered on standard output. Throws option_error.
// Reads the file system (is the folder there, which php-fpm exists, cgroup limits); opens nothing
// for keeps and binds nothing.
std::optional<options> read_options(int argc, const char* const* argv);

}  // namespace httpd::config
