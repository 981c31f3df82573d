// The rules of "match": which values a member looks at, and how the members add up.
#include "config/match.hpp"

#include "base/percent.hpp"
#include "base/text.hpp"

#include <utility>

namespace httpd::config {
namespace {

// The strict decoding of a name in "arguments": false for a broken escape.
bool decode_name(std::string_view encoded, std::string& out) {
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    char c;
    if (!decode_at(encoded, i, c)) return false;
    out.push_back(encoded[i] == '+' ? ' ' : c);
  }
  return true;
}

// Every occurrence must pass. `found` stays no until there was one.
bool goes_on(const string_patterns& values, std::string_view value, verdict& found) {
  found = values.matches(value);
  return found == verdict::yes;
}

// One of the objects must hold.
verdict test_any(const std::vector<name_patterns>& objects, const request_facts& facts) {
  for (const auto& object : objects)
    if (const auto found = object.matches(facts); found != verdict::no) return found;
  return objects.empty() ? verdict::yes : verdict::no;
}

verdict test_query(const string_patterns& patterns, std::string_view query) {
  std::string buffer;
  return patterns.matches(decode_argument(query, buffer));
}

}  // namespace

string_patterns* name_patterns::add(std::string_view name, std::string& error) {
  if (name.empty()) {
    error = "The \"match\" pattern objects must not contain empty member names.";
    return nullptr;
  }
  std::string own;
  if (kind_ != pattern_kind::argument) {
    own = name;
  } else if (!decode_name(name, own)) {
    error = "The \"match\" pattern for \"arguments\" is encoded but is invalid.";
    return nullptr;
  }
  members_.push_back({std::move(own), string_patterns{kind_}});
  return &members_.back().values;
}

verdict name_patterns::test(const member& wanted, const request_facts& facts) const {
  auto found = verdict::no;
  if (kind_ == pattern_kind::header) {
    for (const auto& header : facts.headers)
      if (iequals(header.name, wanted.name) && !goes_on(wanted.values, header.value, found)) break;
    return found;
  }
  field pair;
  if (kind_ == pattern_kind::cookie) {
    for (cookie_reader cookies{facts.headers}; cookies.next(pair);)
      if (pair.name == wanted.name && !goes_on(wanted.values, pair.value, found)) break;
    return found;
  }
  std::string buffer;
  for (argument_reader arguments{facts.query}; arguments.next(pair);)
    if (decodes_to(pair.name, wanted.name) &&
        !goes_on(wanted.values, decode_argument(pair.value, buffer), found))
      break;
  return found;
}

verdict name_patterns::matches(const request_facts& facts) const {
  for (const auto& wanted : members_)
    if (const auto found = test(wanted, facts); found != verdict::yes) return found;
  return verdict::yes;
}

// The cheap ones first.
verdict match::test(const request_facts& facts, const variable_source& variables) const {
  if (https && *https != facts.https) return verdict::no;
  if (source && !source->matches(facts.source)) return verdict::no;
  if (destination && !destination->matches(facts.destination)) return verdict::no;
  auto found = verdict::yes;
  const auto goes_wrong = [&found](verdict next) {
    found = next;
    return found != verdict::yes;
  };
  if (method && goes_wrong(method->matches(facts.method))) return found;
  if (host && goes_wrong(host->matches(facts.host))) return found;
  if (uri && goes_wrong(uri->matches(facts.path))) return found;
  if (headers && goes_wrong(test_any(*headers, facts))) return found;
  if (cookies && goes_wrong(test_any(*cookies, facts))) return found;
  if (arguments && goes_wrong(test_any(*arguments, facts))) return found;
  if (query && goes_wrong(test_query(*query, facts.query))) return found;
  return when && !when->holds(variables) ? verdict::no : verdict::yes;
}

std::optional<bool> parse_scheme(std::string_view text, std::string& error) {
  if (iequals(text, "https")) return true;
  if (iequals(text, "http")) return false;
  error = "The \"scheme\" can either be \"http\" or \"https\".";
  return std::nullopt;
}

}  // namespace httpd::config
