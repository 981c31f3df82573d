// The head of a CGI response: found in pieces of any size, parsed once it is whole.
#include "fastcgi/cgi_head.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace httpd::fastcgi {
namespace {

// RFC 9110 5.6.2; http/ has its own, but pure folders do not include each other.
constexpr auto token_bytes = [] {
  std::array<bool, 256> table{};
  for (unsigned char c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32u] = true;
  for (const char c : std::string_view{"!#$%&'*+-.^_`|~"}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return token_bytes[static_cast<unsigned char>(c)]; });
}

bool is_control(char c) noexcept {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

bool is_hop_by_hop(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 7> names{
      "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "TE", "Trailer"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return iequals(n, name); });
}

}  // namespace

cgi_head::status cgi_head::feed(std::string_view input, std::size_t& consumed) {
  std::size_t line_start = 0;
  bool whole = false;
  while (!whole) {
    const auto lf = input.find('\n', line_start);
    if (lf == input.npos) break;
    const auto line_bytes = open_line_bytes_ + lf - line_start;
    const char last = lf > 0 ? input[lf - 1] : bytes_.empty() ? '\n' : bytes_.back();
    whole = line_bytes == 0 || (line_bytes == 1 && last == '\r');
    open_line_bytes_ = 0;
    line_start = lf + 1;
  }
  consumed = whole ? line_start : input.size();
  if (consumed > limit_ - bytes_.size()) return status::too_large;
  bytes_.append(input.substr(0, consumed));
  if (whole) return parse();
  open_line_bytes_ += input.size() - line_start;
  return status::more;
}

cgi_head::status cgi_head::parse() {
  fields_.reserve(16);
  std::string_view rest = bytes_;
  bool good = true;
  while (good && !rest.empty()) {
    const auto lf = rest.find('\n');
    auto line = rest.substr(0, lf);
    rest.remove_prefix(lf + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) good = parse_line(line);
  }
  if (!good) return status::bad;
  if (code_ == 0) code_ = find("Location").empty() ? 200 : 302;
  return status::complete;
}

bool cgi_head::parse_line(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == line.npos) return false;
  const auto name = line.substr(0, colon);
  const auto value = trim(line.substr(colon + 1));
  if (!is_token(name) || std::any_of(value.begin(), value.end(), is_control)) return false;

  if (iequals(name, "Status")) return parse_status(value);
  if (iequals(name, "Content-Length")) {
    const auto length = parse_u64(value);
    if (!length || (content_length_ && *content_length_ != *length)) return false;
    content_length_ = length;
    return true;
  }
  if (!is_hop_by_hop(name)) fields_.push_back({name, value});
  return true;
}

bool cgi_head::parse_status(std::string_view value) {
  const auto code = parse_u64(value.substr(0, 3));
  if (!code || *code < 200 || *code > 599 || value.size() < 3) return false;
  if (code_ != 0 && code_ != *code) return false;
  auto text = value.substr(3);
  if (!text.empty() && text.front() != ' ' && text.front() != '\t' && text.front() != ':') return false;
  if (text.starts_with(':')) text.remove_prefix(1);
  code_ = unsigned(*code);
  reason_ = trim(text);
  return true;
}

std::string_view cgi_head::find(std::string_view name) const noexcept {
  for (const auto& f : fields_)
    if (iequals(f.name, name)) return f.value;
  return {};
}

}  // namespace httpd::fastcgi
