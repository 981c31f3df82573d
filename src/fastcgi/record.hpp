// FastCGI 1.0 records (3.3): the header, and writing the ones a web server sends. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace httpd::fastcgi {

enum class record_type : unsigned char {
  begin_request = 1, abort_request, end_request, params, stdin_, stdout_, stderr_, data,
  get_values, get_values_result, unknown_type
};

inline constexpr std::size_t header_bytes = 8;
inline constexpr std::size_t max_content_bytes = 65535;
inline constexpr std::uint16_t request_id = 1;  // one request per connection at a time

void append_header(std::string& out, record_type, std::size_t content_bytes);
// Role RESPONDER; keep = FCGI_KEEP_CONN.
void append_begin_request(std::string& out, bool keep);
// `body` cut into STDIN records of at most 65,535 bytes; the empty record that ends the stream is
// not included, append_header(out, stdin_, 0) writes it.
void append_stdin(std::string& out, std::string_view body);

}  // namespace httpd::fastcgi
