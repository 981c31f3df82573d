// The command line (CLI11) and the environment as text.
#include "config/given_options.hpp"

#include "base/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

namespace httpd::config {
namespace {

constexpr std::string_view separators(repeat kind) noexcept {
  return kind == repeat::by_line_or_semicolon ? "\n;" : ", \t\n";
}

// "--serve" from CLI11's "--serve: 1 required TEXT missing"
std::string option_in(const std::string& message) { return message.substr(0, message.find(':')); }

[[noreturn]] void refuse_extra(const std::string& word) {
  if (word.starts_with('-') && word.size() > 1)
    throw option_error{word.substr(0, word.find('=')), "", "unknown option, see --help"};
  throw option_error{"", word, "unexpected argument; options begin with --, see --help"};
}

// "--name=": CLI11 would take the next word for the value, be it an option.
void refuse_empty(std::string_view word) {
  if (word.starts_with("--") && word.find('=') == word.size() - 1)
    throw option_error{std::string{word.substr(0, word.size() - 1)}, "", "needs a value"};
}

// Registers the table and parses. Values stay text: CLI11 converts and checks nothing.
void parse_command_line(int argc, const char* const* argv, given_options& given) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  auto* help = app.add_flag("-h,--help");
  auto* version = app.add_flag("--version");
  auto* check = app.add_flag("--check");
  auto* print_config = app.add_flag("--print-config");
  std::vector<std::pair<std::string_view, CLI::Option*>> options;
  for (const auto& definition : option_table()) {
    auto* option = definition.kind == repeat::flag ? app.add_flag(definition.names)
                                                   : app.add_option(definition.names);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    options.emplace_back(definition.long_name(), option);
  }
  auto* health = app.add_subcommand("health");
  health->set_help_flag();
  health->fallthrough();
  auto* url = health->add_option("URL");
  for (int i = 1; i < argc; ++i) refuse_empty(argv[i]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ArgumentMismatch& error) {
    throw option_error{option_in(error.what()), "", "needs a value"};
  } catch (const CLI::ParseError& error) {
    throw option_error{error.what()};
  }
  if (const auto extras = app.remaining(true); !extras.empty()) refuse_extra(extras.front());
  for (const auto& [name, option] : options)
    if (!option->results().empty()) given.by_name[name] = {option->results(), false};
  given.help = help->count() > 0;
  given.version = version->count() > 0;
  given.check = check->count() > 0;
  given.print_config = print_config->count() > 0;
  given.health = health->parsed();
  if (!url->results().empty()) given.health_url = url->results().front();
}

void read_environment(given_options& given) {
  for (const auto& definition : option_table()) {
    const auto name = definition.long_name();
    const char* text = std::getenv(environment_name(name).c_str());
    if (!text || given.by_name.contains(name)) continue;
    auto values = split_environment(text, definition.kind);
    if (!values.empty()) given.by_name[name] = {std::move(values), true};
  }
}

}  // namespace

std::string environment_name(std::string_view long_name) {
  std::string name = "HTTPD_";
  for (const char c : long_name) name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? char(c - 32) : c;
  return name;
}

std::vector<std::string> split_environment(std::string_view text, repeat kind) {
  std::vector<std::string> values;
  if (takes_last(kind)) {
    if (!text.empty()) values.emplace_back(text);
    return values;
  }
  while (!text.empty()) {
    const auto item = text.substr(0, text.find_first_of(separators(kind)));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    if (!trim(item).empty()) values.emplace_back(trim(item));
  }
  return values;
}

const given_option* given_options::find(std::string_view long_name) const {
  const auto found = by_name.find(long_name);
  return found == by_name.end() ? nullptr : &found->second;
}

bool given_options::overruled(std::string_view name, std::string_view by) const {
  const auto* weak = find(name);
  const auto* strong = find(by);
  return weak && strong && weak->from_environment && !strong->from_environment;
}

void given_options::refuse(std::string_view long_name, std::string_view value, std::string_view reason,
                           int exit_status) const {
  const auto* given = find(long_name);
  std::string why{reason};
  if (given && given->from_environment) append(why, " (from ", environment_name(long_name), ")");
  throw option_error{concat("--", long_name), value, why, exit_status};
}

given_options read_command_line(int argc, const char* const* argv) {
  given_options given;
  parse_command_line(argc, argv, given);
  return given;
}

given_options read_given(int argc, const char* const* argv) {
  given_options given = read_command_line(argc, argv);
  read_environment(given);
  return given;
}

}  // namespace httpd::config
