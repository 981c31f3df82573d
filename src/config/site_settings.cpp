// "settings": limits and times of HTTP.
#include "config/site_settings.hpp"

#include "config/site_sections.hpp"
#include "config/site_values.hpp"

namespace httpd::config {
namespace {

inline constexpr char no_telemetry[] =
    "The \"telemetry\" option is not supported: this server exports no traces.";
inline constexpr char no_js[] =
    "The \"js_module\" option is not supported: this server has no JavaScript, use variables such as "
    "\"$uri\" in templates.";

constexpr std::int64_t most_bytes = INT64_MAX;

constexpr key<websocket_settings> websocket_keys[] = {
    {"read_timeout", an_integer, seconds<&websocket_settings::read_timeout, 1>},
    {"keepalive_interval", an_integer, seconds<&websocket_settings::keepalive_interval>},
    {"max_frame_size", an_integer, number<&websocket_settings::max_frame_size, 1>},
};

constexpr key<http_settings> http_keys[] = {
    {"header_read_timeout", an_integer, seconds<&http_settings::header_read_timeout, 1>},
    {"body_read_timeout", an_integer, seconds<&http_settings::body_read_timeout, 1>},
    {"send_timeout", an_integer, seconds<&http_settings::send_timeout, 1>},
    {"idle_timeout", an_integer, seconds<&http_settings::idle_timeout>},
    {"large_header_buffer_size", an_integer, number<&http_settings::large_header_buffer_size, 1>},
    {"large_header_buffers", an_integer, number<&http_settings::large_header_buffers, 1>},
    {"body_buffer_size", an_integer, number<&http_settings::body_buffer_size, 0, most_bytes>},
    {"max_body_size", an_integer, number<&http_settings::max_body_size, 0, most_bytes>},
    {"body_temp_path", a_string, any_text<&http_settings::body_temp_path>},
    {"discard_unsafe_fields", a_boolean, flag<&http_settings::discard_unsafe_fields>},
    {"websocket", an_object, nested<&http_settings::websocket, websocket_keys>},
    {"static", an_object, read_static},
    {"log_route", a_boolean, flag<&http_settings::log_route>},
    {"server_version", a_boolean, flag<&http_settings::server_version>},
    {"chunked_transform", a_boolean, flag<&http_settings::chunked_transform>},
    {"compression", an_object, read_compression},
};

constexpr key<server_settings> settings_keys[] = {
    {"listen_threads", an_integer, number<&server_settings::listen_threads, 1>},
    {"http", an_object, nested<&server_settings::http, http_keys>},
    {"telemetry", anything, refused<no_telemetry, server_settings>},
    {"js_module", anything, refused<no_js, server_settings>},
};

}  // namespace

bool read_settings(site_reader& at, const json_value& value, site& out) {
  return read_object(at, value, part{settings_keys, out.settings});
}

}  // namespace httpd::config
