// Look-up and comparison.
#include "config/json_value.hpp"

#include <algorithm>
#include <utility>

namespace httpd::config {

const json_value* json_value::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(members, name, &json_member::name);
  return found == members.end() ? nullptr : &found->value;
}

json_value* json_value::find(std::string_view name) noexcept {
  return const_cast<json_value*>(std::as_const(*this).find(name));
}

bool operator==(const json_value& a, const json_value& b) noexcept {
  if (a.what != b.what) return false;
  switch (a.what) {
    case json_value::kind::null: return true;
    case json_value::kind::boolean: return a.boolean == b.boolean;
    case json_value::kind::integer: return a.integer == b.integer;
    case json_value::kind::fraction: return a.fraction == b.fraction;
    case json_value::kind::string: return a.text == b.text;
    case json_value::kind::array: return a.elements == b.elements;
    case json_value::kind::object: break;
  }
  return a.members.size() == b.members.size() && std::ranges::all_of(a.members, [&b](const json_member& one) {
           const auto* other = b.find(one.name);
           return other && *other == one.value;
         });
}

}  // namespace httpd::config
