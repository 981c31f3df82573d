// The PARAMS stream (FastCGI 1.0 3.4, 5.2): name-value pairs packed into records. No I/O.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace httpd::fastcgi {

// Appends PARAMS records to `out`, which the caller owns and which holds more than was written until
// finish(). php-fpm resets the connection when one pair straddles two records, so a record is closed
// early instead; a pair larger than a record cannot be sent at all.
class params_writer {
public:
  explicit params_writer(std::string& out);
  // False, and nothing written, when the pair does not fit in one record (65,535 bytes).
  [[nodiscard]] bool add(std::string_view name, std::string_view value);
  // The value is made of parts, without a copy of its own.
  [[nodiscard]] bool add(std::string_view name, std::string_view value1, std::string_view value2);
  // A header field: "Accept-Language" becomes HTTP_ACCEPT_LANGUAGE. The name has only letters,
  // digits and "-" (the caller checks).
  [[nodiscard]] bool add_header(std::string_view field_name, std::string_view value);
  // Closes the open record and writes the empty one that ends the stream. Once, at the end.
  void finish();

private:
  char* open_pair(std::size_t name_bytes, std::size_t value_bytes);
  void make_room(std::size_t bytes);
  void open_record();
  void close_record() noexcept;

  std::string& out_;
  std::size_t end_;           // of what is written in out_
  std::size_t record_start_;  // offset of the open record's header
};

}  // namespace httpd::fastcgi
