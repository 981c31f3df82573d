// A JSON text as a tree that keeps the order of its members and where each value began: what the configuration
// is read from, checked with, changed in and printed from. Owns everything; copies are deep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

struct json_member;

struct json_value {
  enum class kind { null, boolean, integer, fraction, string, array, object };

  kind what = kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double fraction = 0;
  std::string text;                   // string: UTF-8, escapes undone; fraction: as it was written
  std::vector<json_value> elements;   // array
  std::vector<json_member> members;   // object, names unique
  std::size_t offset = 0;             // of its first byte in the text it was read from

  // nullptr: no such member, or not an object.
  const json_value* find(std::string_view name) const noexcept;
  json_value* find(std::string_view name) noexcept;

  // As JSON: "1" and 1.0 differ, the order of members does not matter, offsets do not count.
  friend bool operator==(const json_value&, const json_value&) noexcept;
};

struct json_member {
  std::string name;
  std::size_t offset = 0;  // of the name's opening quote
  json_value value;
};

}  // namespace httpd::config
