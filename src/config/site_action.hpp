// Where a request may go and what a step of a route does. Part of the model in site.hpp: const once built.
#pragma once

#include "base/address.hpp"
#include "config/match.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace httpd::config {

struct site;

// Indexes into site::routes, site::applications or site::upstreams.
struct destination {
  enum class kind { route, application, upstream };

  kind what = kind::route;
  std::size_t index = 0;
  std::size_t target = 0;  // of an application: into application::targets

  bool operator==(const destination&) const = default;
};

// "routes", "routes/NAME", "applications/NAME[/TARGET]" or "upstreams/NAME", each segment percent-encoded.
// For a text that is rendered per request; nullopt: nothing is there, or it is no destination at all.
std::optional<destination> find_destination(const site&, std::string_view pass);

struct pass_action {
  std::optional<destination> to;  // unset: `text` renders to the argument of find_destination()
  text_template text;
};

struct return_action {
  unsigned status = 200;                  // 0-999
  std::optional<text_template> location;  // not encoded yet; unused for 400-599
};

struct action;

struct share_action {
  std::vector<text_template> paths;  // whole paths, tried in order; not empty
  std::string index = "index.html";  // for a path that ends in "/"
  std::optional<string_patterns> types;
  std::optional<text_template> chroot;
  bool follow_symlinks = true;
  bool traverse_mounts = true;
  std::unique_ptr<const action> fallback;  // may be null
};

struct proxy_action {
  endpoint server;  // its host may be a name
};

// An unset value deletes the field. No name is one that frames a message or that the server itself sets.
using response_header = std::pair<std::string, std::optional<text_template>>;

struct action {
  std::variant<pass_action, return_action, share_action, proxy_action> what;
  std::optional<text_template> rewrite;  // the new path
  std::vector<response_header> response_headers;
};

struct route_step {
  config::match match;  // nothing set: holds always
  config::action action;
};

struct route {
  std::string name;  // "" for the only one of an array
  std::vector<route_step> steps;
};

}  // namespace httpd::config
