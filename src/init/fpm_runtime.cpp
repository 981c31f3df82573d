// The surroundings of the supervised php-fpm.
#include "init/fpm_runtime.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "config/options.hpp"
#include "init/fpm_config.hpp"
#include "init/unix_socket.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace httpd::init {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error{errno, std::generic_category(), what};
}

// The name under which php-fpm inherits its socket. Not the real path: when told to end, php-fpm
// removes the file of that name, and clients must still find the socket that the next master serves.
std::string inherited_name(const private_folder& folder) { return folder.path() + "/inherited"; }

unique_fd make_socket(const private_folder& folder, const account& who) {
  const std::string path = folder.socket_path();
  const auto address = make_unix_address(path);
  unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!address || !fd || ::bind(fd.get(), address->get(), address->length) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::chown(path.c_str(), who.uid, who.gid) != 0 ||
      ::listen(fd.get(), 511) != 0)
    fail(path);
  return fd;
}

// Sealed: the workers inherit the descriptor, and a master started as root reads it again on reload.
unique_fd make_config(const std::string& text) {
  unique_fd fd{::memfd_create("php-fpm.conf", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (!fd || ::write(fd.get(), text.data(), text.size()) != ssize_t(text.size()) ||
      ::fcntl(fd.get(), F_ADD_SEALS, seals) != 0)
    fail("memory file for the configuration");
  return fd;
}

constexpr std::string_view folder_prefix = "httpd-php-fpm-";

// Folders of an init that was killed: their socket is there and nobody listens. Younger ones may be about to.
void remove_stale_folders(const char* base) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{base, error}) {
    if (!entry.path().filename().string().starts_with(folder_prefix)) continue;
    struct stat info{};
    const auto socket_path = entry.path() / "php.sock";
    if (::lstat(socket_path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) continue;
    if (std::time(nullptr) - info.st_ctime < 60) continue;
    const auto address = make_unix_address(socket_path.string());
    const unique_fd probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!address || !probe || ::connect(probe.get(), address->get(), address->length) == 0 ||
        errno != ECONNREFUSED)
      continue;
    ::unlink(socket_path.c_str());
    ::rmdir(entry.path().c_str());
  }
}

std::string given_temporary_folder() {
  const char* asked = std::getenv("TMPDIR");
  return asked && *asked ? asked : "/tmp";
}

// Where the workers keep uploads and large bodies: PHP takes $TMPDIR, else /tmp, and loses the body when it
// cannot write there. Empty: as it is.
std::string choose_temporary_folder(const account& who) {
  const std::string first = given_temporary_folder();
  for (const std::string& folder : {first, std::string{"/tmp"}, std::string{"/dev/shm"}}) {
    if (run_as(who, [&folder] { return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS); }) !=
        0)
      continue;
    if (folder == first) return {};
    log::warning(who.user, " cannot write in ", first, ": PHP's temporary files go to ", folder);
    return folder;
  }
  log::warning(who.user, " cannot write in ", first, ": PHP will lose uploads and large request bodies");
  return {};
}

}  // namespace

private_folder::private_folder(const account& who) {
  const char* temporary = std::getenv("TMPDIR");
  for (const char* base : {"/run", temporary, "/tmp", "/dev/shm"}) {
    if (!base || *base != '/') continue;
    remove_stale_folders(base);
    path_ = concat(base, "/", folder_prefix, "XXXXXX");
    if (!make_unix_address(socket_path()) || !::mkdtemp(path_.data())) continue;
    if (::chown(path_.c_str(), who.uid, who.gid) == 0) return;
    ::rmdir(path_.c_str());
  }
  fail("no folder for php-fpm's socket can be made in /run, $TMPDIR, /tmp or /dev/shm");
}

private_folder::~private_folder() {
  ::unlink(socket_path().c_str());
  ::rmdir(path_.c_str());
}

fpm_runtime::fpm_runtime(const config::php& php, std::chrono::milliseconds grace, const account& who)
    : folder_{who}, socket_{make_socket(folder_, who)} {
  fpm_pool pool{.socket_name = inherited_name(folder_), .user = {}, .group = {}};
  const bool root = ::geteuid() == 0;
  if (root) {
    pool.user = who.user;
    pool.group = who.group;
  }
  temporary_folder_ = choose_temporary_folder(who);
  config_ = make_config(fpm_config(php, grace, pool));
  // OPcache alone would insist on /tmp, which may be read-only, and end php-fpm. Whoever sets it wins.
  auto settings = php;
  settings.values.insert(settings.values.begin(),
                             {"opcache.lockfile_path",
                              temporary_folder_.empty() ? given_temporary_folder() : temporary_folder_});
  arguments_ = fpm_arguments(settings, concat("/proc/self/fd/", config_.get()), root && who.uid == 0);
}

endpoint fpm_runtime::socket() const {
  return {.host = {}, .port = 0, .unix_path = folder_.socket_path()};
}

spawned fpm_runtime::start() const {
  constexpr std::string_view variable = "FPM_SOCKETS=";
  constexpr std::string_view temporary = "TMPDIR=";
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(variable) || (!temporary_folder_.empty() && text.starts_with(temporary))) continue;
    environment.emplace_back(text);
  }
  if (!temporary_folder_.empty()) environment.push_back(concat(temporary, temporary_folder_));
  environment.push_back(concat(variable, inherited_name(folder_), "=", socket_.get()));
  return spawn_program(arguments_, environment, {socket_.get(), config_.get()}, messages_.standard_error());
}

}  // namespace httpd::init
