// Unit's rules for a path, and merging.
#include "config/json_edit.hpp"

#include "base/percent.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "config/json_reader.hpp"

#include <algorithm>
#include <utility>

namespace httpd::config {
namespace {

using kind = json_value::kind;

// Counted as the reader does: 0 for what holds nothing, 1 for an empty array.
std::size_t depth_of(const json_value& value) noexcept {
  if (value.what != kind::array && value.what != kind::object) return 0;
  std::size_t inside = 0;
  for (const auto& element : value.elements) inside = std::max(inside, depth_of(element));
  for (const auto& member : value.members) inside = std::max(inside, depth_of(member.value));
  return inside + 1;
}

// Of the element called `token`; the size of the array or more when there is none.
std::size_t index_of(const json_value& array, std::string_view token) noexcept {
  return static_cast<std::size_t>(parse_u64(token).value_or(array.elements.size() + 1));
}

const json_value* child(const json_value& parent, std::string_view token) noexcept {
  if (parent.what != kind::array) return parent.find(token);
  const auto index = index_of(parent, token);
  return index < parent.elements.size() ? &parent.elements[index] : nullptr;
}

void take_out(json_value& object, std::string_view name) {
  std::erase_if(object.members, [name](const json_member& member) { return member.name == name; });
}

}  // namespace

std::optional<std::vector<std::string>> split_path(std::string_view path) {
  std::vector<std::string> tokens;
  if (!path.starts_with('/')) return std::nullopt;
  while (path.size() > 1) {
    path.remove_prefix(1);
    const auto encoded = path.substr(0, path.find('/'));
    path.remove_prefix(encoded.size());
    auto& token = tokens.emplace_back();
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      char c;
      if (!decode_at(encoded, i, c) || token.size() == max_path_token) return std::nullopt;
      token.push_back(c);
    }
    if (find_broken_utf8(token) != token.npos) return std::nullopt;
  }
  return tokens;
}

const json_value* find(const json_value& tree, json_path path) noexcept {
  const json_value* at = &tree;
  for (const auto& token : path) {
    at = child(*at, token);
    if (!at) break;
  }
  return at;
}

json_value* find(json_value& tree, json_path path) noexcept {
  return const_cast<json_value*>(find(std::as_const(tree), path));
}

edit_outcome put(json_value& tree, json_path path, json_value value) {
  json_value* found = find(tree, path);
  json_value* parent = path.empty() ? nullptr : find(tree, path.first(path.size() - 1));
  if (!found) {
    const bool appends = parent && parent->what == kind::array &&
                         index_of(*parent, path.back()) == parent->elements.size();
    if (!parent || (parent->what != kind::object && !appends)) return edit_outcome::not_found;
  }
  if (path.size() + depth_of(value) > max_json_depth) return edit_outcome::too_deep;
  if (found) *found = std::move(value);
  else if (parent->what == kind::array) parent->elements.push_back(std::move(value));
  else parent->members.push_back({path.back(), 0, std::move(value)});
  return edit_outcome::done;
}

edit_outcome post(json_value& tree, json_path path, json_value element) {
  json_value* const array = find(tree, path);
  if (!array) return edit_outcome::not_found;
  if (path.empty() || array->what != kind::array) return edit_outcome::not_allowed;
  if (path.size() + 1 + depth_of(element) > max_json_depth) return edit_outcome::too_deep;
  array->elements.push_back(std::move(element));
  return edit_outcome::done;
}

edit_outcome remove(json_value& tree, json_path path) {
  if (path.empty()) {
    tree = {};
    tree.what = kind::object;
    return edit_outcome::done;
  }
  if (!find(tree, path)) return edit_outcome::not_found;
  json_value& parent = *find(tree, path.first(path.size() - 1));
  if (parent.what == kind::object) {
    take_out(parent, path.back());
  } else {
    const auto index = index_of(parent, path.back());
    parent.elements.erase(parent.elements.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return edit_outcome::done;
}

void merge_patch(json_value& target, json_value patch) {
  if (patch.what != kind::object) {
    target = std::move(patch);
    return;
  }
  if (target.what != kind::object) {
    target = {};
    target.what = kind::object;
    target.offset = patch.offset;
  }
  for (auto& [name, offset, value] : patch.members) {
    if (value.what == kind::null) {
      take_out(target, name);
      continue;
    }
    json_value* old = target.find(name);
    if (!old) old = &target.members.emplace_back(json_member{std::move(name), offset, {}}).value;
    merge_patch(*old, std::move(value));
  }
}

}  // namespace httpd::config
