// One request as the handlers see it: read, normalised, and with the client behind trusted proxies.
#pragma once

#include "base/address.hpp"
#include "http/request_head.hpp"
#include "http/target.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace httpd::config {
struct configuration;
}

namespace httpd::server {

// The other end of a connection, and ours.
struct peer {
  std::optional<ip_address> address;  // unset: a Unix socket
  std::string text;                   // for logs and REMOTE_ADDR; "unix" for a Unix socket
  std::uint16_t port = 0;
  std::uint16_t listener_port = 0;    // 0: a Unix socket
  std::string local_text;             // SERVER_ADDR; filled before a script may want it
};

// Views into the bytes given to read_request() and into `from`.
struct request {
  http::request_head head;
  http::target target;
  std::string path;                 // normalised: http/target.hpp
  std::string_view host;            // the host asked for, port included; "" = none
  bool https = false;               // said by a trusted proxy
  bool forwarded = false;           // a proxy speaks for somebody else: `client` is not the peer
  std::string client;               // address text when `forwarded`
  const peer* from = nullptr;

  std::string_view remote_address() const noexcept { return forwarded ? client : from->text; }
  bool is_get_or_head() const noexcept { return head.method == "GET" || head.method == "HEAD"; }
};

http::head_limits head_limits(const config::configuration&) noexcept;

// Reads a complete head. 0, or the status to refuse with. `out` is reused.
unsigned read_request(std::string_view head_bytes, const config::configuration&, const peer&, request& out);

// The bytes given to read_request() were copied: views into them become views into the copy. Every view in
// request must be known here.
void move_views(request&, std::string_view from, const char* copy) noexcept;

}  // namespace httpd::server
