// Which rules a configuration needs, and the line that tells of them.
#include "server/sandbox.hpp"

#include "base/log.hpp"
#include "config/config.hpp"
#include "io/landlock.hpp"
#include "io/spool.hpp"
#include "server/readable_paths.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace httpd::server {

namespace {

using access = io::landlock::access;

std::atomic<bool> confined{false};

// Not the bounding set: without no_new_privs it would limit what a program gets that is executed.
bool has_capabilities() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return true;
  for (const auto& half : data)
    if ((half.effective | half.permitted | half.inheritable) != 0) return true;
  return false;
}

std::string describe_process(const std::string& user) {
  const bool gains_nothing = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  return concat("user ", user, has_capabilities() ? ", with capabilities" : ", no capabilities",
                gains_nothing ? ", no new privileges" : ", new privileges possible");
}

std::string reason_without_landlock(const io::error_code& error) {
  switch (error.value()) {
    case ENOSYS: return "not in this kernel";
    case EOPNOTSUPP: return "switched off in this kernel";
    case EPERM: return "forbidden by the container's engine";
    default: return error.message();
  }
}

bool has_abstract_server(const config::php& php) noexcept {
  return std::ranges::any_of(php.servers, [](const endpoint& one) { return one.unix_path.starts_with('@'); });
}

// The addresses of a php-fpm given by name are looked up while we run.
bool is_name(const endpoint& address) noexcept {
  return !address.is_unix() && !ip_address::parse(address.host);
}

// A list for the line, without what lies below another of its entries. With a slash at their ends they sort
// so that those follow at once.
std::string list_of(std::vector<std::string> paths) {
  constexpr std::size_t shown = 8;
  for (auto& path : paths)
    if (!path.ends_with('/')) path += '/';
  std::sort(paths.begin(), paths.end());
  std::string text;
  std::size_t count = 0;
  const std::string* top = nullptr;
  for (const auto& path : paths) {
    if (top && path.starts_with(*top)) continue;
    top = &path;
    const auto shortened = std::string_view{path}.substr(0, std::max<std::size_t>(path.size() - 1, 1));
    if (++count <= shown) append(text, " ", escaped(shortened));
  }
  if (count > shown) append(text, " and ", count - shown, " more");
  return text;
}

class confinement {
public:
  confinement(const config::configuration& config, io::error_code& error)
      : config_{config},
        rules_{std::ranges::any_of(config::applications(config), has_abstract_server), error} {}

  io::error_code enforce() {
    allow_site();
    allow_spool();
    allow_php();
    allow_sanitizers();
    return rules_.restrict_self();
  }

  std::string describe() const {
    return concat("Landlock ABI ", rules_.version(), " (reads", list_of(reads_), ", writes ", writes_,
                  ports_.empty() ? "" : ", connects to port", ports_, ")");
  }

private:
  void allow_site() {
    const auto found = find_readable_paths(config_.document_root, readable_paths::most_entries,
                                           config_.sandbox.reads);
    for (const auto& path : found.paths) allow_reading(path);
    for (const auto& path : config_.sandbox.reads) allow_reading(path);
    if (!found.refused.empty())
      log::warning("a link is not followed: ", escaped(found.refused.front()),
                   ", which holds more than a site; --sandbox-read allows it");
    if (found.refused.size() > 1)
      log::warning("the same holds for ", found.refused.size() - 1, " other links");
    if (!found.unseen.empty())
      log::warning("links in ", escaped(found.unseen), " and deeper that leave the document root are not "
                   "followed: too many files, or no right to list them; --sandbox-read allows what they "
                   "lead to");
  }

  void allow_reading(const std::string& path) {
    if (const auto error = rules_.allow(path, access::read))
      log::warning("cannot allow reading ", escaped(path), ": ", error.message());
    else
      reads_.push_back(path);
  }

  // The folder in use now. If it breaks later, spools are in memory.
  void allow_spool() {
    const auto place = io::find_spool_place();
    writes_ = place.folder.empty() ? "nothing" : place.folder;
    if (place.folder.empty()) return;
    const auto wanted = place.nameless ? access::write_nameless : access::write;
    if (const auto error = rules_.allow(place.folder, wanted))
      log::warning("cannot allow spool files in ", place.folder, ": ", error.message());
  }

