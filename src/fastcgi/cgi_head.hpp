// The head of a CGI response (RFC 3875 6): what PHP prints before the body. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::fastcgi {

class cgi_head {
public:
  enum class status { more, complete, bad, too_large };

  struct field {
    std::string_view name, value;  // views into this object
  };

  explicit cgi_head(std::size_t limit_bytes) noexcept : limit_{limit_bytes} {}
  cgi_head(const cgi_head&) = delete;  // its fields point into it
  cgi_head& operator=(const cgi_head&) = delete;

  // Takes STDOUT bytes up to and including the empty line. `consumed` = how many of `input` were the
  // head's; the rest is body. Lines end in CRLF or LF. `complete` also parses: `bad` for a line
  // without a colon, a name that is no token, a control byte in a value, a Status that is not 200-599
  // in three digits (an optional text may follow, so "404: Not Found" is 404) or two different ones,
  // a Content-Length that is not digits or two different ones.
  status feed(std::string_view input, std::size_t& consumed);

  // Valid after `complete`.
  unsigned code() const noexcept { return code_; }          // 200 without Status; 302 for Location alone
  std::string_view reason() const noexcept { return reason_; } // of the Status line; "" = the standard one
  // Without Status, Content-Length and the hop-by-hop fields (Connection, Keep-Alive, Proxy-Connection,
  // Transfer-Encoding, Upgrade, TE, Trailer), which the server writes itself. In order, repeats kept.
  const std::vector<field>& fields() const noexcept { return fields_; }
  std::optional<std::uint64_t> content_length() const noexcept { return content_length_; }
  std::string_view find(std::string_view name) const noexcept;  // first of that name, "" = none

private:
  status parse();
  bool parse_line(std::string_view line);
  bool parse_status(std::string_view value);

  std::size_t limit_;
  std::string bytes_;
  std::size_t open_line_bytes_ = 0;  // of the line whose end has not come yet
  unsigned code_ = 0;
  std::string_view reason_;
  std::vector<field> fields_;
  std::optional<std::uint64_t> content_length_;
};

}  // namespace httpd::fastcgi
