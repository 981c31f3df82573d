// Look-ups under a descriptor. Path strings are normalised before they come here.
#include "server/document_root.hpp"

#include "base/log.hpp"
#include "server/sandbox.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace httpd::server {

namespace {

// RESOLVE_NO_MAGICLINKS: a link into /proc/PID/fd has no business in a site. Container engines of old
// refuse openat2; the plain call then has to do.
int open_beneath(int folder, const char* name, int flags) {
  static bool have_openat2 = true;
  if (have_openat2) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_NO_MAGICLINKS;
    const auto fd = ::syscall(SYS_openat2, folder, name, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
    if (errno == ENOSYS) have_openat2 = false;
  }
  return ::openat(folder, name, flags);
}

lookup classify(std::string_view path) {
  switch (errno) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO:
    case ENODEV:
      return lookup::missing;
    case EACCES:
    case EPERM:
      return lookup::denied;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return lookup::exhausted;
    default:
      log::error("cannot look up ", escaped(path), ": ", std::strerror(errno));
      return lookup::failed;
  }
}

lookup kind_of(const struct stat& info) noexcept {
  if (S_ISREG(info.st_mode)) return lookup::file;
  return S_ISDIR(info.st_mode) ? lookup::directory : lookup::missing;
}

// "/a/b" to "a/b" and "/" to ".", zero-terminated, without an allocation for every request. Never absolute,
// whatever the path: an absolute name would leave the folder it is looked up in.
class relative_name {
public:
  explicit relative_name(std::string_view path) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    if (path.empty()) path = ".";
    fits_ = path.size() < sizeof text_;
    if (fits_) text_[path.copy(text_, path.size())] = '\0';
    else errno = ENAMETOOLONG;
  }
  explicit operator bool() const noexcept { return fits_; }
  const char* get() const noexcept { return text_; }

private:
  bool fits_;
  char text_[PATH_MAX];
};

}  // namespace

document_root::document_root(std::string path) : path_{std::move(path)} { reopen(); }

bool document_root::reopen() {
  unique_fd folder{::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  struct stat info{};
  if (!folder || ::fstat(folder.get(), &info) != 0) {
    // Between the two steps of a switch that is not atomic: the open folder goes on serving.
    static log::rate_limit often{std::chrono::seconds{10}};
    unsigned suppressed = 0;
    if (often.allow(suppressed))
      log::error("cannot open the document root ", path_, ": ", std::strerror(errno));
    return false;
  }
  char resolved[PATH_MAX];
  real_path_ = ::realpath(path_.c_str(), resolved) ? resolved : path_;
  folder_ = std::move(folder);
  device_ = info.st_dev;
  inode_ = info.st_ino;
  return true;
}

bool document_root::refresh() {
  struct stat info{};
  if (::stat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) return false;
  return reopen();
}

lookup document_root::find(std::string_view path, struct stat& info) const {
  const relative_name name{path};
  if (!name || ::fstatat(folder_.get(), name.get(), &info, 0) != 0) return classify(path);
  return kind_of(info);
}

lookup document_root::open(std::string_view path, unique_fd& file, struct stat& info) const {
  const relative_name name{path};
  if (!name) return lookup::missing;
  file.reset(open_beneath(folder_.get(), name.get(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == EACCES && note_if_confined(folder_.get(), name.get(), real_path_, path))
    return lookup::denied;
  if (!file || ::fstat(file.get(), &info) != 0) return classify(path);
  const auto kind = kind_of(info);
  if (kind != lookup::file) file.reset();
  return kind;
}

lookup document_root::open_folder(std::string_view path, unique_fd& folder, struct stat& info) const {
  const relative_name name{path};
  if (!name) return lookup::missing;
  folder.reset(open_beneath(folder_.get(), name.get(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
  return folder && ::fstat(folder.get(), &info) == 0 ? lookup::directory : classify(path);
}

}  // namespace httpd::server
