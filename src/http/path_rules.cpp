// Which names are scripts, and which are never sent. Rules about names alone: nothing looks at files.
#include "http/path_rules.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace httpd::http {
namespace {

constexpr std::array<std::string_view, 12> script_extensions{
    "php", "php3", "php4", "php5", "php6", "php7", "php8", "phps", "phtml", "phar", "pht", "inc"};
constexpr std::array<std::string_view, 11> copy_extensions{
    "bak", "swp", "swo", "swn", "orig", "save", "old", "tmp", "dpkg-dist", "dpkg-old", "rej"};

// Without the endings that some file systems ignore, so that they would open the name before them.
std::string_view without_ignored_end(std::string_view name) noexcept {
  constexpr std::string_view stream = "::$data";
  while (!name.empty()) {
    if (name.back() == '.' || name.back() == ' ') name.remove_suffix(1);
    else if (name.size() >= stream.size() && iequals(name.substr(name.size() - stream.size()), stream))
      name.remove_suffix(stream.size());
    else break;
  }
  return name;
}

constexpr bool is_letter_or_digit(char c) noexcept {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z');
}

bool begins_with_script_extension(std::string_view text) noexcept {
  const std::size_t end = static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), is_letter_or_digit) - text.begin());
  const auto same = [word = text.substr(0, end)](std::string_view other) { return iequals(word, other); };
  return std::any_of(script_extensions.begin(), script_extensions.end(), same);
}

bool is_refused_name(std::string_view name) noexcept {
  name = without_ignored_end(name);
  if (name.empty()) return false;
  if (name.back() == '~') return true;
  if (name.size() > 1 && name.front() == '#' && name.back() == '#') return true;
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return false;
  const std::string_view extension = name.substr(dot + 1);
  const auto same = [extension](std::string_view other) { return iequals(extension, other); };
  if (std::any_of(copy_extensions.begin(), copy_extensions.end(), same)) return true;
  // Anywhere in the name, and followed by a mark: x.php.txt, x.php.gz, x.php_, x.php-old are the source of
  // x.php.
  for (auto at = name.find('.'); at != name.npos; at = name.find('.', at + 1))
    if (begins_with_script_extension(name.substr(at + 1))) return true;
  return false;
}

}  // namespace

std::size_t next_script_prefix(std::string_view path, std::size_t from) noexcept {
  constexpr std::string_view extension = ".php";
  std::size_t slash = path.substr(0, from + 1).rfind('/');
  while (slash < path.size()) {
    const std::size_t end = std::min(path.find('/', slash + 1), path.size());
    const std::string_view segment = path.substr(slash + 1, end - slash - 1);
    if (end > from && segment.size() > extension.size() && segment.ends_with(extension)) return end;
    slash = end;
  }
  return 0;
}

bool has_hidden_segment(std::string_view path) noexcept {
  constexpr std::string_view well_known = "/.well-known/";
  const std::size_t checked_from = path.starts_with(well_known) ? well_known.size() - 1 : 0;
  return path.find("/.", checked_from) != path.npos;
}

bool is_refused(std::string_view path) noexcept {
  return has_hidden_segment(path) || is_refused_name(path.substr(path.rfind('/') + 1));
}

}  // namespace httpd::http
