// A walk over both trees at once.
#include "config/json_diff.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace httpd::config {
namespace {

using kind = json_value::kind;

class differ {
public:
  std::vector<json_change> changes;

  void compare(const json_value& before, const json_value& after);

private:
  void compare_members(const json_value& before, const json_value& after);
  void compare_elements(const std::vector<json_value>& before, const std::vector<json_value>& after);
  // `step` is called with the pointer of a part.
  template <class Step>
  void at(std::string_view token, Step step) {
    const auto size = pointer_.size();
    append_pointer(pointer_, token);
    step();
    pointer_.resize(size);
  }
  void add(const json_value& value) { changes.push_back({json_change::kind::add, pointer_, {}, value}); }
  void remove(const json_value& value) {
    changes.push_back({json_change::kind::remove, pointer_, value, {}});
  }

  std::string pointer_;
};

void differ::compare(const json_value& before, const json_value& after) {
  if (before == after) return;
  if (before.what == kind::object && after.what == kind::object) {
    compare_members(before, after);
  } else if (before.what == kind::array && after.what == kind::array) {
    compare_elements(before.elements, after.elements);
  } else {
    changes.push_back({json_change::kind::replace, pointer_, before, after});
  }
}

void differ::compare_members(const json_value& before, const json_value& after) {
  for (const auto& [name, offset, value] : before.members) {
    at(name, [&] {
      if (const auto* now = after.find(name)) compare(value, *now);
      else remove(value);
    });
  }
  for (const auto& [name, offset, value] : after.members)
    if (!before.find(name)) at(name, [&] { add(value); });
}

// Elements that are the same at both ends stay; those between are compared in pairs, and what is left over
// goes from the last or comes from the first, so that each index is right when it is used.
void differ::compare_elements(const std::vector<json_value>& before, const std::vector<json_value>& after) {
  const auto shorter = std::min(before.size(), after.size());
  std::size_t begin = 0, end = 0;
  while (begin < shorter && before[begin] == after[begin]) ++begin;
  while (begin + end < shorter && before[before.size() - end - 1] == after[after.size() - end - 1]) ++end;
  const auto in_pairs = shorter - end;
  for (auto i = begin; i < in_pairs; ++i) at(concat(i), [&] { compare(before[i], after[i]); });
  for (auto i = before.size() - end; i > in_pairs; --i) at(concat(i - 1), [&] { remove(before[i - 1]); });
  for (auto i = in_pairs; i < after.size() - end; ++i) at(concat(i), [&] { add(after[i]); });
}

json_value text_value(std::string text) {
  json_value value;
  value.what = kind::string;
  value.text = std::move(text);
  return value;
}

const char* name_of(json_change::kind what) noexcept {
  switch (what) {
    case json_change::kind::add: return "add";
    case json_change::kind::remove: return "remove";
    case json_change::kind::replace: break;
  }
  return "replace";
}

}  // namespace

std::vector<json_change> diff(const json_value& before, const json_value& after) {
  differ walk;
  walk.compare(before, after);
  return std::move(walk.changes);
}

json_value to_json(const std::vector<json_change>& changes) {
  json_value list;
  list.what = kind::array;
  for (const auto& change : changes) {
    json_value& one = list.elements.emplace_back();
    one.what = kind::object;
    one.members.push_back({"op", 0, text_value(name_of(change.what))});
    one.members.push_back({"path", 0, text_value(change.pointer)});
    if (change.what != json_change::kind::add) one.members.push_back({"old", 0, change.old_value});
    if (change.what != json_change::kind::remove) one.members.push_back({"value", 0, change.new_value});
  }
  return list;
}

std::string pointer_to(json_path path) {
  std::string pointer;
  for (const auto& token : path) append_pointer(pointer, token);
  return pointer;
}

void append_pointer(std::string& pointer, std::string_view token) {
  pointer.push_back('/');
  for (const char c : token) {
    if (c == '~') pointer += "~0";
    else if (c == '/') pointer += "~1";
    else pointer.push_back(c);
  }
}

}  // namespace httpd::config
