// Which php-fpm to run.
#include "config/php_fpm_search.hpp"

#include "base/text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace httpd::config {
namespace {

constexpr std::string_view prefix = "php-fpm";

bool is_runnable(const std::string& path) noexcept {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

bool is_version(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
}

std::uint64_t take_part(std::string_view& version) noexcept {
  const auto part = version.substr(0, version.find('.'));
  version.remove_prefix(std::min(part.size() + 1, version.size()));
  return parse_u64(part).value_or(0);
}

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

bool older_version(std::string_view a, std::string_view b) noexcept {
  while (!a.empty() && !b.empty()) {
    const auto part_a = take_part(a), part_b = take_part(b);
    if (part_a != part_b) return part_a < part_b;
  }
  return a.empty() && !b.empty();
}

std::vector<std::string> program_folders(const char* path_variable) {
  std::vector<std::string> folders;
  const auto add = [&folders](std::string_view folder) {
    if (folder.starts_with('/') && std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.emplace_back(folder);
  };
  for (std::string_view rest = path_variable ? path_variable : ""; !rest.empty();) {
    const auto folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    add(folder);
  }
  for (const auto* usual : {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin"}) add(usual);
  return folders;
}

std::string newest_php_fpm(const std::vector<std::string>& folders) {
  std::string best, best_version;
  for (const auto& folder : folders) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (!name.starts_with(prefix)) continue;
      const std::string version = name.substr(prefix.size());
      if (!is_version(version) || !is_runnable(entry->path().string())) continue;
      if (!best.empty() && !older_version(best_version, version)) continue;
      best = entry->path().string();
      best_version = version;
    }
  }
  return best;
}

program find_program(const std::string& name, const std::vector<std::string>& folders) {
  std::string path = name;
  if (name.find('/') == name.npos) {
    const auto holds = [&name](const std::string& folder) { return is_runnable(folder + "/" + name); };
    const auto found = std::find_if(folders.begin(), folders.end(), holds);
    if (found == folders.end()) return {"", "no such program", 127};
    path = *found + "/" + name;
  }
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {"", std::strerror(errno), errno == EACCES ? 126 : 127};
  if (S_ISDIR(info.st_mode)) return {"", "is a folder", 126};
  if (!is_runnable(path)) return {"", "not an executable file", 126};
  return {absolute(path), "", 0};
}

}  // namespace httpd::config
