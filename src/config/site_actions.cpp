// "action": what a step does. Exactly one member says which of the four it is.
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace httpd::config {
namespace {

constexpr std::array<std::string_view, 4> choices{"pass", "return", "share", "proxy"};

// RFC 9110 5.6.2
bool is_token(std::string_view name) noexcept {
  return std::ranges::all_of(name, [](char c) {
    const char lower = to_lower(c);
    return is_digit(c) || (lower >= 'a' && lower <= 'z') ||
           std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
  });
}

// What frames a message belongs to the connection; Date and Server have always been the server's own.
bool is_ours(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 8> ours{"Content-Length", "Transfer-Encoding", "Connection",
                                                 "Upgrade", "Keep-Alive", "Trailer", "Date", "Server"};
  return std::ranges::any_of(ours, [name](std::string_view one) { return iequals(one, name); });
}

bool is_control(char c) noexcept { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

bool read_response_header(site_reader& at, const json_member& member, response_header& out) {
  const auto& name = member.name;
  if (name.empty()) return at.fail_at_name("The response header name must not be empty.");
  if (!is_token(name))
    return at.fail_at_name(concat("The response header name \"", name,
                                  "\" contains characters that are not allowed in a header field name."));
  if (is_ours(name))
    return at.fail_at_name(concat("The \"", name, "\" response header value is not supported"));
  out.first = name;
  if (is_one_of(member.value, a_null)) return true;
  if (!is_one_of(member.value, a_string))
    return at.fail(concat("The \"", name, "\" response header value must either be a string or a null"));
  if (std::ranges::any_of(member.value.text, is_control))
    return at.fail(concat("The \"", name, "\" response header value must not contain control characters."));
  out.second = read_template(at, member.value);
  return out.second.has_value();
}

bool read_response_headers(site_reader& at, const json_value& value, action& out) {
  return read_each(at, value, [&](const json_member& member) {
    return read_response_header(at, member, out.response_headers.emplace_back());
  });
}

bool read_return(site_reader& at, const json_value& value, return_action& out) {
  if (value.integer < 0 || value.integer > 999)
    return at.fail("The \"return\" value is out of allowed HTTP status code range 0-999.");
  out.status = static_cast<unsigned>(value.integer);
  return true;
}

// A template of a path.
bool read_path(site_reader& at, const json_value& value, std::optional<text_template>& out) {
  out = read_template(at, value);
  return out && check_no_null(at, value);
}

bool read_share(site_reader& at, const json_value& value, share_action& out) {
  if (is_one_of(value, an_array) && value.elements.empty())
    return at.fail("The \"share\" array must contain at least one element.");
  return read_one_or_many(at, value, [&](const json_value& one) {
    if (!is_one_of(one, a_string)) return at.fail("The \"share\" array must contain only string values.");
    std::optional<text_template> path;
    if (!read_path(at, one, path)) return false;
    out.paths.push_back(std::move(*path));
    return true;
  });
}

bool read_chroot(site_reader& at, const json_value& value, share_action& out) {
  return read_path(at, value, out.chroot);
}

bool read_fallback(site_reader& at, const json_value& value, share_action& out) {
  auto fallback = std::make_unique<action>();
  if (!read_action(at, value, *fallback)) return false;
  out.fallback = std::move(fallback);
  return true;
}

bool read_proxy(site_reader& at, const json_value& value, proxy_action& out) {
  const std::string_view text = value.text;
  constexpr std::string_view http = "http://";
  auto server = text.starts_with(http) ? read_address(text.substr(http.size()), true) : std::nullopt;
  if (!server || server->host == "*")
    return at.fail(concat("The \"proxy\" address is invalid \"", text, '"'));
  out.server = std::move(*server);
  return true;
}

constexpr key<pass_action> pass_keys[] = {{"pass", a_string, read_pass}};

constexpr key<return_action> return_keys[] = {
    {"return", an_integer, read_return},
    {"location", a_string, templated<&return_action::location>},
};

constexpr key<share_action> share_keys[] = {
    {"share", a_string | an_array, read_share},
    {"index", a_string, filled_text<&share_action::index>},
    {"types", a_string | an_array, patterns<&share_action::types, pattern_kind::type>},
    {"fallback", an_object, read_fallback},
    {"chroot", a_string, read_chroot},
    {"follow_symlinks", a_boolean, flag<&share_action::follow_symlinks>},
    {"traverse_mounts", a_boolean, flag<&share_action::traverse_mounts>},
};

constexpr key<proxy_action> proxy_keys[] = {{"proxy", a_string, read_proxy}};

constexpr key<action> common_keys[] = {
    {"rewrite", a_string, templated<&action::rewrite>},
    {"response_headers", an_object, read_response_headers},
};

template <class Kind, std::size_t N>
bool read_as(site_reader& at, const json_value& value, const key<Kind> (&keys)[N], action& out) {
  auto& kind = out.what.emplace<Kind>();
  return read_object(at, value, part{keys, kind}, part{common_keys, out});
}

// The first member that is almost one of the four.
std::string_view misspelt_choice(const json_value& value) {
  for (const auto& member : value.members)
    if (const auto near = nearest_name(member.name, choices); !near.empty()) return near;
  return {};
}

}  // namespace

bool read_action(site_reader& at, const json_value& value, action& out) {
  const auto given = std::ranges::count_if(choices, [&value](auto name) { return value.find(name); });
  if (given > 1)
    return at.fail("The \"action\" object must have just one of \"pass\", \"return\", \"share\", or "
                   "\"proxy\" options set.");
  if (value.find("pass")) return read_as(at, value, pass_keys, out);
  if (value.find("return")) return read_as(at, value, return_keys, out);
  if (value.find("share")) return read_as(at, value, share_keys, out);
  if (value.find("proxy")) return read_as(at, value, proxy_keys, out);
  return at.fail("The \"action\" object must have either \"pass\", \"return\", \"share\", or "
                 "\"proxy\" option set.",
                 misspelt_choice(value));
}

}  // namespace httpd::config
