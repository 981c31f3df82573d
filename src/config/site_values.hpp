// Readers of single values for the tables of site_table.hpp: key{"NAME", TYPE, number<&settings::NAME, 0>}.
// The type of the value is known to be right. For src/config/site_*.cpp only.
#pragma once

#include "base/address.hpp"
#include "config/match.hpp"
#include "config/site_table.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace httpd::config {

inline constexpr std::int64_t most = INT32_MAX;
inline constexpr std::int64_t most_seconds = INT32_MAX / 1000;

template <class>
struct member_pointer;
template <class Owner, class Type>
struct member_pointer<Type Owner::*> {
  using owner = Owner;
  using type = Type;
};
template <auto Member>
using owner_of = typename member_pointer<decltype(Member)>::owner;
template <auto Member>
using type_of = typename member_pointer<decltype(Member)>::type;

// nullopt, and a fault, outside [least, greatest]. A fraction is cut, as Unit does.
std::optional<std::int64_t> read_number(site_reader&, const json_value&, std::int64_t least,
                                        std::int64_t greatest);
// False, and a fault: "must not be empty", "must not contain null character".
bool check_text(site_reader&, const json_value&);
bool check_no_null(site_reader&, const json_value&);
// nullopt, and a fault.
std::optional<text_template> read_template(site_reader&, const json_value&);
std::optional<condition> read_condition(site_reader&, const json_value&);
// False, and a fault; `of` is the word of the message.
bool read_patterns(site_reader&, const json_value&, std::string_view of, string_patterns& out);
bool read_addresses(site_reader&, const json_value&, address_patterns& out);

// An address as Unit reads it: with a port, or "unix:PATH". A name of a host only where `names` allows one.
std::optional<endpoint> read_address(std::string_view text, bool names);

template <auto Member>
bool flag(site_reader&, const json_value& value, owner_of<Member>& out) {
  out.*Member = value.boolean;
  return true;
}

template <auto Member, std::int64_t Least = 0, std::int64_t Greatest = most>
bool number(site_reader& at, const json_value& value, owner_of<Member>& out) {
  const auto read = read_number(at, value, Least, Greatest);
  if (read) out.*Member = type_of<Member>(*read);
  return read.has_value();
}

template <auto Member, std::int64_t Least = 0>
bool seconds(site_reader& at, const json_value& value, owner_of<Member>& out) {
  const auto read = read_number(at, value, Least, most_seconds);
  if (read) out.*Member = std::chrono::seconds{*read};
  return read.has_value();
}

// A text that a system call takes: without NUL, not empty.
template <auto Member>
bool filled_text(site_reader& at, const json_value& value, owner_of<Member>& out) {
  out.*Member = value.text;
  return check_text(at, value);
}

// The same where an empty one means that there is none.
template <auto Member>
bool any_text(site_reader& at, const json_value& value, owner_of<Member>& out) {
  out.*Member = value.text;
  return check_no_null(at, value);
}

template <auto Member>
bool templated(site_reader& at, const json_value& value, owner_of<Member>& out) {
  auto read = read_template(at, value);
  if (read) out.*Member = std::move(*read);
  return read.has_value();
}

template <auto Member>
bool conditional(site_reader& at, const json_value& value, owner_of<Member>& out) {
  out.*Member = read_condition(at, value);
  return (out.*Member).has_value();
}

template <auto Member, pattern_kind Kind>
bool patterns(site_reader& at, const json_value& value, owner_of<Member>& out) {
  return read_patterns(at, value, at.name(), (out.*Member).emplace(Kind));
}

template <auto Member, auto& Keys>
bool nested(site_reader& at, const json_value& value, owner_of<Member>& out) {
  return read_object(at, value, part{Keys, out.*Member});
}

// What Unit has and this server has not: refused, never passed over.
template <const auto& Sentence, class T>
bool refused(site_reader& at, const json_value&, T&) {
  return at.fail_at_name(Sentence);
}

}  // namespace httpd::config
