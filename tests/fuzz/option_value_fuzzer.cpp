// The value of each option, without the machine: taken or refused with a reason, and what is taken is
// printed.
#include "fuzz/fuzz.hpp"
#include "fuzz/json_check.hpp"

#include "base/text.hpp"
#include "config/option_table.hpp"
#include "config/units.hpp"

#include <cmath>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

// Digits times a unit, as a floating-point number: 64 bits of it are exact. 0 = refused.
long double read_size(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  auto value = std::strtold(concat('0', text.substr(0, end)).c_str(), nullptr);
  auto unit = text.substr(end);
  constexpr std::string_view units = "kmgt";
  if (!unit.empty() && units.find(to_lower(unit[0])) != units.npos) {
    value = std::ldexp(value, static_cast<int>(10 * (units.find(to_lower(unit[0])) + 1)));
    unit.remove_prefix(1);
    if (iequals(unit, "ib")) unit = {};
  }
  if (iequals(unit, "b")) unit = {};
  return end == 0 || !unit.empty() || value >= 18446744073709551616.0L ? 0 : value;
}

void check_units(std::string_view text) {
  const auto size = config::parse_size(text);
  if (size) expect(static_cast<long double>(*size) == read_size(text), "a size is digits times a unit");
  if (!size) expect(read_size(text) == 0, "a size is taken");
  const auto time = config::parse_duration(text);
  if (!time) return;
  using std::chrono::milliseconds;
  expect(*time > milliseconds{0} && *time <= std::chrono::hours{24 * 24}, "a time is within bounds");
  expect(config::parse_duration(concat(time->count(), "ms")) == time, "a time is the same in milliseconds");
}

void check_taken(const config::draft& made) {
  const auto& config = made.config;
  expect(made.threads <= 1024 && made.workers <= 65535, "numbers are within bounds");
  expect(config.serve.size() <= 1 && config.php.servers.size() <= 1 && made.index.size() <= 1, "one is one");
  for (const auto& name : made.index)
    expect(!name.empty() && name.find('/') == name.npos && name != "..", "an index is a name");
  if (made.front_controller && *made.front_controller != "none")
    expect(made.front_controller->starts_with('/') && made.front_controller->find("/.") == std::string::npos,
           "a front controller is below the root");
  expect(config.health_path.starts_with('/'), "the health path is a path");
  for (const auto& [name, value] : config.php.values)
    expect((name + value).find('\n') == name.npos && name.find_first_of("=[] ") == name.npos, "one setting");
  for (const auto& block : config.trusted_proxies)
    expect(address_block::parse(block.to_string()).has_value(), "a block is written and read back");
  const auto printed = config::print(config);
  expect(is_json(printed), "the configuration is JSON");
  for (const char c : printed)
    expect((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\n', "no control byte is printed");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto table = config::option_table();
  const auto& option = table[from.byte() % table.size()];
  const std::string value{from.until('\0')};
  check_units(value);
  if (value.empty()) return;  // refused before it comes here
  config::draft made;
  const auto reason = option.apply(made, value);
  for (const char c : reason) expect(c >= 0x20 && c <= 0x7e, "a reason is our own words");
  if (reason.empty()) check_taken(made);
}
