// Preconditions: the ladder of RFC 9110 13.2.2 for a resource that exists. No I/O.
#include "http/conditional.hpp"

#include "base/text.hpp"
#include "http/date.hpp"
#include "http/request_head.hpp"

#include <algorithm>
#include <optional>

namespace httpd::http {
namespace {

enum class comparison { strong, weak };  // RFC 9110 8.8.3.2
enum class tags { absent, differ, match };

constexpr bool is_etag_byte(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x21 && byte != '"' && byte != 0x7f;
}

struct entity_tag {
  std::string_view opaque;  // with its quotes
  bool weak;
};

// Takes an entity-tag from the front of `text`. Commas inside the quotes are its own.
std::optional<entity_tag> take_tag(std::string_view& text) noexcept {
  const bool weak = text.starts_with("W/");
  if (weak) text.remove_prefix(2);
  if (!text.starts_with('"')) return std::nullopt;
  const auto end = text.find('"', 1);
  if (end == text.npos) return std::nullopt;
  const auto opaque = text.substr(0, end + 1);
  const auto inside = opaque.substr(1, end - 1);
  if (!std::all_of(inside.begin(), inside.end(), is_etag_byte)) return std::nullopt;
  text.remove_prefix(end + 1);
  return entity_tag{opaque, weak};
}

// nullopt for a list that does not parse; else whether one of its members is `etag`.
std::optional<bool> list_holds(std::string_view list, std::string_view etag, comparison how) noexcept {
  bool found = false;
  for (;;) {
    list = trim(list);
    if (list.starts_with(',')) {
      list.remove_prefix(1);
      continue;
    }
    if (list.empty()) return found;
    const auto tag = take_tag(list);
    if (!tag) return std::nullopt;
    list = trim(list);
    if (!list.empty() && list.front() != ',') return std::nullopt;
    found = found || (tag->opaque == etag && (how == comparison::weak || !tag->weak));
  }
}

// All fields of that name as one list; "*" counts only when it is alone.
tags compare_tags(const request_head& head, std::string_view name, std::string_view etag,
                  comparison how) noexcept {
  unsigned fields = 0;
  bool star = false, broken = false, found = false;
  for (const auto& field : head.fields) {
    if (!iequals(field.name, name)) continue;
    ++fields;
    if (trim(field.value) == "*") {
      star = true;
    } else if (const auto holds = list_holds(field.value, etag, how)) {
      found = found || *holds;
    } else {
      broken = true;
    }
  }
  if (fields == 0) return tags::absent;
  if (star) return fields == 1 ? tags::match : tags::differ;
  return found && !broken ? tags::match : tags::differ;
}

// A field that has no list syntax: what it says counts only when `count` is 1.
struct single_field {
  unsigned count = 0;
  std::string_view value;
};

single_field find_single(const request_head& head, std::string_view name) noexcept {
  single_field result;
  for (const auto& field : head.fields)
    if (iequals(field.name, name) && ++result.count == 1) result.value = trim(field.value);
  return result;
}

// Several dates are no date (RFC 9110 13.1.3, 13.1.4).
std::optional<std::time_t> single_date(const request_head& head, std::string_view name) noexcept {
  const auto found = find_single(head, name);
  return found.count == 1 ? parse_date(found.value) : std::nullopt;
}

}  // namespace

precondition evaluate(const request_head& head, bool get_or_head, const validators& current) {
  const auto if_match = compare_tags(head, "If-Match", current.etag, comparison::strong);
  if (if_match == tags::differ) return precondition::failed;
  if (if_match == tags::absent) {
    const auto since = single_date(head, "If-Unmodified-Since");
    if (since && current.last_modified > *since) return precondition::failed;
  }
  const auto if_none_match = compare_tags(head, "If-None-Match", current.etag, comparison::weak);
  if (if_none_match == tags::match)
    return get_or_head ? precondition::not_modified : precondition::failed;
  if (if_none_match == tags::absent && get_or_head) {
    const auto since = single_date(head, "If-Modified-Since");
    if (since && current.last_modified <= *since) return precondition::not_modified;
  }
  return precondition::proceed;
}

bool if_range_allows(const request_head& head, const validators& current) {
  const auto found = find_single(head, "If-Range");
  if (found.count != 1) return found.count == 0;
  if (found.value.starts_with('"')) return found.value == current.etag;
  return parse_date(found.value) == current.last_modified;
}

}  // namespace httpd::http
