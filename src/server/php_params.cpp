// Which variable comes from where.
#include "server/php_params.hpp"

#include "base/text.hpp"
#include "fastcgi/params.hpp"
#include "server/request.hpp"
#include "server/routing.hpp"

#include <algorithm>
#include <charconv>

namespace httpd::server {

namespace {

class number_text {
public:
  explicit number_text(std::uint64_t n) { end_ = std::to_chars(text_, text_ + sizeof text_, n).ptr; }
  std::string_view view() const { return {text_, end_}; }

private:
  char text_[24];
  char* end_;
};

struct host_and_port {
  std::string_view name, port;
};

// "shop.example:8443", "[2001:db8::1]:8080"; the brackets stay (RFC 3875 4.1.14).
host_and_port split_host(std::string_view host) {
  const auto colon = host.rfind(':');
  if (colon == host.npos || host.find(']', colon) != host.npos) return {host, {}};
  return {host.substr(0, colon), host.substr(colon + 1)};
}

bool is_cgi_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (to_lower(c) >= 'a' && to_lower(c) <= 'z') || is_digit(c) || c == '-';
  });
}

// Those with a variable of their own, those that are about the connection, and "Proxy": as HTTP_PROXY it
// would redirect the script's own requests (httpoxy).
bool is_withheld(std::string_view name) {
  switch (name.size()) {
    case 5: return iequals(name, "proxy");
    case 6: return iequals(name, "expect");
    case 12: return iequals(name, "content-type");
    case 14: return iequals(name, "content-length");
    case 17: return iequals(name, "transfer-encoding");
    default: return false;
  }
}

// A bit for each name: fields of one name share it, and others seldom do.
std::uint64_t name_bit(std::string_view name) {
  const auto ends = static_cast<unsigned char>(to_lower(name.front())) * 7u +
                    static_cast<unsigned char>(to_lower(name.back()));
  return std::uint64_t{1} << ((ends + name.size() * 13u) & 63u);
}

// The bits of names that may be there more than once.
std::uint64_t repeated_names(const http::request_head& head) {
  std::uint64_t seen = 0;
  std::uint64_t repeated = 0;
  for (const auto& field : head.fields) {
    const auto bit = name_bit(field.name);
    repeated |= seen & bit;
    seen |= bit;
  }
  return repeated;
}

// Fields of one name become one value (RFC 3875 4.1.18); the second and later ones are skipped.
bool add_field(fastcgi::params_writer& params, const http::request_head& head, std::size_t index,
               std::uint64_t repeated, std::string_view effective_host) {
  const auto& field = head.fields[index];
  if (!is_cgi_name(field.name) || is_withheld(field.name)) return true;
  if (iequals(field.name, "host")) return params.add("HTTP_HOST", effective_host);
  if ((repeated & name_bit(field.name)) == 0) return params.add_header(field.name, field.value);
  const auto same = [&](const http::field& other) { return iequals(other.name, field.name); };
  const auto current = head.fields.begin() + static_cast<std::ptrdiff_t>(index);
  if (std::any_of(head.fields.begin(), current, same)) return true;
  if (std::none_of(current + 1, head.fields.end(), same)) return params.add_header(field.name, field.value);
  std::string joined{field.value};
  const std::string_view separator = iequals(field.name, "cookie") ? "; " : ", ";
  for (auto other = current + 1; other != head.fields.end(); ++other)
    if (same(*other)) append(joined, separator, other->value);
  return params.add_header(field.name, joined);
}

bool add_script(fastcgi::params_writer& params, const request& asked, const route& where,
                std::string_view document_root) {
  const auto& target = asked.target;
  if (document_root == "/") document_root = {};
  bool ok = params.add("SCRIPT_FILENAME", document_root, where.path) &&
            params.add("SCRIPT_NAME", where.path) &&
            params.add("DOCUMENT_URI", where.path, where.path_info) &&
            params.add("REQUEST_URI", target.uri_needs_slash ? "/" : "", target.uri) &&
            params.add("QUERY_STRING", target.query);
  if (!where.path_info.empty())
    ok = ok && params.add("PATH_INFO", where.path_info) &&
         params.add("PATH_TRANSLATED", document_root, where.path_info);
  return ok;
}

bool add_server(fastcgi::params_writer& params, const request& asked, std::string_view server_address) {
  const auto host = split_host(asked.host);
  const number_text listener_port{asked.from->listener_port == 0 ? 80u : asked.from->listener_port};
  const number_text remote_port{asked.from->port};
  std::string_view name = host.name;
  std::string_view port = host.port;
  if (name.empty()) {
    name = server_address.empty() ? "localhost" : server_address;
    port = listener_port.view();
  } else if (port.empty()) {
    port = asked.https ? "443" : "80";
  }
  bool ok = params.add("SERVER_NAME", name) && params.add("SERVER_PORT", port) &&
            params.add("SERVER_ADDR", server_address) && params.add("REMOTE_ADDR", asked.remote_address());
  // The port of a proxy says nothing about the client.
  if (!asked.forwarded && asked.from->port != 0) ok = ok && params.add("REMOTE_PORT", remote_port.view());
  ok = ok && params.add("REQUEST_SCHEME", asked.https ? "https" : "http");
  // PHP code tests HTTPS for "not empty": unset, never "off".
  if (asked.https) ok = ok && params.add("HTTPS", "on");
  return ok;
}

}  // namespace

bool append_params(std::string& out, const request& asked, const route& where,
                   const script_environment& about) {
  fastcgi::params_writer params{out};
  const number_text length{about.content_length};
  const auto& head = asked.head;
  bool ok = params.add("GATEWAY_INTERFACE", "CGI/1.1") &&
            params.add("SERVER_SOFTWARE", "httpd-php-fpm/" HTTPD_VERSION) &&
            params.add("SERVER_PROTOCOL", head.minor_version == 0 ? "HTTP/1.0" : "HTTP/1.1") &&
            params.add("REQUEST_METHOD", head.method) && params.add("DOCUMENT_ROOT", about.document_root) &&
            // php-fpm built with --enable-force-cgi-redirect serves nothing without it.
            params.add("REDIRECT_STATUS", "200") && add_script(params, asked, where, about.document_root) &&
            add_server(params, asked, about.server_address) &&
            params.add("CONTENT_TYPE", head.find("Content-Type")) &&
            params.add("CONTENT_LENGTH", head.has_body() || head.content_length ? length.view() : "");
  const auto repeated = repeated_names(head);
  for (std::size_t i = 0; ok && i < head.fields.size(); ++i)
    ok = add_field(params, head, i, repeated, asked.host);
  params.finish();
  return ok;
}

}  // namespace httpd::server
