// JSON: what is read is written and read back as the same, edits do as they say, and a difference that is told
// is the whole difference. The input is a text, a second one and a path, separated by NUL.
#include "fuzz/fuzz.hpp"
#include "fuzz/json_check.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "config/json_diff.hpp"
#include "config/json_edit.hpp"
#include "config/json_reader.hpp"
#include "config/json_writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

using namespace httpd;
using namespace httpd::config;
using namespace httpd::fuzz;

namespace {

using kind = json_value::kind;

// What the strict reader of the other fuzzers does not know: exponents and surrogate pairs.
bool is_beyond_strict(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i)
    if ((text[i] == 'e' || text[i] == 'E') && is_digit(text[i - 1])) return true;
  return text.find("\\ud") != text.npos || text.find("\\uD") != text.npos;
}

void check_error(const json_error& error, std::string_view text) {
  expect(error.offset <= text.size(), "an error is in the text");
  expect(!error.detail.empty(), "an error has a reason");
  const auto before = text.substr(0, error.offset);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  expect(error.place.line == lines + 1, "its line is the line of its offset");
  expect(error.place.column >= 1 && error.place.column <= error.offset + 1, "its column is in the line");
  const std::string_view detail = error.detail;
  const bool ours = detail.starts_with("Duplicate") || detail.starts_with("The number is too large") ||
                    detail.starts_with("More than");
  std::string_view rest = text;
  expect(ours || !(take_json(rest, max_json_depth + 1) && rest.empty()), "what is JSON is read");
}

// The offsets come in the order of the text, each on the first byte of what it is about.
void check_offsets(const json_value& value, std::string_view text, std::size_t& last) {
  expect(value.offset < text.size() && value.offset >= last, "a value begins after what is before it");
  last = value.offset + 1;
  const char first = text[value.offset];
  switch (value.what) {
    case kind::null: expect(text.substr(value.offset).starts_with("null"), "at null"); break;
    case kind::boolean:
      expect(text.substr(value.offset).starts_with(value.boolean ? "true" : "false"), "at a boolean");
      break;
    case kind::integer:
    case kind::fraction: expect(first == '-' || is_digit(first), "at a number"); break;
    case kind::string: expect(first == '"', "at a string"); break;
    case kind::array: expect(first == '[', "at an array"); break;
    case kind::object: expect(first == '{', "at an object"); break;
  }
  for (const auto& element : value.elements) check_offsets(element, text, last);
  for (const auto& member : value.members) {
    expect(member.offset < text.size() && member.offset >= last && text[member.offset] == '"', "at a name");
    last = member.offset + 1;
    check_offsets(member.value, text, last);
  }
}

void check_written(const json_value& tree) {
  for (const auto form : {json_form::compact, json_form::pretty, json_form::unit}) {
    const auto text = write_json(tree, form);
    const auto again = read_json(text);
    expect(again && *again == tree, "what is written is read back");
    expect(write_json(*again, form) == text, "and written as before");
    expect(entity_tag(*again) == entity_tag(tree), "and has the same tag");
    std::string_view rest = text;
    expect(is_beyond_strict(text) || (take_json(rest, max_json_depth + 1) && rest.empty()), "it is JSON");
  }
}

std::optional<json_value> check_read(std::string_view text) {
  const auto tree = read_json(text);
  if (!tree) {
    check_error(tree.error(), text);
    return std::nullopt;
  }
  std::string_view rest = text;
  const bool plain = text.find_first_of("/\xef") == text.npos && !is_beyond_strict(text);
  expect(!plain || (take_json(rest, max_json_depth + 1) && rest.empty()), "what is read is JSON");
  std::size_t last = 0;
  check_offsets(*tree, text, last);
  check_written(*tree);
  return *tree;
}

// The pseudo-code of RFC 7396, section 2.
json_value merged(json_value target, const json_value& patch) {
  if (patch.what != kind::object) return patch;
  if (target.what != kind::object) {
    target = {};
    target.what = kind::object;
  }
  for (const auto& [name, offset, value] : patch.members) {
    const auto wanted = std::string_view{name};
    const json_value* const old = target.find(wanted);
    const auto now = value.what == kind::null ? json_value{} : merged(old ? *old : json_value{}, value);
    std::erase_if(target.members, [wanted](const json_member& member) { return member.name == wanted; });
    if (value.what != kind::null) target.members.push_back({name, 0, now});
  }
  return target;
}

