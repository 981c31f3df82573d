// The defaults that depend on the machine, on the files or on other options, and what excludes what.
#include "config/given_options.hpp"

#include "base/text.hpp"
#include "config/body_limits.hpp"
#include "config/php_fpm_search.hpp"
#include "config/resources.hpp"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>

namespace httpd::config {
namespace {

// Absolute and without "." and "//", but with its links: they may be moved while we run.
std::string absolute(const std::string& path) {
  auto text = std::filesystem::absolute(path).lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

bool is_file(const std::string& path) noexcept {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

void complete_root(draft& made, const given_options& given) {
  const std::string root = absolute(made.document_root);
  struct stat info{};
  const int error = ::stat(root.c_str(), &info) == 0 ? 0 : errno;
  // EACCES is left to init, which says which folder is in the way of whom.
  if (error != 0 && error != EACCES)
    given.refuse("document-root", made.document_root, std::strerror(error));
  if (error == 0 && !S_ISDIR(info.st_mode))
    given.refuse("document-root", made.document_root, "is not a folder");
  made.config.document_root = root;
}

void choose_php_fpm(draft& made, const given_options& given) {
  php& php = made.config.php;
  const auto folders = program_folders(std::getenv("PATH"));
  if (!made.php_fpm) {
    php.fpm_path = newest_php_fpm(folders);
    if (php.fpm_path.empty())
      throw option_error{
          "no php-fpm found: install one (Debian: apt-get install php-fpm), name it with --php-fpm PATH, "
          "use one that runs elsewhere with --php ADDR, or serve without PHP with --php-fpm none"};
    return;
  }
  const auto found = find_program(*made.php_fpm, folders);
  if (found.path.empty()) given.refuse("php-fpm", *made.php_fpm, found.reason, found.exit_status);
  php.fpm_path = found.path;
}

// Options that would silently do nothing are refused, unless a base image set them in its environment.
void refuse_useless(const given_options& given, std::initializer_list<std::string_view> names,
                    std::string_view reason) {
  for (const auto name : names)
    if (const auto* option = given.find(name); option && !option->from_environment)
      given.refuse(name, option->values.front(), reason);
}

void complete_workers(draft& made, const resources& machine) {
  php& php = made.config.php;
  if (made.workers > 0) {
    php.workers = made.workers;
    php.workers_reason = "as told";
  } else if (php.mode == php_mode::supervised) {
    php.workers = default_php_workers(machine, php.workers_reason);
  }
}

void complete_php(draft& made, const given_options& given) {
  php& php = made.config.php;
  if (given.overruled("php", "php-fpm")) php.servers.clear();
  if (given.overruled("php-fpm", "php")) made.php_fpm.reset();
  if (!php.servers.empty() && made.php_fpm)
    given.refuse("php-fpm", *made.php_fpm,
                 concat("excludes --php ", php.servers.front().to_string(),
                        ": run our own php-fpm, or use that one"));
  if (!php.servers.empty()) {
    php.mode = php_mode::external;
    refuse_useless(given, {"php-ini", "php-value"}, "is for our own php-fpm, not for one given with --php");
  } else if (made.php_fpm == "none") {
    php.mode = php_mode::none;
    refuse_useless(given, {"php-ini", "php-value", "php-workers", "php-root"},
                   "does nothing with --php-fpm none");
  } else {
    php.mode = php_mode::supervised;
    refuse_useless(given, {"php-root"}, "is for a php-fpm given with --php");
    choose_php_fpm(made, given);
  }
  if (php.mode != php_mode::supervised) {
    php.ini_file.clear();
    php.values.clear();
  }
  if (php.mode != php_mode::external) php.root.clear();
  if (php.ini_file.empty()) return;
  const std::string ini = absolute(php.ini_file);
  if (::access(ini.c_str(), R_OK) != 0) given.refuse("php-ini", php.ini_file, std::strerror(errno));
  if (!is_file(ini)) given.refuse("php-ini", php.ini_file, "is not a file");
  php.ini_file = ini;
}

void complete_body_limits(draft& made, const given_options& given) {
  if (made.config.php.mode != php_mode::supervised || !given.find("max-body")) return;
  const char* folders = std::getenv("PHP_INI_SCAN_DIR");
  follow_max_body(made.config, folders ? folders : "");
}

void complete_front_controller(draft& made, const given_options& given) {
  configuration& config = made.config;
  const bool has_php = config.php.mode != php_mode::none;
  if (!made.front_controller) {
    // Whether it is there is seen at each request: a site may be copied in, or made, while we run.
    if (has_php) config.front_controller = "/index.php";
    return;
  }
  if (*made.front_controller == "none") return;
  if (!is_file(config.document_root + *made.front_controller))
    given.refuse("front-controller", *made.front_controller,
                 concat("no such file below ", config.document_root));
  if (!has_php && made.front_controller->ends_with(".php"))
    given.refuse("front-controller", *made.front_controller, "needs PHP, and --php-fpm is none");
  config.front_controller = *made.front_controller;
}

void complete_sandbox(draft& made, const given_options& given) {
  sandbox& sandbox = made.config.sandbox;
  if (!sandbox.on) {
    refuse_useless(given, {"sandbox-read"}, "does nothing with --no-sandbox");
    sandbox.reads.clear();
  }
  for (auto& path : sandbox.reads) {
    const std::string whole = absolute(path);
    if (::access(whole.c_str(), F_OK) != 0) given.refuse("sandbox-read", path, std::strerror(errno));
    path = whole;
  }
}

// Whether what is spooled (io/spool.hpp has the same order of folders) takes memory: a tmpfs, or no folder.
bool spool_is_memory() {
  constexpr unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6, read_only = 1;  // as the kernel has them
  for (const char* folder : {const_cast<const char*>(std::getenv("TMPDIR")), "/tmp"}) {
    struct statfs about{};
    if (!folder || !*folder || ::statfs(folder, &about) != 0 ||
        (static_cast<unsigned long>(about.f_flags) & read_only) != 0)
      continue;
    const auto type = static_cast<unsigned long>(about.f_type);
    return type == tmpfs || type == ramfs;
  }
  return true;
}

void complete_user(draft& made) {
  if (!made.user && ::geteuid() != 0) return;
  const std::string name = made.user.value_or("www-data");
  const auto colon = name.find(':');
  made.config.user = name.substr(0, colon);
  if (colon != name.npos) made.config.group = name.substr(colon + 1);
}

}  // namespace

configuration complete(draft made, const given_options& given) {
  const resources machine = read_resources();
  made.config.threads = made.threads > 0 ? made.threads : machine.cpus;
  if (!made.index.empty()) made.config.index = made.index;
  complete_root(made, given);
  complete_php(made, given);
  complete_body_limits(made, given);
  complete_workers(made, machine);
  complete_front_controller(made, given);
  complete_sandbox(made, given);
  complete_user(made);
  made.config.limits.php_spool_bytes =
      made.php_spool ? *made.php_spool : default_php_spool(machine, spool_is_memory());
  return std::move(made.config);
}

std::string default_health_url(const configuration& config) {
  endpoint first = config.serve.front();
  if (first.is_unix()) return concat(first.to_string(), ":", config.health_path);
  if (first.host == "*" || first.host == "0.0.0.0") first.host = "127.0.0.1";
  if (first.host == "::") first.host = "::1";
  return concat("http://", first.to_string(), config.health_path);
}

}  // namespace httpd::config
