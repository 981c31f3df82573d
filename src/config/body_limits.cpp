// Who set PHP's limits of a body, and setting those that nobody did.
#include "config/body_limits.hpp"

#include "base/text.hpp"
#include "config/files.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>

namespace httpd::config {
namespace {

bool folder_sets(const std::string& folder, std::string_view name) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error})
    if (entry.path().extension() == ".ini" && ini_sets(read_file(entry.path()), name)) return true;
  return false;
}

bool user_sets(const php& php, std::string_view scan_folders, std::string_view name) {
  const auto is_name = [name](const auto& setting) { return setting.first == name; };
  if (std::any_of(php.values.begin(), php.values.end(), is_name)) return true;
  if (!php.ini_file.empty() && ini_sets(read_file(php.ini_file), name)) return true;
  while (!scan_folders.empty()) {
    const auto folder = scan_folders.substr(0, scan_folders.find(':'));
    scan_folders.remove_prefix(std::min(folder.size() + 1, scan_folders.size()));
    if (!folder.empty() && folder_sets(std::string{folder}, name)) return true;
  }
  return false;
}

}  // namespace

bool ini_sets(std::string_view text, std::string_view name) noexcept {
  while (!text.empty()) {
    const auto whole = text.substr(0, text.find_first_of("\r\n"));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    auto line = trim(whole);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    if (trim(line).starts_with('=')) return true;
  }
  return false;
}

void follow_max_body(configuration& config, std::string_view scan_folders) {
  // PHP's numbers are signed; 0 is no limit for both.
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const auto size = concat(std::min(config.limits.max_body_bytes, most));
  for (const std::string_view name : {"post_max_size", "upload_max_filesize"})
    if (!user_sets(config.php, scan_folders, name)) config.php.values.emplace_back(name, size);
}

}  // namespace httpd::config
