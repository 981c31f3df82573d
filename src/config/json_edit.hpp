// The changes that the control API makes in a tree. Each leaves the tree as it was unless it says done.
#pragma once

#include "config/json_value.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

enum class edit_outcome {
  done,
  not_found,    // the value, or what it would be put into: 404
  not_allowed,  // only an array is posted to: 405
  too_deep,     // the tree could not be read again, see max_json_depth: 400
};

// The names of members and the decimal indices of elements, from the root.
using json_path = std::span<const std::string>;

inline constexpr std::size_t max_path_token = 256;  // bytes, decoded

// The path of a request target, without its query, split and then percent-decoded: "/config/routes/a%2Fb/" is
// "config", "routes", "a/b"; "/" is none. One slash at the end is passed over. nullopt when it does not begin
// with a slash, for a broken escape, for a token that is too long or no UTF-8.
std::optional<std::vector<std::string>> split_path(std::string_view path);

// nullptr when there is none.
const json_value* find(const json_value& tree, json_path path) noexcept;
json_value* find(json_value& tree, json_path path) noexcept;

// Replaces the value or makes it: a member of an object that exists, or the element just after the last.
edit_outcome put(json_value& tree, json_path path, json_value value);
// Appends to the array. The root is never posted to.
edit_outcome post(json_value& tree, json_path path, json_value element);
// Takes out the member or element; the root becomes an empty object.
edit_outcome remove(json_value& tree, json_path path);

// RFC 7396: null takes a member out, objects are merged, all else replaces. Never deeper than both.
void merge_patch(json_value& target, json_value patch);

}  // namespace httpd::config
