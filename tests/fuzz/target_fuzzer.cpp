// The request target to the path that rules see: never above the root, never a NUL, never two readings.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "http/path_rules.hpp"
#include "http/target.hpp"

#include <optional>
#include <vector>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

std::optional<std::string> decode(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = digits.find(to_lower(text[i + 1])), low = digits.find(to_lower(text[i + 2]));
    if (high == digits.npos || low == digits.npos) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// Decode once, then a stack of segments.
std::optional<std::string> normalize(std::string_view raw) {
  const auto text = decode(raw);
  if (!text || text->find('\0') != text->npos) return std::nullopt;
  std::vector<std::string> segments;
  bool folder = true;
  for (std::string_view rest = *text; !rest.empty();) {
    const auto slash = rest.find('/');
    const std::string segment{rest.substr(0, slash)};
    rest = slash == rest.npos ? std::string_view{} : rest.substr(slash + 1);
    folder = slash != rest.npos || segment.empty() || segment == "." || segment == "..";
    if (segment == "..") {
      if (segments.empty()) return std::nullopt;
      segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
  }
  std::string out;
  for (const auto& segment : segments) out += "/" + segment;
  return folder || out.empty() ? out + "/" : out;
}

bool is_hidden(std::string_view path) {
  for (std::size_t slash = 0; slash != path.npos; slash = path.find('/', slash + 1)) {
    if (path.substr(slash + 1, 1) != ".") continue;
    if (slash != 0 || !path.starts_with("/.well-known/")) return true;
  }
  return false;
}

// A name that ends as a script's does.
bool is_plainly_source(std::string_view name) {
  constexpr std::string_view ends[] = {".php",  ".phtml", ".phar",    ".inc",
                                       ".php5", ".php~",  ".php.bak", ".php.txt"};
  for (const auto end : ends)
    if (name.size() >= end.size() && iequals(name.substr(name.size() - end.size()), end)) return true;
  return false;
}

void check_rules(std::string_view path) {
  expect(http::has_hidden_segment(path) == is_hidden(path), "hidden is what begins with a dot");
  if (is_hidden(path)) expect(http::is_refused(path), "nothing hidden is sent");
  const auto name = path.substr(path.rfind('/') + 1);
  if (is_plainly_source(name)) expect(http::is_refused(path), "source is not sent");
  std::size_t before = 0;
  while (const auto end = http::next_script_prefix(path, before)) {
    expect(end > before && end <= path.size(), "prefixes grow");
    expect(path.substr(0, end).ends_with(".php") && path[end - 5] != '/', "a script has a name and .php");
    expect(end == path.size() || path[end] == '/', "a script is whole segments");
    before = end;
  }
}

}  // namespace

FUZZ(input) {
  reader from{input};
  constexpr std::string_view methods[] = {"GET", "OPTIONS", "CONNECT"};
  const auto method = methods[std::min(from.byte() % 16, 2u)];
  const auto raw = from.rest();

  static http::target split;
  if (http::split_target(method, raw, split) == 0) {
    for (const char c : raw)
      expect(!is_control(c) && c != ' ' && c != '#', "no control byte, space or fragment");
    using form = http::target_form;
    expect(split.form != form::authority || method == "CONNECT", "authority is for CONNECT");
    expect(split.form != form::asterisk || (raw == "*" && method == "OPTIONS"), "* is for OPTIONS");
    expect(!split.raw_path.empty() && split.raw_path.find('?') == raw.npos, "a path without the query");
    if (split.form == http::target_form::origin) {
      expect(split.uri == raw, "the URI is what was sent");
      const auto whole = split.has_query ? concat(split.raw_path, '?', split.query) : concat(split.raw_path);
      expect(whole == raw, "path and query are all of it");
    }
  }

  const std::string_view paths[] = {raw, split.raw_path};
  for (const auto path : paths) {
    if (!path.starts_with('/')) continue;
    static std::string out;
    const auto expected = normalize(path);
    const bool good = http::normalize_path(path, out) == 0;
    expect(good == expected.has_value(), "a path is refused as the reference does");
    if (!good) continue;
    expect(out == *expected, "a path is what the reference says");
    check_rules(out);
    static std::string encoded, again;
    encoded.clear();
    http::append_encoded_path(encoded, out);
    expect(encoded.starts_with('/') && !encoded.starts_with("//"), "never another host");
    expect(http::normalize_path(encoded, again) == 0 && again == out, "encoded and read again the same");
  }
  static std::string decoded;
  const auto expected = decode(raw);
  const bool good = http::percent_decode(raw, decoded);
  expect(good == expected.has_value() && (!good || decoded == *expected), "escapes are decoded once");
}
