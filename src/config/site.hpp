// The configuration in NGINX Unit's language as the server uses it: every default filled in, every constant
// reference resolved. Built by read_site(), then const: a server process lives with one.
#pragma once

#include "config/site_action.hpp"
#include "config/site_application.hpp"
#include "config/site_settings.hpp"
#include "config/site_error.hpp"

#include <boost/system/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace httpd::config {

struct json_value;

// Believed from a peer that matches `source`, and from nobody else.
struct forwarded_settings {
  address_patterns source;
  std::string client_ip;   // name of the field with the address; "" = the peer's own counts
  std::string protocol;    // name of the field with "http", "https" or "on"; "" = the connection's own counts
  bool recursive = false;  // the right-most address that does not match `source`, instead of the last one
};

struct listener {
  endpoint address;  // never a name; "*" = every IPv4 address
  pass_action pass;
  std::optional<forwarded_settings> forwarded;
  int backlog = -1;  // of listen(2); -1 = as long as the system allows
};

struct upstream_server {
  endpoint address;   // its host may be a name
  double weight = 1;  // 0 - 1 000 000; 0 = no requests
};

struct upstream {
  std::string name;
  std::vector<upstream_server> servers;  // may be empty
};

struct site {
  server_settings settings;
  std::vector<listener> listeners;
  bool one_route = false;  // "routes" is an array: routes[0] has no name and is "routes" itself
  std::vector<route> routes;
  std::vector<application> applications;
  std::vector<upstream> upstreams;
  std::optional<access_log_settings> access_log;
};

// The first fault in the order of the text, or the site. Whether files, users, ports and hosts exist is not
// looked at.
boost::system::result<site, site_error> read_site(const json_value& configuration);

}  // namespace httpd::config
