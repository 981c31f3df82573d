// Reads /proc/1/cmdline and takes from it where the server is.
#include "config/first_process.hpp"

#include "config/files.hpp"
#include "config/options.hpp"

#include <algorithm>

namespace httpd::config {

std::vector<std::string> own_command_line(std::string_view cmdline) {
  std::vector<std::string> words;
  while (!cmdline.empty()) {
    const auto word = cmdline.substr(0, cmdline.find('\0'));
    cmdline.remove_prefix(std::min(word.size() + 1, cmdline.size()));
    if (!words.empty() || word.substr(word.rfind('/') + 1) == "httpd-php-fpm") words.emplace_back(word);
  }
  return words;
}

void adopt_first_process(given_options& health, const std::string& root) {
  const auto words = own_command_line(read_file(root + "/proc/1/cmdline"));
  if (words.empty()) return;
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  argv.push_back(nullptr);
  given_options first;
  try {
    first = read_command_line(int(words.size()), argv.data());
  } catch (const option_error&) {
    return;  // another program of our name
  }
  for (const std::string_view name : {"serve", "health-path"}) {
    const auto* own = health.find(name);
    const auto* told = first.find(name);
    if (told && (!own || own->from_environment)) health.by_name[name] = *told;
  }
}

}  // namespace httpd::config
