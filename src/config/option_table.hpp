// Every option once: its names, its line of help, and how its value gets into the configuration.
#pragma once

#include "config/config.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace httpd::config {

// What the options said, before the defaults that depend on one another are filled in.
struct draft {
  configuration config;
  std::string document_root = ".";
  std::vector<std::string> index;
  std::optional<std::string> php_fpm, front_controller, user;
  unsigned workers = 0, threads = 0;  // 0 = not given
  std::optional<std::uint64_t> php_spool;
};

enum class repeat {
  last_wins,
  by_comma_or_space,  // several values; how an environment variable separates them
  by_line_or_semicolon,
  flag,  // no value on the command line; the variable is yes or no
};

constexpr bool takes_last(repeat kind) noexcept { return kind == repeat::last_wins || kind == repeat::flag; }

struct option_definition {
  const char* names;     // as CLI11 takes them, "-d,--document-root"
  const char* value;     // placeholder
  const char* fallback;  // default as text, for the help
  const char* help;
  const char* group;
  repeat kind;
  std::string (*apply)(draft&, const std::string& value);  // "" or why the value makes no sense

  std::string_view long_name() const noexcept {  // "document-root"
    const std::string_view all = names;
    return all.substr(all.find("--") + 2);
  }
};

std::span<const option_definition> option_table() noexcept;

}  // namespace httpd::config
