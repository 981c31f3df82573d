// The walk along the root's path, and the one below it.
#include "server/readable_paths.hpp"

#include "base/text.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_set>

namespace httpd::server {

namespace {

constexpr int most_links = 40;  // as the kernel has it

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) ? resolved : "";
}

std::string_view parent_of(std::string_view path) noexcept {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == path.npos ? "/" : path.substr(0, slash);
}

std::string join(std::string_view folder, std::string_view name) {
  return concat(folder == "/" ? "" : folder, "/", name);
}

bool is_below(std::string_view path, std::string_view folder) noexcept {
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

// Folders in which secrets of the machine or of its people lie.
bool is_private_place(std::string_view path) noexcept {
  if (path == "/" || parent_of(path) == "/home") return true;
  for (const std::string_view never : {"/proc", "/sys", "/dev"})
    if (is_below(path, never)) return true;
  return false;
}

bool may_hold(std::string_view folder) noexcept {
  return !is_private_place(folder) && parent_of(folder) != "/";
}

// Somebody made a link to it on purpose; "/uploads" is where a container has its volume.
bool may_be_led_to(std::string_view target) noexcept {
  static constexpr std::string_view of_the_system[] = {"/bin", "/boot", "/etc", "/home", "/lib", "/lib32",
                                                       "/lib64", "/libx32", "/root", "/run", "/sbin", "/tmp",
                                                       "/usr", "/var"};
  return !is_private_place(target) &&
         std::find(std::begin(of_the_system), std::end(of_the_system), target) == std::end(of_the_system);
}

class search {
public:
  search(readable_paths& found, std::size_t most_entries) : found_{found}, entries_left_{most_entries} {}

  void run(const std::string& root, const std::vector<std::string>& known) {
    const auto real = real_path(root);
    add(real.empty() ? root : real);
    if (real.empty()) return;
    follow(root);
    add_holder(real);
    for (const auto& path : known) is_added_.insert(real_path(path));
    walk(real);
  }

private:
  void add(std::string path) {
    if (is_added_.insert(path).second) found_.paths.push_back(std::move(path));
  }

  bool is_covered(std::string_view path) const {
    for (;; path = parent_of(path)) {
      if (is_added_.contains(std::string{path})) return true;
      if (path == "/") return false;
    }
  }

  void add_holder(std::string_view of) {
    const auto folder = parent_of(of);
    if (may_hold(folder)) add(std::string{folder});
  }

  // Every link on the way, those inside the targets of others too.
  void follow(const std::string& path) {
    std::deque<std::string> names;
    split(path, names);
    std::string at = "/";
    for (int links = 0; !names.empty();) {
      const std::string name = std::move(names.front());
      names.pop_front();
      if (name == "..") at = std::string{parent_of(at)};
      if (name == "." || name == "..") continue;
      const auto next = join(at, name);
      char text[PATH_MAX];
      const auto length = ::readlink(next.c_str(), text, sizeof text);
      if (length < 0) {
        at = next;
        continue;
      }
      if (++links > most_links) return;
      if (const auto target = real_path(next); !target.empty()) add_holder(target);
      const std::string_view target{text, static_cast<std::size_t>(length)};
      if (target.starts_with('/')) at.assign(1, '/');
      split(target, names);
    }
  }

  // Puts the names in a path in front of the others.
  static void split(std::string_view path, std::deque<std::string>& names) {
    std::vector<std::string> parts;
    while (!path.empty()) {
      const auto name = path.substr(0, path.find('/'));
      path.remove_prefix(std::min(name.size() + 1, path.size()));
      if (!name.empty()) parts.emplace_back(name);
    }
    names.insert(names.begin(), parts.begin(), parts.end());
  }

  // Level by level: links lie near the top, and a limit then cuts off what is deepest.
  void walk(const std::string& root) {
    std::deque<std::string> folders{root};
    while (!folders.empty()) {
      const std::string folder = std::move(folders.front());
      folders.pop_front();
      const std::unique_ptr<DIR, int (*)(DIR*)> open{::opendir(folder.c_str()), ::closedir};
      if (!open) {
        if (errno != ENOENT && ::access(folder.c_str(), X_OK) == 0) leave_unseen(folder);
        continue;
      }
      while (const dirent* entry = ::readdir(open.get())) {
        if (is_never_served(folder, root, entry->d_name)) continue;
        if (entries_left_ == 0) {
          leave_unseen(folder);
          return;
        }
        --entries_left_;
        look_at(join(folder, entry->d_name), entry->d_type, folders);
      }
    }
  }

  // "." and ".." too.
  static bool is_never_served(const std::string& folder, const std::string& root, std::string_view name) {
    return name.starts_with('.') && !(folder == root && name == ".well-known");
  }

  void leave_unseen(const std::string& folder) {
    if (found_.unseen.empty()) found_.unseen = folder;
  }

  void look_at(const std::string& path, unsigned char type, std::deque<std::string>& folders) {
    struct stat info{};
    if (type == DT_UNKNOWN && ::lstat(path.c_str(), &info) == 0)
      type = S_ISDIR(info.st_mode) ? DT_DIR : S_ISLNK(info.st_mode) ? DT_LNK : DT_REG;
    if (type == DT_DIR) folders.push_back(path);
    if (type == DT_LNK) add_target(path);
  }

  void add_target(const std::string& link) {
    const auto target = real_path(link);
    struct stat info{};
    if (target.empty() || is_covered(target) || ::stat(target.c_str(), &info) != 0) return;
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) return;
    if (may_be_led_to(target)) add(target);
    else found_.refused.push_back(concat(link, " leads to ", target));
  }

  readable_paths& found_;
  std::size_t entries_left_;
  std::unordered_set<std::string> is_added_;
};

}  // namespace

readable_paths find_readable_paths(const std::string& root, std::size_t most_entries,
                                   const std::vector<std::string>& known) {
  readable_paths found;
  search{found, most_entries}.run(root, known);
  return found;
}

}  // namespace httpd::server
