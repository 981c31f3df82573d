// What a match looks at, as views, and readers of the lists inside a request: arguments and cookies. The
// readers decode nothing and allocate nothing by themselves.
#pragma once

#include "base/field.hpp"
#include "config/address_pattern.hpp"

#include <span>
#include <string>
#include <string_view>

namespace httpd::config {

// Filled without copying; everything outlives the test.
struct request_facts {
  std::string_view host;   // host_to_match() of it; "" = none
  std::string_view method;
  std::string_view path;   // decoded and normalised, without the query
  std::string_view query;  // as sent, without "?"
  std::span<const field> headers;
  socket_end source;       // the client, behind trusted proxies
  socket_end destination;  // ours; needed only where match::wants_destination()
  bool https = false;
};

// "Example.COM.:8080" = "example.com", "[::1]:80" = "[::1]": without the port and one trailing dot,
// lower-case. A view of `host` when nothing has to change but its length, else of `buffer`.
std::string_view host_to_match(std::string_view host, std::string& buffer);

// The pairs of a query, left to right, still encoded: "a=1&b" is ("a", "1"), ("b", ""). Empty ones are left
// out.
class argument_reader {
public:
  explicit argument_reader(std::string_view query) noexcept : rest_{query} {}
  bool next(field& pair) noexcept;

private:
  std::string_view rest_;
};

// "+" = space; a broken escape stands for itself. A view of `encoded` when nothing is to decode, else of
// `buffer`, which is reused.
std::string_view decode_argument(std::string_view encoded, std::string& buffer);
// Whether it decodes to `text`.
bool decodes_to(std::string_view encoded, std::string_view text) noexcept;

// The pairs of every Cookie field: "a=1; b=2" is ("a", "1"), ("b", "2"), nothing is decoded. What has no "="
// is left out.
class cookie_reader {
public:
  explicit cookie_reader(std::span<const field> headers) noexcept : headers_{headers} {}
  bool next(field& pair) noexcept;

private:
  std::span<const field> headers_;
  std::string_view rest_;
};

// For $arg_NAME, $cookie_NAME and $header_NAME: append the decoded last argument, the first cookie, the first
// field of that name ("-" and "_" alike). False: there is none.
bool append_argument(std::string_view query, std::string_view name, std::string& out);
bool append_cookie(std::span<const field> headers, std::string_view name, std::string& out);
bool append_header(std::span<const field> headers, std::string_view name, std::string& out);

}  // namespace httpd::config
