// The command line and the environment to a configuration; the help.
#include "config/options.hpp"

#include "base/text.hpp"
#include "config/first_process.hpp"
#include "config/given_options.hpp"

#include <algorithm>
#include <cstdio>

namespace httpd::config {
namespace {

std::string describe(std::string_view name, std::string_view value, std::string_view reason) {
  std::string line{name};
  if (!value.empty()) append(line, line.empty() ? "" : " ", value);
  return concat(line, ": ", reason);
}

void put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void append_help_line(std::string& out, std::string left, std::string_view right) {
  constexpr std::size_t column = 32;
  left.resize(std::max(left.size() + 2, column), ' ');
  append(out, left, right, "\n");
}

std::string help_left(const option_definition& definition) {
  const std::string_view names = definition.names;
  const bool has_short = !names.starts_with("--");
  return concat(has_short ? concat("  ", names.substr(0, 2), ", ") : std::string(6, ' '), "--",
                definition.long_name(), *definition.value ? " " : "", definition.value);
}

std::string help() {
  std::string out =
      "httpd-php-fpm " HTTPD_VERSION ": serves a PHP site, static files and php-fpm in one command\n\n"
      "  httpd-php-fpm [OPTIONS]               serve\n"
      "  httpd-php-fpm health [URL] [OPTIONS]  ask a running server, exit status 0 = healthy\n";
  const char* group = "";
  for (const auto& definition : option_table()) {
    if (std::string_view{group} != definition.group) append(out, "\n", group = definition.group, ":\n");
    std::string text = definition.help;
    if (*definition.fallback) append(text, " [", definition.fallback, "]");
    append_help_line(out, help_left(definition), text);
  }
  append_help_line(out, "      --check", "check options, addresses and rights, then exit");
  append_help_line(out, "      --print-config", "print the configuration as JSON, then exit");
  append_help_line(out, "      --version", "print the version, then exit");
  append_help_line(out, "  -h, --help", "print this, then exit");
  out +=
      "\nThe default is in brackets. TIME is 10s, 500ms, 2m or 1h; SIZE is 512k, 8M or 1G.\n"
      "Each option but the last four can also be given as an environment variable: HTTPD_ and its name,\n"
      "for example HTTPD_DOCUMENT_ROOT. The command line wins; an empty variable counts as unset.\n"
      "Values of a repeatable one are separated by commas or white space, in HTTPD_PHP_VALUE by lines\n"
      "or semicolons.\n";
  return out;
}

draft apply_all(const given_options& given) {
  draft made;
  for (const auto& definition : option_table()) {
    const auto name = definition.long_name();
    // Asking a server needs to know where it is, not whether this machine could run one.
    if (given.health && name != "serve" && name != "health-path") continue;
    const auto* option = given.find(name);
    if (!option) continue;
    const auto first = takes_last(definition.kind) ? option->values.size() - 1 : 0;
    for (auto i = first; i < option->values.size(); ++i) {
      const auto& value = option->values[i];
      if (value.empty()) given.refuse(name, value, "needs a value");
      const auto reason = definition.apply(made, value);
      if (!reason.empty()) given.refuse(name, value, reason);
    }
  }
  if (made.config.serve.empty())
    made.config.serve.push_back(endpoint{.host = "127.0.0.1", .port = 3000, .unix_path = {}});
  return made;
}

}  // namespace

// Escaped as a whole: names, reasons and CLI11's messages repeat what was given, too.
option_error::option_error(const std::string& what, int exit_status)
    : std::runtime_error{escaped(what)}, exit_status_{exit_status} {}

option_error::option_error(std::string_view name, std::string_view value, std::string_view reason,
                           int exit_status)
    : option_error{describe(name, value, reason), exit_status} {}

std::optional<options> read_options(int argc, const char* const* argv) {
  given_options given = read_given(argc, argv);
  if (given.help || given.version) {
    put(given.help ? help() : "httpd-php-fpm " HTTPD_VERSION "\n");
    return std::nullopt;
  }
  if (given.health) adopt_first_process(given);
  draft made = apply_all(given);
  options read;
  if (given.health) {
    read.what = command::health;
    read.config = std::move(made.config);
    read.health_url = given.health_url.empty() ? default_health_url(read.config) : given.health_url;
    return read;
  }
  read.config = complete(std::move(made), given);
  if (given.check) read.what = command::check;
  if (given.print_config) read.what = command::print_config;
  return read;
}

}  // namespace httpd::config
