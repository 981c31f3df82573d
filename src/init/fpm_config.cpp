// The configuration text of the supervised php-fpm.
#include "init/fpm_config.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace httpd::init {

// Single quotes take everything but a single quote, and pieces side by side are joined, as in a shell.
std::string ini_quoted(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const auto raw = value.substr(0, value.find('\''));
    if (!raw.empty()) append(out, "'", raw, "'");
    value.remove_prefix(raw.size());
    const auto quotes = std::min(value.find_first_not_of('\''), value.size());
    if (quotes > 0) append(out, "\"", value.substr(0, quotes), "\"");
    value.remove_prefix(quotes);
  }
  return out.empty() ? "\"\"" : out;
}

// What `ps` shows of the workers. Nothing in it that the file could take for something else.
std::string pool_name(std::string_view application) {
  std::string name{application.empty() ? "www" : application};
  for (auto& c : name)
    if (!is_digit(c) && c != '-' && (to_lower(c) < 'a' || to_lower(c) > 'z')) c = '_';
  return name;
}

std::string fpm_config(const config::php& php, std::chrono::milliseconds grace, const fpm_pool& pool) {
  using std::chrono::ceil, std::chrono::seconds;
  std::string out;
  // With -O php-fpm logs to the standard error it inherited and only opens error_log for form's sake:
  // opening /dev/stderr by path fails when it is a pipe of another user.
  append(out,
         "[global]\n"
         "daemonize = no\n"
         "error_log = /dev/null\n"
         // At "notice" each message of a script would begin with "NOTICE: ".
         "log_level = warning\n"
         "log_limit = 1048576\n"
         "process_control_timeout = ", ceil<seconds>(grace).count(), "s\n"
         "\n"
         "[", pool_name(php.name), "]\n");
  if (!pool.user.empty()) append(out, "user = ", pool.user, "\ngroup = ", pool.group, "\n");
  append(out,
         "listen = ", pool.socket_name, "\n"
         "listen.backlog = 511\n"
         "pm = static\n"
         "pm.max_children = ", php.workers, "\n"
         "clear_env = no\n"
         "catch_workers_output = yes\n"
         "decorate_workers_output = no\n"
         "security.limit_extensions = .php\n"
         // Messages of scripts go to the workers' standard error, whole, and not to the web server too.
         "php_admin_value[fastcgi.logging] = 0\n");
  return out;
}

std::vector<std::string> fpm_arguments(const config::php& php, const std::string& config_file,
                                       bool workers_are_root) {
  std::vector<std::string> all{php.fpm_path, "-F", "-O", "-y", config_file};
  if (workers_are_root) all.emplace_back("-R");
  if (!php.ini_file.empty()) all.insert(all.end(), {"-c", php.ini_file});
  // Not php_value lines of the pool: those come too late for what is set up once, such as opcache's
  // memory, preloading or extensions, and are then shown as set without an effect.
  for (const auto& [name, value] : php.values)
    all.insert(all.end(), {"-d", concat(name, "=", ini_quoted(value))});
  return all;
}

}  // namespace httpd::init
