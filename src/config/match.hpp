// The "match" object of a route step: every member that is given must hold. Built once, then const and shared
// by every thread. Testing allocates nothing for host, method, uri, scheme, source, destination, headers and
// cookies; query and arguments only for a long text that has something to decode, "if" for a long text.
#pragma once

#include "config/address_pattern.hpp"
#include "config/request_facts.hpp"
#include "config/string_pattern.hpp"
#include "config/text_template.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

// One object of "arguments", "headers" or "cookies": all its members must hold. A member holds when its name
// occurs and every occurrence passes the patterns; so one that does not occur never holds, not even by "!".
class name_patterns {
public:
  // kind: argument, header or cookie.
  explicit name_patterns(pattern_kind kind) noexcept : kind_{kind} {}

  // Once per member, then add() of what is returned once per pattern; the pointer is good until the next
  // member. nullptr: nothing was added, `error` is
  //   The "match" pattern objects must not contain empty member names.
  //   The "match" pattern for "arguments" is encoded but is invalid.
  string_patterns* add(std::string_view name, std::string& error);
  verdict matches(const request_facts&) const;

private:
  struct member {
    std::string name;  // decoded
    string_patterns values;
  };
  verdict test(const member&, const request_facts&) const;

  pattern_kind kind_;
  std::vector<member> members_;
};

struct match {
  std::optional<bool> https;  // "scheme"
  std::optional<string_patterns> method, host, uri, query;
  std::optional<address_patterns> source, destination;
  // An object, or an array of which one must hold (an empty array holds).
  std::optional<std::vector<name_patterns>> headers, cookies, arguments;
  std::optional<condition> when;  // "if"

  // yes: the step fires. undecided: see string_pattern.hpp.
  verdict test(const request_facts&, const variable_source&) const;
  bool wants_destination() const noexcept { return destination.has_value(); }
};

// "http" or "https", any case: whether it is https. nullopt: `error` is
//   The "scheme" can either be "http" or "https".
std::optional<bool> parse_scheme(std::string_view text, std::string& error);

}  // namespace httpd::config
