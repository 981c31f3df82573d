// The readers of the sections of a configuration. The type of the value is known to be right. For
// src/config/site_*.cpp only.
#pragma once

#include "config/site.hpp"
#include "config/site_table.hpp"

#include <span>

namespace httpd::config {

bool read_settings(site_reader&, const json_value&, site&);
bool read_listeners(site_reader&, const json_value&, site&);
bool read_routes(site_reader&, const json_value&, site&);
bool read_applications(site_reader&, const json_value&, site&);
bool read_upstreams(site_reader&, const json_value&, site&);
bool read_access_log(site_reader&, const json_value&, site&);

bool read_action(site_reader&, const json_value&, action&);
bool read_pass(site_reader&, const json_value&, pass_action&);
bool read_isolation(site_reader&, const json_value&, process_settings&);

// The members of an application that runs scripts: "targets" when it has them, else "root" and its like.
std::span<const key<application>> script_keys(const json_value& application) noexcept;
// The members of an application whose processes are ours.
std::span<const key<process_settings>> process_keys() noexcept;
// "types" and "compressors" of "compression"; "mime_types" of "static".
bool read_compression(site_reader&, const json_value&, http_settings&);
bool read_static(site_reader&, const json_value&, http_settings&);

// The names that a destination may have are known before anything that names one is read.
void list_names(const json_value& root, site&);

}  // namespace httpd::config
