// The whole way from a command line and an environment to a configuration: refused in one line of printable
// ASCII, or a configuration that is printed as JSON. One setting says the same in both places.
#include "fuzz/fuzz.hpp"
#include "fuzz/json_check.hpp"

#include "base/text.hpp"
#include "config/given_options.hpp"
#include "config/options.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <optional>
#include <vector>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

// --help and --version write there. No search for php-fpm through the folders of the machine.
[[maybe_unused]] const bool prepared = [] {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
  ::setenv("PATH", "/nowhere", 1);
  return true;
}();

// A variable of the environment while this lives.
class variable {
public:
  variable(std::string name, const std::string& value) : name_{std::move(name)} {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~variable() { ::unsetenv(name_.c_str()); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

private:
  std::string name_;
};

struct outcome {
  std::string text;  // the configuration, or why not
  bool refused = false;
};

outcome read(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"httpd-php-fpm"};
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  try {
    const auto options = config::read_options(static_cast<int>(argv.size()) - 1, argv.data());
    if (!options) return {"help", false};
    expect(!options->config.serve.empty() || options->what == config::command::health, "there is an address");
    auto text = print(options->config);
    expect(is_json(text), "the configuration is JSON");
    return {std::move(text), false};
  } catch (const config::option_error& error) {
    const std::string_view what = error.what();
    expect(!what.empty(), "a refusal says why");
    for (const char c : what) expect(c >= 0x20 && c <= 0x7e, "a refusal is one line of printable ASCII");
    const int status = error.exit_status();
    expect(status == 2 || status == 126 || status == 127, "the exit status is one of ours");
    return {error.what(), true};
  }
}

// The same setting on the command line and in the environment.
void compare_places(const config::option_definition& option, const std::string& value) {
  const auto name = option.long_name();
  const bool changes_in_environment =
      option.kind != config::repeat::last_wins &&
      (trim(value) != value || value.find_first_of("; ,\t\n") != value.npos);
  if (value.empty() || changes_in_environment || name == "php" || name == "php-fpm") return;
  const auto argument = read({concat("--", name, "=", value)});
  const variable there{config::environment_name(name), value};
  const auto environment = read({});
  // What would do nothing is refused on the command line alone.
  if (argument.refused && !environment.refused) {
    expect(name.starts_with("php-"), "only what is useless is refused in one place alone");
    return;
  }
  auto expected = argument.text;
  if (argument.refused) append(expected, " (from ", config::environment_name(name), ")");
  expect(environment.text == expected, "an option says the same in both places");
}

}  // namespace

FUZZ(input) {
  const variable no_php{"HTTPD_PHP_FPM", "none"};
  reader from{input};
  const auto table = config::option_table();
  const auto how = from.byte();
  if (how % 4 == 0) {
    const auto& option = table[from.byte() % table.size()];
    compare_places(option, std::string{from.until('\0')});
    return;
  }
  std::optional<variable> set;
  if (how % 4 == 1) {
    const auto name = config::environment_name(table[from.byte() % table.size()].long_name());
    if (name != "HTTPD_PHP_FPM") set.emplace(name, std::string{from.until('\0')});
  }
  std::vector<std::string> arguments;
  while (!from.empty() && arguments.size() < 8) arguments.emplace_back(from.until('\0'));
  read(arguments);
}
