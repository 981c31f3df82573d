// "upstreams": weighted sets of servers.
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

#include <utility>

namespace httpd::config {
namespace {

bool read_weight(site_reader& at, const json_value& value, upstream_server& out) {
  out.weight = is_one_of(value, an_integer) ? static_cast<double>(value.integer) : value.fraction;
  if (out.weight < 0) return at.fail("The \"weight\" number must be positive.");
  return out.weight <= 1e6 || at.fail("The \"weight\" number must not exceed 1,000,000");
}

constexpr key<upstream_server> server_keys[] = {{"weight", a_number, read_weight}};

bool read_servers(site_reader& at, const json_value& value, upstream& out) {
  return read_each(at, value, [&](const json_member& member) {
    if (!at.expect(member.value, an_object)) return false;
    auto address = read_address(member.name, true);
    if (!address || address->host == "*")
      return at.fail_at_name(concat("The \"", member.name, "\" is not valid server address."));
    auto& server = out.servers.emplace_back();
    server.address = std::move(*address);
    return read_object(at, member.value, part{server_keys, server});
  });
}

constexpr key<upstream> upstream_keys[] = {{"servers", an_object, read_servers}};

}  // namespace

bool read_upstreams(site_reader& at, const json_value& value, site& out) {
  auto next = out.upstreams.begin();
  return read_each(at, value, [&](const json_member& member) {
    if (!at.expect(member.value, an_object) || !read_object(at, member.value, part{upstream_keys, *next++}))
      return false;
    return member.value.find("servers") ||
           at.fail(concat("The \"", member.name, "\" upstream must contain \"servers\" object value."));
  });
}

}  // namespace httpd::config
