// Destinations: taking a "pass" apart and finding what it names.
#include "base/nearest.hpp"
#include "base/percent.hpp"
#include "base/text.hpp"
#include "config/site_sections.hpp"

#include <algorithm>
#include <utility>

namespace httpd::config {
namespace {

using segments = std::vector<std::string>;

// One to three segments, decoded, none of them empty; nullopt for anything else.
std::optional<segments> split(std::string_view pass) {
  segments found(1);
  for (std::size_t i = 0; i < pass.size(); ++i) {
    if (pass[i] == '/') {
      if (found.size() == 3 || found.back().empty()) return std::nullopt;
      found.emplace_back();
      continue;
    }
    char c = 0;
    if (!decode_at(pass, i, c)) return std::nullopt;
    found.back().push_back(c);
  }
  if (found.back().empty()) return std::nullopt;
  return found;
}

template <class Named>
std::optional<std::size_t> index_of(const std::vector<Named>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &Named::name);
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

std::optional<destination> find_application(const site& in, const segments& path) {
  destination found{destination::kind::application};
  const auto index = index_of(in.applications, path[1]);
  if (!index) return std::nullopt;
  found.index = *index;
  if (path.size() < 3) return found;
  const auto target = index_of(in.applications[*index].targets, path[2]);
  if (!target) return std::nullopt;
  found.target = *target;
  return found;
}

std::optional<destination> find(const site& in, const segments& path) {
  const auto& first = path.front();
  if (first == "routes" && path.size() == 1 && in.one_route) return destination{};
  if (first == "applications" && path.size() > 1) return find_application(in, path);
  if (path.size() != 2) return std::nullopt;
  if (first == "routes" && !in.one_route)
    if (const auto index = index_of(in.routes, path[1])) return destination{destination::kind::route, *index};
  if (first == "upstreams")
    if (const auto index = index_of(in.upstreams, path[1]))
      return destination{destination::kind::upstream, *index};
  return std::nullopt;
}

std::string encoded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '/') text.append("%2F");
    else if (c == '%') text.append("%25");
    else text.push_back(c);
  }
  return text;
}

std::vector<std::string> all_destinations(const site& in) {
  std::vector<std::string> all;
  if (in.one_route) all.emplace_back("routes");
  else
    for (const auto& one : in.routes) all.push_back(concat("routes/", encoded(one.name)));
  for (const auto& one : in.applications) {
    const auto application = concat("applications/", encoded(one.name));
    all.push_back(application);
    for (const auto& target : one.targets)
      if (!target.name.empty()) all.push_back(concat(application, '/', encoded(target.name)));
  }
  for (const auto& one : in.upstreams) all.push_back(concat("upstreams/", encoded(one.name)));
  return all;
}

std::string nearest_destination(const site& in, std::string_view pass) {
  const auto all = all_destinations(in);
  const std::vector<std::string_view> views{all.begin(), all.end()};
  return std::string{nearest_name(pass, views)};
}

template <class Named>
void list_members(const json_value* section, std::vector<Named>& out) {
  if (!section) return;
  for (const auto& member : section->members) out.emplace_back().name = member.name;
}

}  // namespace

std::optional<destination> find_destination(const site& in, std::string_view pass) {
  const auto path = split(pass);
  return path ? find(in, *path) : std::nullopt;
}

void list_names(const json_value& root, site& out) {
  const auto* routes = root.find("routes");
  out.one_route = routes && is_one_of(*routes, an_array);
  if (out.one_route) out.routes.emplace_back();
  else list_members(routes, out.routes);
  list_members(root.find("upstreams"), out.upstreams);
  const auto* applications = root.find("applications");
  list_members(applications, out.applications);
  for (std::size_t i = 0; i < out.applications.size(); ++i)
    list_members(applications->members[i].value.find("targets"), out.applications[i].targets);
}

bool read_pass(site_reader& at, const json_value& value, pass_action& out) {
  std::string error;
  auto parsed = text_template::parse(value.text, at.name(), error);
  if (!parsed) return at.fail(std::move(error));
  out.text = std::move(*parsed);
  if (!out.text.is_constant()) return true;
  const auto path = split(out.text.constant_text());
  if (!path) return at.fail(concat("Request \"pass\" value \"", value.text, "\" is invalid."));
  out.to = find(at.result(), *path);
  return out.to || at.fail(concat("Request \"pass\" points to invalid location \"", value.text, "\"."),
                           nearest_destination(at.result(), value.text));
}

}  // namespace httpd::config
