// "routes": steps and what a request must be like for one.
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

#include <utility>

namespace httpd::config {
namespace {

template <auto Member>
bool addresses(site_reader& at, const json_value& value, match& out) {
  return read_addresses(at, value, (out.*Member).emplace());
}

bool read_scheme(site_reader& at, const json_value& value, match& out) {
  std::string error;
  out.https = parse_scheme(value.text, error);
  return out.https || at.fail(std::move(error));
}

bool read_names(site_reader& at, const json_value& value, std::string_view of, name_patterns& out) {
  return read_each(at, value, [&](const json_member& member) {
    std::string error;
    auto* patterns = out.add(member.name, error);
    return patterns ? read_patterns(at, member.value, of, *patterns) : at.fail_at_name(std::move(error));
  });
}

// An object, or an array of them.
template <auto Member, pattern_kind Kind>
bool name_sets(site_reader& at, const json_value& value, match& out) {
  const auto of = at.name();
  auto& sets = (out.*Member).emplace();
  return read_one_or_many(at, value, [&](const json_value& one) {
    if (!is_one_of(one, an_object)) {
      const bool arguments = Kind == pattern_kind::argument;
      return at.fail(concat("The \"match\" pattern", arguments ? "" : "s", " for \"", of,
                            arguments ? "\" must be an object." : "\" must be objects."));
    }
    return read_names(at, one, of, sets.emplace_back(Kind));
  });
}

constexpr kinds one_or_more_texts = a_string | an_array;
constexpr kinds one_or_more_sets = an_object | an_array;

constexpr key<match> match_keys[] = {
    {"method", one_or_more_texts, patterns<&match::method, pattern_kind::method>},
    {"scheme", a_string, read_scheme},
    {"host", one_or_more_texts, patterns<&match::host, pattern_kind::host>},
    {"source", one_or_more_texts, addresses<&match::source>},
    {"destination", one_or_more_texts, addresses<&match::destination>},
    {"uri", one_or_more_texts, patterns<&match::uri, pattern_kind::uri>},
    {"query", one_or_more_texts, patterns<&match::query, pattern_kind::query>},
    {"arguments", one_or_more_sets, name_sets<&match::arguments, pattern_kind::argument>},
    {"headers", one_or_more_sets, name_sets<&match::headers, pattern_kind::header>},
    {"cookies", one_or_more_sets, name_sets<&match::cookies, pattern_kind::cookie>},
    {"if", a_string, conditional<&match::when>},
};

bool read_step_action(site_reader& at, const json_value& value, route_step& out) {
  return read_action(at, value, out.action);
}

constexpr key<route_step> step_keys[] = {
    {"match", an_object, nested<&route_step::match, match_keys>},
    {"action", an_object, read_step_action, true},
};

bool read_steps(site_reader& at, const json_value& array, route& out) {
  return read_one_or_many(at, array, [&](const json_value& step) {
    if (!is_one_of(step, an_object)) return at.fail("The \"routes\" array must contain only object values.");
    return read_object(at, step, part{step_keys, out.steps.emplace_back()});
  });
}

}  // namespace

bool read_routes(site_reader& at, const json_value& value, site& out) {
  if (out.one_route) return read_steps(at, value, out.routes.front());
  auto next = out.routes.begin();
  return read_each(at, value, [&](const json_member& member) {
    return at.expect(member.value, an_array) && read_steps(at, member.value, *next++);
  });
}

}  // namespace httpd::config
