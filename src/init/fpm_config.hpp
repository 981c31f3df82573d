// The configuration text and the command line of the supervised php-fpm. Pure.
#pragma once

#include "config/config.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::init {

struct fpm_pool {
  std::string socket_name;   // what php-fpm calls the listening socket it inherits
  std::string user, group;   // "" = php-fpm does not run as root and cannot change
};

std::string fpm_config(const config::php&, std::chrono::milliseconds grace, const fpm_pool&);

// `config_file`: where the text can be read.
std::vector<std::string> fpm_arguments(const config::php&, const std::string& config_file,
                                       bool workers_are_root);

// A value as php-fpm's ini parser takes it back byte for byte: nothing in it is special.
// Line ends and NUL cannot be written at all; the options refuse them.
std::string ini_quoted(std::string_view value);

}  // namespace httpd::init
