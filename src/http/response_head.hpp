// The head of a response before it is framed for a protocol version. No I/O.
#pragma once

#include "base/text.hpp"
#include "http/status.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace httpd::http {

struct response_head {
  unsigned status = 200;
  std::string reason;  // "" = the standard phrase
  // Finished lines "Name: value\r\n", without the fields that belong to the connection or the framing
  // (Connection, Content-Length, Transfer-Encoding). Date and Server are added when these say so.
  std::string fields;
  std::optional<std::uint64_t> content_length;  // unset = not known before the end
  bool has_date = false;
  bool has_server = false;

  void add(std::string_view name, std::string_view value) { append(fields, name, ": ", value, "\r\n"); }
};

// "HTTP/1.1 404 Not Found\r\n"
inline void write_status_line(std::string& out, unsigned status, std::string_view reason) {
  append(out, "HTTP/1.1 ", status, ' ', reason.empty() ? reason_phrase(status) : reason, "\r\n");
}

}  // namespace httpd::http
