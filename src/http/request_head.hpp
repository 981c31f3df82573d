// The head of an HTTP/1 request (RFC 9112 2-6): strict, no I/O, no copies.
//
// Why not Beast's parser: it answers one kind of error for what must be 400, 431, 414, 501 and 505,
// refuses HTTP/1.9 and a leading empty line, and lets unknown transfer codings pass.
#pragma once

#include "base/field.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace httpd::http {

using httpd::field;  // name and value as sent; value without surrounding white space

struct head_limits {
  std::size_t target_bytes = 32 * 1024 + 512;  // 414 above. Sent twice to PHP, each pair < 64 KiB
  std::size_t head_bytes = 128 * 1024;         // 431 above, request line and final empty line counted
  std::size_t fields = 200;                    // 431 above
};

// Views into the bytes given to parse(); they live as long as those.
struct request_head {
  std::string_view method;
  std::string_view target;
  unsigned minor_version = 1;  // HTTP/1.x; anything above 1 is treated as 1
  std::vector<field> fields;   // in order

  std::string_view host;                        // the one Host field, checked; "" when absent
  std::optional<std::uint64_t> content_length;  // absent with chunked
  bool chunked = false;
  bool keep_alive = true;       // after Connection and the version
  bool expect_continue = false;

  // The value of the first field of that name (any case); "" when absent.
  std::string_view find(std::string_view name) const noexcept;
  bool has(std::string_view name) const noexcept;
  bool has_body() const noexcept { return chunked || content_length.value_or(0) > 0; }
};

// How many bytes at the start of `data` are a complete head, its empty line included; 0 = not there
// yet. Empty lines before the request line are part of it (parse_head() takes up to eight).
// `scanned` remembers how far the search came, so that a head in many pieces is searched once: keep it
// at 0 for a new head. A line end may be a bare LF here (parse_head() then refuses), so that no client
// waits for an answer.
std::size_t head_length(std::string_view data, std::size_t& scanned) noexcept;

// Whether what is there so far can never become an acceptable head: the status to refuse with
// (what parse_head() would say of the request line: 400 for bytes that no method has, such as TLS on
// the plain port; 414; 501; 505; and 431), 0 = go on reading.
unsigned refuse_partial_head(std::string_view data, const head_limits&) noexcept;

// Whether what is there so far asks with HEAD, however malformed it is otherwise: the answer that refuses it
// then has no content (RFC 9110 9.3.2), or the client would take it for the next one.
bool begins_with_head_method(std::string_view data) noexcept;

// Reads a complete head (exactly head_length() bytes). Returns 0, or the status to refuse with:
// 400, 414, 417, 431, 501 or 505. `head` is reused: its vector keeps its capacity.
//
// 400: bare CR or LF, NUL or other control bytes, folded lines, space before the colon, an empty or
// non-token name, no or two or a bad Host (HTTP/1.1), two Host at all, Content-Length that is not
// digits or differs (equal repeats are one), Content-Length with Transfer-Encoding, Transfer-Encoding
// in HTTP/1.0, "chunked" not last or twice, more than one space in the request line, HTTP/0.9.
// 501: a transfer coding other than chunked, a method of more than 64 bytes (RFC 9112 3).
// 505: a major version other than 1.
// 417: an Expect other than 100-continue.
unsigned parse_head(std::string_view bytes, const head_limits&, request_head& head);

// A token of RFC 9110 5.6.2.
bool is_token(std::string_view text) noexcept;
// Host = uri-host [ ":" port ] of RFC 9110 7.2: a name of unreserved and sub-delims, IPv4, or a
// bracketed IPv6; an empty value is allowed by the grammar and accepted.
bool is_valid_host(std::string_view text) noexcept;

}  // namespace httpd::http
