// The request target (RFC 9112 3.2, RFC 3986) to the path that rules and file look-ups see.
#pragma once

#include <string>
#include <string_view>

namespace httpd::http {

enum class target_form { origin, absolute, asterisk, authority };

// Views into the target given to split_target().
struct target {
  target_form form = target_form::origin;
  std::string_view uri;        // REQUEST_URI: path and query byte for byte as sent, "*" for asterisk.
                               // Absolute form, empty path: "/"; with a query see `uri_needs_slash`
  bool uri_needs_slash = false; // "http://h?x": `uri` is "?x" and means "/?x"
  std::string_view raw_path;   // without the query, still encoded; "/" when empty
  std::string_view query;      // without the "?"
  bool has_query = false;
  std::string_view authority;  // absolute form: replaces Host (RFC 9112 3.2.2)
  std::string_view scheme;     // absolute form: "http" or "https" as sent
};

// 0, or 400. Authority form is only for CONNECT, asterisk only for OPTIONS, absolute only http(s)
// without userinfo. A fragment, a control byte or a space is refused. Bytes >= 0x80 may stay.
unsigned split_target(std::string_view method, std::string_view raw, target& out) noexcept;

// Percent-decoded, slashes merged, dot segments removed; always begins with "/"; a trailing "/" stays
// ("/a/." and "/a/.." end in "/"). An encoded slash is a slash. 0, or 400 for a NUL, a broken
// escape, or dots that would leave the root. `out` is reused.
unsigned normalize_path(std::string_view raw_path, std::string& out);

// The other way, for Location: everything but unreserved, sub-delims, ":", "@" and "/" is encoded.
// The result begins with exactly one slash, so it can never be read as "//host".
void append_encoded_path(std::string& out, std::string_view path);
// Percent-decodes into bytes; false for a broken escape. For X-Accel-Redirect.
bool percent_decode(std::string_view text, std::string& out);

}  // namespace httpd::http
