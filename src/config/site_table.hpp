// How the objects of a configuration are read: one table per object says which members it has, of which
// types, and what each fills. Checking and filling is one pass, so nothing is checked otherwise than used.
// For src/config/site_*.cpp only.
#pragma once

#include "config/site_reader.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

// A member an object may have. Without `read` nothing is done but to look at its type.
template <class T>
struct key {
  std::string_view name;
  kinds allowed;
  bool (*read)(site_reader&, const json_value&, T&);
  bool required = false;
};

// A table of keys and what they fill.
template <class T>
struct part {
  std::span<const key<T>> keys;
  T& out;
};
template <class T, std::size_t N>
part(const key<T> (&)[N], T&) -> part<T>;

template <class T>
bool has_required(site_reader& at, const json_value& object, const part<T>& keys) {
  for (const auto& one : keys.keys)
    if (one.required && !object.find(one.name))
      return at.fail("Required parameter \"" + std::string{one.name} + "\" is missing.");
  return true;
}

// Whether the member is one of the part's; `good` = whether it could be read.
template <class T>
bool read_member(site_reader& at, const json_member& member, const part<T>& keys, bool& good) {
  for (const auto& one : keys.keys) {
    if (one.name != member.name) continue;
    const site_reader::inside here{at, member};
    good = at.expect(member.value, one.allowed) && (!one.read || one.read(at, member.value, keys.out));
    return true;
  }
  return false;
}

// Reads the members of the object the pass is in; its type is known to be right.
template <class... T>
bool read_object(site_reader& at, const json_value& object, const part<T>&... parts) {
  if (!(has_required(at, object, parts) && ...)) return false;
  for (const auto& member : object.members) {
    bool good = true;
    if ((read_member(at, member, parts, good) || ...)) {
      if (!good) return false;
      continue;
    }
    std::vector<std::string_view> known;
    const auto add = [&known](const auto& keys) {
      for (const auto& one : keys.keys) known.push_back(one.name);
    };
    (add(parts), ...);
    const site_reader::inside here{at, member};
    return at.fail_unknown(known);
  }
  return true;
}

// Calls read(element) for each element of an array, inside of it, or once for a value that is none.
template <class Read>
bool read_one_or_many(site_reader& at, const json_value& value, Read read) {
  if (!is_one_of(value, an_array)) return read(value);
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    const site_reader::inside here{at, value, i};
    if (!read(value.elements[i])) return false;
  }
  return true;
}

// Calls read(member) for each member of an object, inside of it.
template <class Read>
bool read_each(site_reader& at, const json_value& object, Read read) {
  for (const auto& member : object.members) {
    const site_reader::inside here{at, member};
    if (!read(member)) return false;
  }
  return true;
}

}  // namespace httpd::config
