// `httpd-php-fpm health [URL]`: asks a running server, for a container without curl.
#pragma once

#include <string>

namespace httpd::control {

// URL: "http://HOST:PORT/PATH", or "unix:SOCKET:/PATH". Prints one line; 0 when the answer is 200 within
// three seconds, else 1.
int ask_health(const std::string& url);

}  // namespace httpd::control
