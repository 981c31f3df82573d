// Listing folders and seeing that they changed.
#include "server/variant_folders.hpp"

#include "base/text.hpp"

#include <dirent.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace httpd::server {

namespace {

constexpr http::coding_set all_codings = [] {
  http::coding_set all = 0;
  for (const auto& coding : http::stored_codings) all |= http::bit(coding.what);
  return all;
}();

// Whatever the case: a file system may not tell it apart.
http::coding_set coding_of(std::string_view name) noexcept {
  for (const auto& coding : http::stored_codings)
    if (name.size() > coding.extension.size() &&
        iequals(name.substr(name.size() - coding.extension.size()), coding.extension))
      return http::bit(coding.what);
  return 0;
}

bool is_same(const timespec& a, const timespec& b) noexcept {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

struct close_folder {
  void operator()(DIR* d) const noexcept { ::closedir(d); }
};

}  // namespace

http::coding_set variant_folders::possible(std::string_view path) {
  path = path.substr(0, path.rfind('/') + 1);
  auto found = folders_.find(path);
  if (found == folders_.end()) {
    if (folders_.size() >= most_folders) folders_.clear();
    found = folders_.try_emplace(std::string{path}).first;
  }
  auto& known = found->second;
  if (known.listed && !still_listed(path, known)) known = {};
  if (known.listed) return known.codings;
  // At 4, 8, 16...: a folder that is too large for now is tried again when it has proved to be worth more.
  if (++known.asked >= 4 && std::has_single_bit(known.asked)) list(path, known);
  return known.listed ? known.codings : all_codings;
}

bool variant_folders::still_listed(std::string_view path, folder& known) const {
  const auto now = io::coarse_clock::now();
  if (now - known.checked <= trust) return true;
  struct stat info{};
  if (now - known.listed_at > life || root_.find(path, info) != lookup::directory) return false;
  known.checked = now;
  return info.st_dev == known.device && info.st_ino == known.inode && is_same(info.st_mtim, known.mtime) &&
         is_same(info.st_ctim, known.ctime);
}

// The times are taken before the names: a change in between shows at the next check.
void variant_folders::list(std::string_view path, folder& known) const {
  unique_fd descriptor;
  struct stat info{};
  if (root_.open_folder(path, descriptor, info) != lookup::directory) return;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec - std::max(info.st_mtim.tv_sec, info.st_ctim.tv_sec) < settled_seconds) return;
  const std::unique_ptr<DIR, close_folder> opened{::fdopendir(descriptor.get())};
  if (!opened) return;
  descriptor.release();
  auto left = std::min(known.asked, most_names / names_for_each_ask) * names_for_each_ask;
  http::coding_set codings = 0;
  errno = 0;
  while (const auto* name = ::readdir(opened.get())) {
    if (left-- == 0) return;
    codings |= coding_of(name->d_name);
  }
  if (errno != 0) return;
  known.listed = true;
  known.codings = codings;
  known.device = info.st_dev;
  known.inode = info.st_ino;
  known.mtime = info.st_mtim;
  known.ctime = info.st_ctim;
  known.listed_at = known.checked = io::coarse_clock::now();
}

}  // namespace httpd::server
