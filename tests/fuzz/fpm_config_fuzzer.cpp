// php-fpm's configuration and arguments: a setting arrives byte for byte, and no value becomes a line of its
// own.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "config/given_options.hpp"
#include "init/fpm_config.hpp"

using namespace httpd;
using namespace httpd::fuzz;

namespace {

// What PHP's ini scanner makes of quoted pieces side by side. In double quotes \, " and $ are special.
std::string read_ini(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char quote = text.front();
    expect(quote == '\'' || quote == '"', "everything is quoted");
    const auto end = text.find(quote, 1);
    expect(end != text.npos, "every quote is closed");
    const auto inside = text.substr(1, end - 1);
    if (quote == '"') expect(inside.find_first_of("\\$") == inside.npos, "nothing special in double quotes");
    out += inside;
    text.remove_prefix(end + 1);
  }
  return out;
}

void check_text(std::string_view text) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    expect(line.size() < text.size(), "every line ends");
    text.remove_prefix(line.size() + 1);
    const bool is_setting = !line.starts_with('[') && line.find(" = ") != line.npos;
    expect(line.empty() || line == "[global]" || line == "[www]" || is_setting, "a line is a setting");
  }
}

void check_split(std::string_view text, config::repeat kind) {
  const std::string_view separators = kind == config::repeat::by_line_or_semicolon ? "\n;" : ", \t\n";
  std::string joined;
  const auto values = config::split_environment(text, kind);
  for (const auto& value : values) {
    expect(!value.empty() && trim(value) == value, "a value is there and trimmed");
    expect(value.find_first_of(separators) == value.npos, "a value has no separator");
    append(joined, value, '\n');
  }
  expect(config::split_environment(joined, kind) == values, "joined and split again they are the same");
  std::size_t sent = 0, kept = 0;
  for (const char c : text) sent += c != ' ' && c != '\t' && separators.find(c) == separators.npos;
  for (const char c : joined) kept += c != ' ' && c != '\t' && separators.find(c) == separators.npos;
  expect(sent == kept, "nothing is lost");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  config::configuration config;
  config.php.fpm_path = "/usr/sbin/php-fpm";
  config.php.workers = static_cast<unsigned>(from.number(2));
  config.limits.grace = std::chrono::milliseconds{from.number(4)};
  const bool as_root = from.byte() & 1;
  const auto environment = from.until('\xff');
  for (const auto& setting : config::split_environment(environment, config::repeat::by_line_or_semicolon))
    if (const auto equals = setting.find('='); equals != setting.npos)
      config.php.values.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  const auto value = from.rest();
  config.php.values.emplace_back("last", value);

  expect(read_ini(init::ini_quoted(value)) == value, "a value arrives as it is");
  check_text(init::fpm_config(config.php, config.limits.grace, {"/run/socket", as_root ? "www-data" : "", "web"}));
  const auto arguments = init::fpm_arguments(config.php, "/proc/self/fd/3", as_root);
  const auto settings = config.php.values.size();
  expect(arguments.size() == 5 + as_root + 2 * settings, "two arguments for a setting");
  for (std::size_t i = 0; i < settings; ++i) {
    const auto at = arguments.size() - 2 * (settings - i);
    const auto& [name, wanted] = config.php.values[i];
    const std::string_view argument = arguments[at + 1];
    expect(arguments[at] == "-d" && argument.starts_with(name + "="), "a setting keeps its name");
    expect(read_ini(argument.substr(name.size() + 1)) == wanted, "a setting keeps its value");
  }
  check_split(environment, config::repeat::by_line_or_semicolon);
  check_split(environment, config::repeat::by_comma_or_space);
}
