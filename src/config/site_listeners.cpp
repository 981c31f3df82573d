// "listeners": where to listen, whom to believe, and where requests go.
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

#include <algorithm>
#include <utility>

namespace httpd::config {
namespace {

inline constexpr char no_tls[] = "The \"tls\" option is not supported yet: this server speaks plain HTTP, so "
                                 "let a proxy in front of it speak TLS.";

bool read_source(site_reader& at, const json_value& value, forwarded_settings& out) {
  return read_addresses(at, value, out.source);
}

constexpr key<forwarded_settings> forwarded_keys[] = {
    {"client_ip", a_string, filled_text<&forwarded_settings::client_ip>},
    {"protocol", a_string, filled_text<&forwarded_settings::protocol>},
    {"source", a_string | an_array, read_source, true},
    {"recursive", a_boolean, flag<&forwarded_settings::recursive>},
};

constexpr key<forwarded_settings> client_ip_keys[] = {
    {"source", a_string | an_array, read_source, true},
    {"header", a_string, filled_text<&forwarded_settings::client_ip>, true},
    {"recursive", a_boolean, flag<&forwarded_settings::recursive>},
};

bool read_forwarded(site_reader& at, const json_value& value, listener& out) {
  if (!value.find("client_ip") && !value.find("protocol"))
    return at.fail("The \"forwarded\" object must have either \"client_ip\" or \"protocol\" option set.");
  return read_object(at, value, part{forwarded_keys, out.forwarded.emplace()});
}

// What "forwarded" was before it knew "protocol".
bool read_client_ip(site_reader& at, const json_value& value, listener& out) {
  return read_object(at, value, part{client_ip_keys, out.forwarded.emplace()});
}

bool read_listener_pass(site_reader& at, const json_value& value, listener& out) {
  return read_pass(at, value, out.pass);
}

// The name of an application as it is, from before there were routes.
bool read_application(site_reader& at, const json_value& value, listener& out) {
  std::vector<std::string_view> names;
  for (const auto& one : at.result().applications) names.push_back(one.name);
  const auto found = std::ranges::find(names, value.text);
  if (found == names.end())
    return at.fail(
        concat("Listening socket is assigned for a non existing application \"", value.text, "\"."),
        nearest_name(value.text, names));
  out.pass.to = {destination::kind::application, static_cast<std::size_t>(found - names.begin())};
  return true;
}

constexpr key<listener> listener_keys[] = {
    {"pass", a_string, read_listener_pass},
    {"application", a_string, read_application},
    {"forwarded", an_object, read_forwarded},
    {"client_ip", an_object, read_client_ip},
    {"backlog", a_number, number<&listener::backlog, -1>},
    {"tls", anything, refused<no_tls, listener>},
};

// Two members of which Unit would pass over one.
bool refuse_both(site_reader& at, const json_value& object, std::string_view one, std::string_view other) {
  return !object.find(one) || !object.find(other) ||
         at.fail_at_member(other, concat("The \"", other, "\" option is mutually exclusive with the \"", one,
                                         "\" option."));
}

bool read_listener(site_reader& at, const json_member& member, listener& out) {
  auto address = read_address(member.name, false);
  if (!address) return at.fail_at_name(concat("The listener address \"", member.name, "\" is invalid."));
  out.address = std::move(*address);
  if (!at.expect(member.value, an_object) || !refuse_both(at, member.value, "pass", "application") ||
      !refuse_both(at, member.value, "forwarded", "client_ip") ||
      !read_object(at, member.value, part{listener_keys, out}))
    return false;
  return member.value.find("pass") || member.value.find("application") ||
         at.fail("Required parameter \"pass\" is missing.");
}

}  // namespace

bool read_listeners(site_reader& at, const json_value& value, site& out) {
  return read_each(at, value, [&](const json_member& member) {
    if (!read_listener(at, member, out.listeners.emplace_back())) return false;
    const auto& address = out.listeners.back().address;
    return std::ranges::count(out.listeners, address, &listener::address) == 1 ||
           at.fail_at_name(concat("The listener address \"", member.name, "\" is another spelling of \"",
                                  address.to_string(), "\", which there is already."));
  });
}

}  // namespace httpd::config
