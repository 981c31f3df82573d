// The members of an application whose processes are ours: how many, for how long, as whom and where.
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

namespace httpd::config {
namespace {

inline constexpr char no_shared_memory[] =
    "The \"shm\" limit is not supported: this server shares no memory with applications.";

constexpr key<process_count> count_keys[] = {
    {"spare", an_integer, number<&process_count::spare>},
    {"max", an_integer, number<&process_count::max, 1>},
    {"idle_timeout", an_integer, seconds<&process_count::idle_timeout>},
};

bool read_processes(site_reader& at, const json_value& value, process_settings& out) {
  auto& count = out.processes;
  if (is_one_of(value, an_integer)) {
    const auto fixed = read_number(at, value, 1, most);
    count.max = static_cast<unsigned>(fixed.value_or(1));
    return fixed.has_value();
  }
  count.dynamic = true;
  if (!read_object(at, value, part{count_keys, count})) return false;
  return count.spare <= count.max ||
         at.fail_at_member("spare", "The \"spare\" number must be less than or equal to \"max\".");
}

constexpr key<process_settings> limit_keys[] = {
    {"timeout", an_integer, seconds<&process_settings::timeout>},
    {"requests", an_integer, number<&process_settings::requests>},
    {"shm", anything, refused<no_shared_memory, process_settings>},
};

bool read_limits(site_reader& at, const json_value& value, process_settings& out) {
  return read_object(at, value, part{limit_keys, out});
}

bool read_environment(site_reader& at, const json_value& value, process_settings& out) {
  return read_each(at, value, [&](const json_member& member) {
    const auto& name = member.name;
    if (name.empty()) return at.fail_at_name("The environment name must not be empty.");
    if (name.find('\0') != name.npos)
      return at.fail_at_name("The environment name must not contain null character.");
    if (name.find('=') != name.npos)
      return at.fail_at_name("The environment name must not contain '=' character.");
    if (!is_one_of(member.value, a_string))
      return at.fail(concat("The \"", name, "\" environment value must be a string."));
    if (member.value.text.find('\0') != name.npos)
      return at.fail(concat("The \"", name, "\" environment value must not contain null character."));
    out.environment.emplace_back(name, member.value.text);
    return true;
  });
}

constexpr key<process_settings> keys[] = {
    {"limits", an_object, read_limits},
    {"processes", an_integer | an_object, read_processes},
    {"user", a_string, filled_text<&process_settings::user>},
    {"group", a_string, filled_text<&process_settings::group>},
    {"working_directory", a_string, filled_text<&process_settings::working_directory>},
    {"environment", an_object, read_environment},
    {"isolation", an_object, read_isolation},
    {"stdout", a_string, filled_text<&process_settings::stdout_path>},
    {"stderr", a_string, filled_text<&process_settings::stderr_path>},
};

}  // namespace

std::span<const key<process_settings>> process_keys() noexcept { return keys; }

}  // namespace httpd::config
