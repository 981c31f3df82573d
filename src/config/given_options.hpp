// What the command line and the environment say, as text, before anything is made of it.
#pragma once

#include "config/option_table.hpp"
#include "config/options.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

struct given_option {
  std::vector<std::string> values;  // at least one
  bool from_environment = false;
};

struct given_options {
  std::map<std::string_view, given_option> by_name;  // by long name
  bool help = false, version = false, check = false, print_config = false, health = false;
  std::string health_url;

  const given_option* find(std::string_view long_name) const;
  // Of two that exclude each other the one on the command line silences the one in the environment.
  bool overruled(std::string_view name, std::string_view by) const;
  // Throws an option_error that also says when the value came from the environment.
  [[noreturn]] void refuse(std::string_view long_name, std::string_view value, std::string_view reason,
                           int exit_status = 2) const;
};

// Both throw option_error. The command line wins over the environment, an empty variable is none.
given_options read_given(int argc, const char* const* argv);
given_options read_command_line(int argc, const char* const* argv);

// HTTPD_DOCUMENT_ROOT for "document-root".
std::string environment_name(std::string_view long_name);
// The values in an environment variable of that kind; empty ones are dropped.
std::vector<std::string> split_environment(std::string_view text, repeat kind);

// Fills the draft's gaps: defaults that depend on the machine, on the files or on other options.
configuration complete(draft, const given_options&);
// http://127.0.0.1:3000/.httpd/health for the first address served.
std::string default_health_url(const configuration&);

}  // namespace httpd::config
