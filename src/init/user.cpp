// Users, and the walk along a path as one of them.
#include "init/user.hpp"

#include "base/text.hpp"
#include "config/options.hpp"
#include "init/capabilities.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

namespace httpd::init {
namespace {

using config::option_error;

template <class Id>
std::optional<Id> parse_id(const std::string& text) {
  const auto number = parse_u64(text);
  if (!number || *number >= std::numeric_limits<Id>::max()) return std::nullopt;
  return Id(*number);
}

std::string user_name(uid_t uid) {
  const passwd* entry = ::getpwuid(uid);
  return entry ? entry->pw_name : concat(uid);
}
std::string group_name(gid_t gid) {
  const struct group* entry = ::getgrgid(gid);
  return entry ? entry->gr_name : concat(gid);
}

account named_account(const config::configuration& config) {
  account found;
  if (const passwd* entry = ::getpwnam(config.user.c_str())) {
    found.uid = entry->pw_uid;
    found.gid = entry->pw_gid;
  } else if (const auto uid = parse_id<uid_t>(config.user)) {
    found.uid = *uid;
    const passwd* by_id = ::getpwuid(*uid);
    found.gid = by_id ? by_id->pw_gid : gid_t(*uid);
  } else {
    throw option_error{"--user", config.user, "no such user"};
  }
  if (config.group.empty()) return found;
  if (const struct group* entry = ::getgrnam(config.group.c_str()))
    found.gid = entry->gr_gid;
  else if (const auto gid = parse_id<gid_t>(config.group))
    found.gid = *gid;
  else
    throw option_error{"--user", concat(config.user, ":", config.group), "no such group"};
  return found;
}

// What stands in the way: a path and what is wanted of it.
struct step {
  std::string path;
  int mode;
};

// Every folder above `path` must be entered; the last must be `last_mode`.
std::vector<step> steps_to(const std::string& path, int last_mode) {
  std::vector<step> steps;
  for (std::size_t slash = 0; slash != path.npos; slash = path.find('/', slash + 1))
    steps.push_back({path.substr(0, slash == 0 ? 1 : slash), X_OK});
  if (path.size() > 1) steps.push_back({path, last_mode});
  else steps.back().mode = last_mode;
  return steps;
}

// The server: a user, and whether it keeps root's rights.
struct visitor {
  const account& who;
  bool confined;
};

// The first step that the server is refused, nullopt = none. A missing file refuses nobody.
std::optional<step> blocked_step(const visitor& server, const std::vector<step>& steps) {
  const account& who = server.who;
  const int answer = run_as(who, [&] {
    if (server.confined) drop_capabilities();
    for (std::size_t i = 0; i < steps.size() && i < 254; ++i)
      if (::faccessat(AT_FDCWD, steps[i].path.c_str(), steps[i].mode, AT_EACCESS) != 0 && errno == EACCES)
        return int(i) + 1;
    return 0;
  });
  if (answer == 0) return std::nullopt;
  if (answer == 255)
    throw option_error{"--user", who.user, "cannot become this user; "
                                           "run with --user root or start as that user"};
  return steps[std::size_t(answer) - 1];
}

std::optional<step> blocked(const visitor& server, const std::string& path, int last_mode) {
  const auto step = blocked_step(server, steps_to(path, last_mode));
  if (!step) return step;
  // The folder in the way may be behind a link, where the literal path does not show it.
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  if (error) return step;
  const auto real_step = blocked_step(server, steps_to(real.string(), last_mode));
  return real_step ? real_step : step;
}

std::string mode_and_owner(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return "no permission";
  std::string octal = "0000";
  for (int i = 3, bits = int(info.st_mode & 07777); i >= 0; --i, bits >>= 3)
    octal[std::size_t(i)] = char('0' + (bits & 7));
  return concat("mode ", octal, ", owner ", user_name(info.st_uid));
}

void check_document_root(const config::configuration& config, const account& who) {
  const auto step = blocked({who, config.sandbox.on}, config.document_root, R_OK | X_OK);
  if (!step) return;
  const bool enter = step->mode == X_OK;
  // It is somebody's, and the server would have root's name alone.
  const char* remedy = who.change     ? "run with --user root, move the site, or chmod "
                       : who.uid == 0 ? "run with --user and its owner, with --no-sandbox, or chmod "
                                      : "move the site, or chmod ";
  throw option_error{"--document-root", config.document_root,
                     concat(who.user, enter ? " cannot enter " : " cannot read ", step->path, " (",
                            mode_and_owner(step->path), "); ",
                            remedy, enter ? "o+x " : "o+rx ", step->path)};
}

void check_php_socket(const endpoint& server, const visitor& from) {
  if (!server.is_unix() || !server.unix_path.starts_with('/')) return;
  const account& who = from.who;
  const auto step = blocked(from, server.unix_path, W_OK);
  if (!step) return;
  throw option_error{"--php", server.to_string(),
                     concat(who.user, step->mode == X_OK ? " cannot enter " : " may not connect to ",
                            step->path, " (", mode_and_owner(step->path),
                            "); give it the right to, or choose another --user")};
}

}  // namespace

account find_account(const config::configuration& config) {
  account who{::geteuid(), ::getegid(), "", "", false};
  if (!config.user.empty()) who = named_account(config);
  who.user = user_name(who.uid);
  who.group = group_name(who.gid);
  const bool same = who.uid == ::geteuid() && who.gid == ::getegid();
  if (!same && ::geteuid() != 0)
    throw option_error{"--user", concat(config.user, config.group.empty() ? "" : ":", config.group),
                       concat("only root can become another user, and this is ", user_name(::geteuid()))};
  who.change = !same;
  if (!who.change) return who;
  if (const auto names = missing_capabilities(config); !names.empty())
    throw option_error{"--user", who.user,
                       concat("root without ", names, " cannot run and end processes of another user; "
                              "give it that, run with --user root, or start as that user")};
  return who;
}

int become(const account& who) noexcept {
  if (!who.change) return 0;
  const bool has_name = ::getpwuid(who.uid) != nullptr;
  const int groups = has_name ? ::initgroups(who.user.c_str(), who.gid) : ::setgroups(0, nullptr);
  if (groups != 0 || ::setresgid(who.gid, who.gid, who.gid) != 0 ||
      ::setresuid(who.uid, who.uid, who.uid) != 0)
    return errno;
  return 0;
}

int run_as(const account& who, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(become(who) == 0 ? work() : 255);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

void check_reachable(const config::configuration& config, const account& who) {
  check_document_root(config, who);
  for (const auto& php : config::applications(config))
    for (const auto& server : php.servers) check_php_socket(server, {who, config.sandbox.on});
}

}  // namespace httpd::init
