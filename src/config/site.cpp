// The configuration as a whole.
#include "config/site.hpp"

#include "config/site_sections.hpp"
#include "config/site_table.hpp"

#include <utility>

namespace httpd::config {
namespace {

constexpr key<site> sections[] = {
    {"settings", an_object, read_settings},
    {"listeners", an_object, read_listeners},
    {"routes", an_array | an_object, read_routes},
    {"applications", an_object, read_applications},
    {"upstreams", an_object, read_upstreams},
    {"access_log", a_string | an_object, read_access_log},
};

}  // namespace

boost::system::result<site, site_error> read_site(const json_value& configuration) {
  site result;
  list_names(configuration, result);
  site_reader at{configuration, result};
  if (!at.expect(configuration, an_object) || !read_object(at, configuration, part{sections, result}))
    return at.error();
  return result;
}

}  // namespace httpd::config
