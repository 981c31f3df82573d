// "access_log": where, what and when.
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

#include <utility>

namespace httpd::config {
namespace {

bool read_format_field(site_reader& at, std::string_view name, const json_value& value,
                       access_log_settings& out) {
  if (!is_one_of(value, a_string)) return at.fail("In the access log format, the value must be a string.");
  auto text = read_template(at, value);
  if (!text) return false;
  out.format.emplace_back(name, std::move(*text));
  return true;
}

bool read_format(site_reader& at, const json_value& value, access_log_settings& out) {
  out.json = is_one_of(value, an_object);
  if (!out.json) return read_format_field(at, "", value, out);
  return read_each(at, value, [&](const json_member& member) {
    if (member.name.empty()) return at.fail_at_name("In the access log format, the name must not be empty.");
    return read_format_field(at, member.name, member.value, out);
  });
}

constexpr key<access_log_settings> keys[] = {
    {"path", a_string, any_text<&access_log_settings::path>},
    {"format", a_string | an_object, read_format},
    {"if", a_string, conditional<&access_log_settings::when>},
};

}  // namespace

bool read_access_log(site_reader& at, const json_value& value, site& out) {
  auto& log = out.access_log.emplace();
  if (is_one_of(value, a_string)) {
    log.path = value.text;
    if (!check_text(at, value)) return false;
  } else {
    if (!read_object(at, value, part{keys, log})) return false;
    if (log.path.empty()) return at.fail_at_member("path", "The \"path\" string must not be empty.");
  }
  std::string error;
  if (log.format.empty() && !log.json)
    log.format.emplace_back("", text_template::parse(default_access_log_format, "format", error).value());
  return true;
}

}  // namespace httpd::config
