// Writing FastCGI records. No padding: php-fpm does not need it and it would only cost bytes.
#include "fastcgi/record.hpp"

namespace httpd::fastcgi {

void append_header(std::string& out, record_type type, std::size_t content_bytes) {
  const char header[header_bytes] = {
      1, char(type), char(request_id >> 8), char(request_id & 0xff),
      char(content_bytes >> 8 & 0xff), char(content_bytes & 0xff), 0, 0};
  out.append(header, sizeof header);
}

void append_begin_request(std::string& out, bool keep) {
  constexpr char responder = 1;
  const char body[8] = {0, responder, char(keep), 0, 0, 0, 0, 0};
  append_header(out, record_type::begin_request, sizeof body);
  out.append(body, sizeof body);
}

void append_stdin(std::string& out, std::string_view body) {
  while (!body.empty()) {
    const auto piece = body.substr(0, max_content_bytes);
    append_header(out, record_type::stdin_, piece.size());
    out.append(piece);
    body.remove_prefix(piece.size());
  }
}

}  // namespace httpd::fastcgi
