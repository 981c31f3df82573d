// Unit's string patterns: what "match" members, "types" of an action and "compression.types" are written in.
// Compiled once, then const and shared by every thread. Nothing here allocates when a value is tested, except
// what PCRE2 needs the first time a thread meets a regular expression.
//
//   "/a/*.php"   the whole value, "*" = any run of bytes, the empty one too
//   "!..."       not: see string_patterns
//   "~^/a(b|c)"  a PCRE2 regular expression over bytes, found anywhere unless it anchors itself; "!~..." not
//   "%2A"        uri, query, arguments: a byte that would mean something; not in a regular expression.
//                "+" is a space in query and arguments, as it is in what they are compared with
#pragma once

#include "config/regex.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

// What a pattern is for decides about case and encoding. Any case: host, method, header, type. A regular
// expression minds the case as written; only for host and method, whose values come in one case, it does not.
enum class pattern_kind { host, method, uri, query, argument, header, cookie, type };

class string_pattern {
public:
  // nullopt: `error` is Unit's message for it.
  //   The "match" pattern must not contain double "*" markers.
  //   The "match" pattern for "uri" is encoded but is invalid.      (also "query", "arguments")
  //   Invalid regular expression: MESSAGE[ at offset N]             N counts from after the "~"
  static std::optional<string_pattern> parse(std::string_view text, pattern_kind, std::string& error);

  bool is_negated() const noexcept { return negated_; }
  // Whether the part after "!" and "~" matches; is_negated() is left to the caller.
  // `value` of kind host is lower-case already.
  verdict matches(std::string_view value) const noexcept;

private:
  bool read_pieces(std::string_view text, pattern_kind, std::string& error);
  bool matches_wildcard(std::string_view value) const noexcept;

  bool negated_ = false;
  bool ignore_case_ = false;
  std::optional<regex> regex_;  // set: the rest is unused
  // "a*b*c" = "a", {"b"}, "c"; without any "*" prefix_ is the whole.
  bool exact_ = false;
  std::string prefix_, suffix_;
  std::vector<std::string> middles_;  // none of them empty
};

// A pattern or an array of them. A value passes when (there are no positive patterns or one of them matches)
// and no negated one matches; so it passes an empty array.
class string_patterns {
public:
  explicit string_patterns(pattern_kind kind) noexcept : kind_{kind} {}

  // Once per element of the array. False: nothing was added, `error` as above.
  bool add(std::string_view text, std::string& error);
  verdict matches(std::string_view value) const noexcept;
  pattern_kind kind() const noexcept { return kind_; }

private:
  pattern_kind kind_;
  std::vector<string_pattern> negated_, positive_;
};

}  // namespace httpd::config