  // Nothing for a Unix socket: connecting to one that has a path is no right that Landlock knows.
  void allow_php() {
    bool names = false;
    for (const auto& php : config::applications(config_))
      for (const auto& server : php.servers) {
        if (server.is_unix()) continue;
        allow_port(server.port);
        if (is_name(server)) names = true;
      }
    if (names) allow_name_lookup();
  }

  void allow_port(std::uint16_t port) {
    if (const auto error = rules_.allow_connect(port))
      log::warning("cannot allow connections to port ", port, ": ", error.message());
    else if (rules_.restricts_ports())
      append(ports_, " ", port);
  }

  // What glibc reads for getaddrinfo(), and the modules that nsswitch.conf names. Files, not /etc: who
  // replaces one of them sends HUP.
  void allow_name_lookup() {
    constexpr std::uint16_t dns_over_tcp = 53;
    allow_port(dns_over_tcp);
    for (const char* path : {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf",
                             "/etc/gai.conf", "/etc/ld.so.cache", "/lib", "/usr/lib", "/usr/local/lib"})
      static_cast<void>(rules_.allow(path, access::read));  // what is not there is not needed
  }

  // They read /proc, execute a symbolizer, which reads our binary, and write reports. Only in such a build.
  void allow_sanitizers() {
#if defined(__SANITIZE_ADDRESS__)
    for (const char* path : {"/usr", "/bin", "/lib", "/lib64"})
      static_cast<void>(rules_.allow(path, access::read_execute));
    for (const char* path : {"/proc", "/proc/self/exe", "/dev/null", "/etc/ld.so.cache"})
      static_cast<void>(rules_.allow(path, access::read));
    for (const char* options : {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"}) {
      const char* text = std::getenv(options);
      const char* path = text ? std::strstr(text, "log_path=/") : nullptr;
      if (!path) continue;
      path += std::strlen("log_path=");
      const std::string_view name{path, std::strcspn(path, ":")};
      static_cast<void>(rules_.allow(std::string{name.substr(0, name.rfind('/'))}, access::write));
    }
#endif
  }

  const config::configuration& config_;
  io::landlock rules_;
  std::vector<std::string> reads_;
  std::string writes_, ports_;
};

}  // namespace

void confine(const config::configuration& config, const std::string& user) {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!config.sandbox.on) {
    log::warning("not confined because of --no-sandbox: ", describe_process(user));
    return;
  }
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // no core file, and nobody of our user attaches to us
  ::tzset();  // while the time zone's file can still be read
  io::error_code error;
  confinement made{config, error};
  if (!error) error = made.enforce();
  ::malloc_trim(0);  // the names of a large site, 1.5 MB for 20 000 folders
  if (error) {
    log::notice("confined: ", describe_process(user), "; without Landlock: ", reason_without_landlock(error));
    return;
  }
  confined = true;
  log::notice("confined: ", describe_process(user), ", ", made.describe());
}

// access() asks for the mode and the owner alone; Landlock has no say in it.
bool note_if_confined(int folder, const char* name, std::string_view root, std::string_view path) {
  if (!confined || ::faccessat(folder, name, R_OK, 0) != 0) return false;
  static log::rate_limit often{std::chrono::seconds{10}};
  unsigned suppressed = 0;
  if (!often.allow(suppressed)) return true;
  const auto literal = concat(root, path);
  char resolved[PATH_MAX];
  const char* real = ::realpath(literal.c_str(), resolved);
  std::string line = escaped(literal);
  if (real && literal != real) append(line, ", which is ", escaped(real), ",");
  append(line, " may not be read: it lies outside of what this server process found at its start; a reload "
               "(HUP) looks again, --sandbox-read or --no-sandbox lets it be read");
  if (suppressed > 0) append(line, "; ", suppressed, " more like this");
  log::error(line);
  return true;
}

}  // namespace httpd::server
