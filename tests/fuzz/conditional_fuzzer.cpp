// If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since and If-Range against RFC 9110 13 written
// down once more.
#include "fuzz/fields.hpp"

#include "http/conditional.hpp"
#include "http/date.hpp"

#include <optional>
#include <vector>

using namespace httpd;
using namespace httpd::fuzz;
using http::precondition;

namespace {

constexpr std::string_view names[] = {"If-Match", "if-none-match", "If-Modified-Since", "IF-UNMODIFIED-SINCE",
                                      "If-Range", "Accept"};
constexpr http::validators current{"\"a-1\"", 784111777};

std::vector<std::string_view> values_of(const http::request_head& head, std::string_view name) {
  std::vector<std::string_view> all;
  for (const auto& f : head.fields)
    if (iequals(f.name, name)) all.push_back(f.value);
  return all;
}

enum class list { broken, without, with };

// A state machine byte by byte, where the parser looks for whole tags.
list read_tags(std::string_view text, bool weak_counts) {
  enum { before, weak, inside, after } state = before;
  bool is_weak = false, found = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const bool blank = c == ' ' || c == '\t';
    switch (state) {
      case before:
        if (c == '"') state = inside, is_weak = false, start = i;
        else if (c == 'W') state = weak;
        else if (c != ',' && !blank) return list::broken;
        break;
      case weak:
        if (c != '/' || text.substr(i + 1, 1) != "\"") return list::broken;
        start = ++i;
        is_weak = true;
        state = inside;
        break;
      case inside:
        if (c == '"') {
          found = found || (text.substr(start, i + 1 - start) == current.etag && (weak_counts || !is_weak));
          state = after;
        } else if (byte <= 0x20 || byte == 0x7f) {
          return list::broken;
        }
        break;
      case after:
        if (c == ',') state = before;
        else if (!blank) return list::broken;
    }
  }
  if (state == weak || state == inside) return list::broken;
  return found ? list::with : list::without;
}

std::optional<bool> tag_matches(const http::request_head& head, std::string_view name, bool weak_counts) {
  const auto values = values_of(head, name);
  if (values.empty()) return std::nullopt;
  if (values.size() == 1 && values[0] == "*") return true;
  bool found = false;
  for (const auto value : values) {
    const auto read = read_tags(value, weak_counts);
    if (value == "*" || read == list::broken) return false;
    found = found || read == list::with;
  }
  return found;
}

std::optional<std::time_t> only_date(const http::request_head& head, std::string_view name) {
  const auto values = values_of(head, name);
  return values.size() == 1 ? http::parse_date(values[0]) : std::nullopt;
}

precondition reference(const http::request_head& head, bool reads) {
  const auto match = tag_matches(head, "If-Match", false), none = tag_matches(head, "If-None-Match", true);
  const auto unmodified = only_date(head, "If-Unmodified-Since");
  const auto modified = only_date(head, "If-Modified-Since");
  if (match ? !*match : unmodified && *unmodified < current.last_modified) return precondition::failed;
  if (none ? *none : reads && modified && *modified >= current.last_modified)
    return reads ? precondition::not_modified : precondition::failed;
  return precondition::proceed;
}

bool reference_if_range(const http::request_head& head) {
  const auto values = values_of(head, "If-Range");
  if (values.empty()) return true;
  if (values.size() > 1) return false;
  return values[0] == current.etag || http::parse_date(values[0]) == current.last_modified;
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto& head = take_fields(from, names);
  for (const bool reads : {true, false})
    expect(http::evaluate(head, reads, current) == reference(head, reads), "the reference says so");
  expect(http::if_range_allows(head, current) == reference_if_range(head), "If-Range is the reference's");
}
