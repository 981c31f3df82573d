// Reading the lists inside a request: the host, arguments, cookies, fields by name.
#include "config/request_facts.hpp"

#include "base/percent.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace httpd::config {
namespace {

// The part before `separator`, taken from `rest` with it.
std::string_view take_until(std::string_view& rest, char separator) noexcept {
  const auto part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

// The byte at `i` of an argument, decoded; moves `i` to its last character.
char argument_byte(std::string_view encoded, std::size_t& i) noexcept {
  char c;
  decode_at(encoded, i, c);  // a broken escape leaves '%' and goes on behind it
  return encoded[i] == '+' ? ' ' : c;
}

constexpr char with_dash(char c) noexcept { return c == '_' ? '-' : to_lower(c); }

bool same_field_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return with_dash(x) == with_dash(y); });
}

}  // namespace

std::string_view host_to_match(std::string_view host, std::string& buffer) {
  const auto bracket = host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0;
  host = host.substr(0, host.find(':', bracket));
  if (host.ends_with('.')) host.remove_suffix(1);
  if (std::none_of(host.begin(), host.end(), [](char c) { return c != to_lower(c); })) return host;
  buffer.resize(host.size());
  std::transform(host.begin(), host.end(), buffer.begin(), to_lower);
  return buffer;
}

bool argument_reader::next(field& pair) noexcept {
  while (!rest_.empty()) {
    auto value = take_until(rest_, '&');
    const auto name = take_until(value, '=');
    if (name.empty() && value.empty()) continue;
    pair = {name, value};
    return true;
  }
  return false;
}

std::string_view decode_argument(std::string_view encoded, std::string& buffer) {
  if (encoded.find_first_of("%+") == encoded.npos) return encoded;
  buffer.clear();
  for (std::size_t i = 0; i < encoded.size(); ++i) buffer.push_back(argument_byte(encoded, i));
  return buffer;
}

bool decodes_to(std::string_view encoded, std::string_view text) noexcept {
  std::size_t at = 0;
  for (std::size_t i = 0; i < encoded.size(); ++i, ++at)
    if (at == text.size() || argument_byte(encoded, i) != text[at]) return false;
  return at == text.size();
}

bool cookie_reader::next(field& pair) noexcept {
  for (;;) {
    while (rest_.empty()) {
      if (headers_.empty()) return false;
      if (iequals(headers_.front().name, "Cookie")) rest_ = headers_.front().value;
      headers_ = headers_.subspan(1);
    }
    const auto crumb = take_until(rest_, ';');
    const auto equals = crumb.find('=');
    if (equals == crumb.npos) continue;
    pair = {trim(crumb.substr(0, equals)), trim(crumb.substr(equals + 1))};
    return true;
  }
}

bool append_argument(std::string_view query, std::string_view name, std::string& out) {
  std::string_view last;
  bool found = false;
  field pair;
  for (argument_reader pairs{query}; pairs.next(pair);) {
    if (!decodes_to(pair.name, name)) continue;
    last = pair.value;
    found = true;
  }
  for (std::size_t i = 0; i < last.size(); ++i) out.push_back(argument_byte(last, i));
  return found;
}

bool append_cookie(std::span<const field> headers, std::string_view name, std::string& out) {
  field pair;
  for (cookie_reader pairs{headers}; pairs.next(pair);) {
    if (pair.name != name) continue;
    out.append(pair.value);
    return true;
  }
  return false;
}

bool append_header(std::span<const field> headers, std::string_view name, std::string& out) {
  for (const auto& header : headers) {
    if (!same_field_name(header.name, name)) continue;
    out.append(header.value);
    return true;
  }
  return false;
}

}  // namespace httpd::config
