// Before anything is started: everything that can be refused, and the lines a start prints.
#include "init/init.hpp"

#include "base/log.hpp"
#include "config/options.hpp"
#include "init/supervisor.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <new>
#include <system_error>

namespace httpd::init {
namespace {

// A mapping that the server processes inherit and that outlives them.
shared_state& make_shared_state() {
  void* memory = ::mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0);
  if (memory == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "shared memory"};
  return *new (memory) shared_state;
}

std::string describe_php(const config::php& php) {
  switch (php.mode) {
    case config::php_mode::none: return "no PHP, scripts answer 404";
    case config::php_mode::supervised:
      return concat(php.fpm_path, " with ", php.workers, php.workers == 1 ? " worker" : " workers", " (",
                    php.workers_reason, ")");
    case config::php_mode::external: break;
  }
  std::string text = "php-fpm at";
  for (const auto& server : php.servers) append(text, " ", server.to_string());
  if (php.workers > 0) append(text, ", at most ", php.workers, " requests at once");
  return text;
}

// As its first process, or as the child of an init that the engine put there (docker run --init). The marks of
// engines alone say too little: a whole machine may have been made from an image.
bool is_container() noexcept {
  if (::getpid() == 1) return true;
  return ::getppid() == 1 &&
         (::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0);
}

void print_start(const config::configuration& config, const account& who) {
  log::notice("httpd-php-fpm " HTTPD_VERSION ", ", config.threads,
              config.threads == 1 ? " thread" : " threads", ", user ", who.user, ", group ", who.group);
  log::notice("document root ", config.document_root,
              config.front_controller.empty() ? "" : ", front controller ", config.front_controller);
  log::notice(describe_php(config.php));
  if (who.uid == 0) log::warning("the server and the scripts run as root");
  if (is_container() && std::ranges::all_of(config.serve, &endpoint::is_loopback))
    log::warning("--serve ", config.serve.front().to_string(), ": reached only from inside this container, "
                 "published ports lead nowhere; --serve 0.0.0.0:", config.serve.front().port,
                 " is reached from outside");
}

// Nothing is started yet. Returns where the server finds each; an empty address: not ours.
std::vector<endpoint> make_php(const config::configuration& config, const account& who, shared_state& shared,
                               std::deque<php_child>& php) {
  std::vector<endpoint> sockets;
  for (const auto& one : config::applications(config)) {
    auto& state = shared.applications[sockets.size()];
    sockets.emplace_back();
    if (one.mode != config::php_mode::supervised) continue;
    try {
      sockets.back() = php.emplace_back(one, config.limits, who, state).socket();
    } catch (const std::system_error& error) {
      throw config::option_error{"--php-fpm", one.fpm_path, error.what()};
    }
  }
  return sockets;
}

}  // namespace

int run(config::configuration config, const reader& read_again) {
  fill_standard_descriptors();
  log::set_process_name("init");
  const account who = find_account(config);
  check_reachable(config, who);
  listeners sockets{config.serve, config.threads};
  unique_fd access_log = open_access_log(config);
  shared_state& shared = make_shared_state();

  std::deque<php_child> php;
  const auto php_sockets = make_php(config, who, shared, php);
  // As PID 1 orphans come to us anyway.
  if (::getpid() != 1) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  print_start(config, who);
  servers all{std::move(config), who, sockets, std::move(access_log), php_sockets, shared};
  return supervisor{all, php, sockets, shared, who, read_again}.run();
}

void check(const config::configuration& config) {
  fill_standard_descriptors();
  log::set_process_name("check");
  const account who = find_account(config);
  check_reachable(config, who);
  const listeners sockets{config.serve, config.threads};
  const unique_fd access_log = open_access_log(config);
}

}  // namespace httpd::init
