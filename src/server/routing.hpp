// What answers a request: a file, a script, or the server itself. Design 4 and 6; cases A to C.
#pragma once

#include "server/file_cache.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace httpd::config {
struct configuration;
}

namespace httpd::server {

struct request;
class document_root;

struct route {
  enum class kind { file, script, redirect, error, health, options };
  kind what = kind::error;
  unsigned status = 404;        // error
  std::string_view allow;       // error 405
  std::string path;  // file: under the root, for its variants; script: SCRIPT_NAME; redirect: Location
  std::string path_info;        // script
  std::size_t application = 0;  // script: whose
  file_ptr file;                // file
};

// In this order: the health path; names that are never served; the first prefix that is a script (the rest
// is PATH_INFO); a directory's index; a file; the front controller; 404.
route find_route(const request&, const config::configuration&, const document_root&, file_cache&);

// Whether the answer will be of kind `health`.
bool asks_for_health(const request&, const config::configuration&);

// The same for a file that a script names (X-Accel-Redirect, X-Sendfile): only a file, 404 otherwise.
route find_file(std::string_view path, file_cache&);

}  // namespace httpd::server
