// The CGI/1.1 meta-variables (RFC 3875 4.1) and those PHP applications rely on beside them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace httpd::config {
struct configuration;
}

namespace httpd::server {

struct request;
struct route;

struct script_environment {
  std::string_view document_root;   // as PHP sees it
  std::string_view server_address;  // ours, of this connection; "" for a Unix socket
  std::uint64_t content_length;     // of the whole body
};

// Appends a complete PARAMS stream to `out`. False: a value is larger than a FastCGI record can hold (431).
//
// SERVER_NAME and SERVER_PORT are what the client used: from Host, with the scheme's port when Host has none.
// Only without Host (HTTP/1.0) they are the listener's.
[[nodiscard]] bool append_params(std::string& out, const request&, const route&, const script_environment&);

}  // namespace httpd::server
