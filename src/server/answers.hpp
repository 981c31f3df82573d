// The answers the server makes up itself.
#pragma once

#include "http/response_head.hpp"

#include <string>
#include <string_view>

namespace httpd::server {

class exchange;

// A short HTML page naming the status. 405 wants `allow`; 503 says Retry-After.
http::response_head error_head(unsigned status, std::string_view allow = {});
std::string error_page(unsigned status);
// The same as a whole message of HTTP/1.1, after which the connection is closed. `date_and_server`: the lines.
void append_refusal(std::string& out, unsigned status, std::string_view date_and_server, bool with_content);
void answer_error(exchange&, unsigned status, std::string_view allow = {});

}  // namespace httpd::server
