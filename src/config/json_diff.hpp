// What differs between two trees, as a JSON Patch (RFC 6902) that tells the old values, too.
#pragma once

#include "config/json_edit.hpp"
#include "config/json_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

struct json_change {
  enum class kind { add, remove, replace };

  kind what = kind::add;
  std::string pointer;   // RFC 6901, from the root
  json_value old_value;  // null for add
  json_value new_value;  // null for remove
};

// Applied one after the other to `before` they give a tree equal to `after`; none when the two are equal.
// Arrays are compared between what they have in common at both ends.
std::vector<json_change> diff(const json_value& before, const json_value& after);

// An array of {"op", "path", "old", "value"}; "old" is not in RFC 6902, whose readers pass over it.
json_value to_json(const std::vector<json_change>& changes);

// A pointer to the value at `path`: "" for the root, "/a~1b/0"; and one more token at its end.
std::string pointer_to(json_path path);
void append_pointer(std::string& pointer, std::string_view token);

}  // namespace httpd::config
