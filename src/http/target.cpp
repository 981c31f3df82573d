// The request target: its four forms, and paths without the disguises that RFC 3986 allows.
#include "http/target.hpp"

#include "base/percent.hpp"
#include "base/text.hpp"
#include "http/bytes.hpp"
#include "http/request_head.hpp"

#include <algorithm>

namespace httpd::http {
namespace {

constexpr byte_set path_bytes = letters_digits_and("-._~!$&'()*+,;=:@/");

bool has_forbidden_byte(std::string_view raw) noexcept {
  const char* const end = raw.data() + raw.size();
  return find_below<0x21>(raw.data(), end) != end || raw.find('#') != raw.npos;
}

// `uri` is the path and the query.
void split_uri(std::string_view uri, target& out) noexcept {
  const std::size_t mark = uri.find('?');
  out.uri = uri;
  out.has_query = mark != uri.npos;
  out.query = out.has_query ? uri.substr(mark + 1) : std::string_view{};
  out.raw_path = uri.substr(0, mark);
  if (!out.raw_path.empty()) return;
  out.raw_path = "/";
  if (uri.empty()) out.uri = "/";
  else out.uri_needs_slash = true;
}

unsigned split_absolute(std::string_view raw, target& out) noexcept {
  const std::size_t colon = raw.find("://");
  if (colon == raw.npos) return 400;
  out.form = target_form::absolute;
  out.scheme = raw.substr(0, colon);
  if (!iequals(out.scheme, "http") && !iequals(out.scheme, "https")) return 400;
  const std::string_view rest = raw.substr(colon + 3);
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  out.authority = rest.substr(0, authority_end);
  // A valid host has no "@", so user information is refused here too.
  if (out.authority.empty() || !is_valid_host(out.authority)) return 400;
  split_uri(rest.substr(authority_end), out);
  return 0;
}

unsigned split_authority(std::string_view raw, target& out) noexcept {
  const std::size_t colon = raw.rfind(':');
  if (colon == raw.npos || !is_valid_host(raw) || !parse_u64(raw.substr(colon + 1))) return 400;
  out.form = target_form::authority;
  out.uri = out.authority = raw;
  out.raw_path = "/";
  return 0;
}

// Nothing that normalize_path() would change.
bool is_normal(std::string_view path) noexcept {
  if (path.empty() || path.front() != '/' || path.find('%') != path.npos || path.find('\0') != path.npos)
    return false;
  for (std::size_t slash = 0; slash != path.npos; slash = path.find('/', slash + 1)) {
    const char next = slash + 1 < path.size() ? path[slash + 1] : '\0';
    if (next == '/' || next == '.') return false;
  }
  return true;
}

// Ends the segment that follows the last slash of `out`: removes it when it is "." or, with its
// parent, "..". False when that leaves the root.
bool end_segment(std::string& out) {
  const std::size_t slash = out.rfind('/');
  const std::string_view segment = std::string_view{out}.substr(slash + 1);
  if (segment == ".") {
    out.resize(slash + 1);
  } else if (segment == "..") {
    if (slash == 0) return false;
    out.resize(out.rfind('/', slash - 1) + 1);
  }
  return true;
}

}  // namespace

unsigned split_target(std::string_view method, std::string_view raw, target& out) noexcept {
  out = {};
  if (raw.empty() || has_forbidden_byte(raw)) return 400;
  if (method == "CONNECT") return split_authority(raw, out);
  if (raw.front() == '/') {
    split_uri(raw, out);
    return 0;
  }
  if (raw != "*") return split_absolute(raw, out);
  if (method != "OPTIONS") return 400;
  out.form = target_form::asterisk;
  out.uri = raw;
  out.raw_path = "/";
  return 0;
}

unsigned normalize_path(std::string_view raw_path, std::string& out) {
  if (is_normal(raw_path)) {
    out = raw_path;
    return 0;
  }
  out = '/';
  for (std::size_t i = 0; i < raw_path.size(); ++i) {
    char c;
    if (!decode_at(raw_path, i, c) || c == '\0') return 400;
    if (c != '/') {
      out.push_back(c);
    } else {
      if (!end_segment(out)) return 400;
      if (out.back() != '/') out.push_back('/');
    }
  }
  return end_segment(out) ? 0 : 400;
}

void append_encoded_path(std::string& out, std::string_view path) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  out.push_back('/');
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_in(path_bytes, c)) out.push_back(c);
    else append(out, '%', hex[byte >> 4], hex[byte & 15]);
  }
}

bool percent_decode(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c;
    if (!decode_at(text, i, c)) return false;
    out.push_back(c);
  }
  return true;
}

}  // namespace httpd::http
