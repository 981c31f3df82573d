// "root", "script", "index" and "targets" of applications that run scripts.
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

namespace httpd::config {
namespace {

constexpr key<script_target> target_keys[] = {
    {"root", a_string, filled_text<&script_target::root>, true},
    {"script", a_string, filled_text<&script_target::script>},
    {"index", a_string, filled_text<&script_target::index>},
};

// The only target of an application without "targets".
template <auto Member>
bool only_target(site_reader& at, const json_value& value, application& out) {
  if (out.targets.empty()) out.targets.emplace_back();
  return filled_text<Member>(at, value, out.targets.front());
}

bool not_beside_targets(site_reader& at, const json_value&, application&) {
  return at.fail_at_name(
      concat("The \"", at.name(), "\" option is mutually exclusive with the \"targets\" object."));
}

bool read_targets(site_reader& at, const json_value& value, application& out) {
  if (value.members.empty()) return at.fail("The \"targets\" object must contain at least one member.");
  if (value.members.size() > 254)
    return at.fail("The \"targets\" object must not contain more than 254 members.");
  auto next = out.targets.begin();  // their names are there: list_names()
  return read_each(at, value, [&](const json_member& member) {
    if (member.name.empty()) return at.fail_at_name("The target name must not be empty.");
    if (!is_one_of(member.value, an_object))
      return at.fail(concat("The \"", member.name, "\" target must be an object."));
    return read_object(at, member.value, part{target_keys, *next++});
  });
}

constexpr key<application> keys_with_targets[] = {
    {"root", anything, not_beside_targets},
    {"script", anything, not_beside_targets},
    {"index", anything, not_beside_targets},
    {"targets", an_object, read_targets},
};

constexpr key<application> keys_without_targets[] = {
    {"root", a_string, only_target<&script_target::root>, true},
    {"script", a_string, only_target<&script_target::script>},
    {"index", a_string, only_target<&script_target::index>},
    {"targets", an_object, read_targets},  // never there; known for "did you mean"
};

}  // namespace

std::span<const key<application>> script_keys(const json_value& application) noexcept {
  if (application.find("targets")) return keys_with_targets;
  return keys_without_targets;
}

}  // namespace httpd::config