// RFC 6902, of what diff() makes.
void apply(json_value& tree, const json_change& change) {
  std::vector<std::string> path;
  std::string_view pointer = change.pointer;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    auto& token = path.emplace_back();
    for (; !pointer.empty() && pointer.front() != '/'; pointer.remove_prefix(1)) {
      token.push_back(pointer.front());
      if (pointer.front() != '~') continue;
      pointer.remove_prefix(1);
      token.back() = pointer.front() == '0' ? '~' : '/';
    }
  }
  expect(pointer_to(path) == change.pointer, "a pointer is read and written");
  if (change.what != json_change::kind::add) {
    const auto* old = find(std::as_const(tree), path);
    expect(old && *old == change.old_value, "the old value is told");
  }
  if (change.what == json_change::kind::remove) {
    expect(config::remove(tree, path) == edit_outcome::done, "what is there is removed");
    return;
  }
  auto* parent = path.empty() ? nullptr : find(tree, json_path{path}.first(path.size() - 1));
  if (change.what == json_change::kind::add && parent && parent->what == kind::array) {
    const auto index = static_cast<std::ptrdiff_t>(parse_u64(path.back()).value());
    expect(index <= std::ssize(parent->elements), "an index is in the array");
    parent->elements.insert(parent->elements.begin() + index, change.new_value);
    return;
  }
  const bool there = find(std::as_const(tree), path) != nullptr;
  expect(there == (change.what == json_change::kind::replace), "only what is there is replaced");
  expect(put(tree, path, change.new_value) == edit_outcome::done, "the new value is put");
}

void check_diff(const json_value& before, const json_value& after) {
  expect(diff(before, before).empty(), "nothing differs from itself");
  const auto changes = diff(before, after);
  expect(changes.empty() == (before == after), "what is equal does not differ");
  json_value tree = before;
  for (const auto& change : changes) apply(tree, change);
  expect(tree == after, "the changes make the other tree");
  const auto told = read_json(write_json(to_json(changes), json_form::pretty));
  // The list and the change around a value may be too much.
  expect(told ? *told == to_json(changes) : told.error().detail.starts_with("More than"), "changes are JSON");
}

void check_edits(const json_value& tree, const json_value& value, const std::vector<std::string>& path) {
  const json_value* const old = find(tree, path);
  const bool root = path.empty();
  json_value changed = tree;
  const auto put_it = put(changed, path, value);
  if (put_it == edit_outcome::done) {
    const auto* now = find(std::as_const(changed), path);
    expect(now && *now == value, "what was put is there");
    check_diff(tree, changed);
    check_written(changed);
  } else {
    expect(put_it != edit_outcome::not_allowed && changed == tree, "a refused PUT changes nothing");
    expect(!old || put_it == edit_outcome::too_deep, "what is there can be replaced");
  }

  changed = tree;
  const auto post_it = post(changed, path, value);
  if (post_it == edit_outcome::done) {
    const auto* now = find(std::as_const(changed), path);
    expect(now && old && now->elements.size() == old->elements.size() + 1 && now->elements.back() == value,
           "what was posted is the last");
    check_written(changed);
  } else {
    expect(changed == tree, "a refused POST changes nothing");
    expect((post_it == edit_outcome::not_found) == !old, "not found is what is not there");
    expect(post_it != edit_outcome::not_allowed || root || old->what != kind::array, "arrays are posted to");
  }

  changed = tree;
  const bool removed = config::remove(changed, path) == edit_outcome::done;
  expect(removed == (root || old), "what is there can be removed");
  if (removed && !root) check_diff(tree, changed);
  if (!removed) expect(changed == tree, "a refused DELETE changes nothing");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto tree = check_read(from.until('\0'));
  const auto patch = check_read(from.until('\0'));
  const auto path = split_path(from.rest());
  if (path)
    for (const auto& token : *path)
      expect(token.size() <= max_path_token && find_broken_utf8(token) == token.npos, "a token is a name");
  if (!tree || !patch) return;
  json_value changed = *tree;
  merge_patch(changed, *patch);
  expect(changed == merged(*tree, *patch), "a merge does as RFC 7396 says");
  check_written(changed);
  check_diff(*tree, *patch);
  check_diff(*tree, changed);
  if (path) check_edits(*tree, *patch, *path);
}
