// A configuration: any JSON is taken or refused; what is refused points at something that is there.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "config/json_edit.hpp"
#include "config/json_reader.hpp"
#include "config/site.hpp"

#include <algorithm>
#include <vector>

using namespace httpd;
using namespace httpd::config;
using namespace httpd::fuzz;

namespace {

// RFC 6901 section 4.
std::vector<std::string> take_apart(std::string_view pointer) {
  std::vector<std::string> path;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      path.emplace_back();
    } else if (pointer[i] == '~') {
      ++i;
      expect(i < pointer.size() && (pointer[i] == '0' || pointer[i] == '1'), "a pointer escapes ~");
      path.back().push_back(pointer[i] == '0' ? '~' : '/');
    } else {
      expect(!path.empty(), "a pointer begins with a slash");
      path.back().push_back(pointer[i]);
    }
  }
  return path;
}

void check_error(const site_error& error, const json_value& tree, std::string_view text) {
  expect(!error.detail.empty(), "a refusal has a reason");
  const auto path = take_apart(error.pointer);
  const auto* value = config::find(tree, path);
  expect(value, "a pointer points at something");
  bool at_it = error.offset == value->offset;
  if (!path.empty()) {
    const auto* parent = config::find(tree, json_path{path}.first(path.size() - 1));
    for (const auto& member : parent->members)
      if (member.name == path.back()) at_it = at_it || error.offset == member.offset;
  }
  expect(at_it, "an offset is that of the value or of its name");
  const auto line = describe(error, "f", text);
  expect(line.starts_with("f:") && is_text(line), "a fault is one line");
}

void check_pass(const pass_action& pass, const site& site) {
  if (!pass.to) {
    expect(!pass.text.is_constant(), "what is constant is found at once");
    return;
  }
  const auto& to = *pass.to;
  if (to.what == destination::kind::route) expect(to.index < site.routes.size(), "a route");
  if (to.what == destination::kind::upstream) expect(to.index < site.upstreams.size(), "an upstream");
  if (to.what != destination::kind::application) return;
  expect(to.index < site.applications.size(), "an application");
  const auto targets = site.applications[to.index].targets.size();
  expect(to.target < std::max<std::size_t>(targets, 1), "a target");
}

void check_action(const action& action, const site& site) {
  if (const auto* pass = std::get_if<pass_action>(&action.what)) check_pass(*pass, site);
  if (const auto* share = std::get_if<share_action>(&action.what)) {
    expect(!share->paths.empty(), "a share has a path");
    if (share->fallback) check_action(*share->fallback, site);
  }
  if (const auto* answer = std::get_if<return_action>(&action.what))
    expect(answer->status <= 999, "a status");
}

void check_site(const site& site) {
  for (const auto& listener : site.listeners) check_pass(listener.pass, site);
  for (const auto& route : site.routes)
    for (const auto& step : route.steps) check_action(step.action, site);
  for (const auto& application : site.applications) {
    for (const auto& target : application.targets) expect(!target.root.empty(), "a target has a root");
    const bool scripts = !std::holds_alternative<external_application>(application.runs);
    expect(scripts == !application.targets.empty(), "only what runs scripts has targets, and has some");
    expect(application == application, "an application equals itself");
  }
}

}  // namespace

FUZZ(input) {
  const auto tree = read_json(input);
  if (tree.has_error()) return;
  const auto site = read_site(*tree);
  if (site.has_error()) check_error(site.error(), *tree, input);
  else check_site(*site);
}
