// Templates: finding the variables once, and putting in their values each time.
#include "config/text_template.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace httpd::config {
namespace {

struct known_variable {
  variable what;
  std::string_view name;
};

constexpr std::array variables{
    known_variable{variable::method, "method"},
    known_variable{variable::request_line, "request_line"},
    known_variable{variable::request_uri, "request_uri"},
    known_variable{variable::uri, "uri"},
    known_variable{variable::host, "host"},
    known_variable{variable::remote_addr, "remote_addr"},
    known_variable{variable::time_local, "time_local"},
    known_variable{variable::request_time, "request_time"},
    known_variable{variable::request_id, "request_id"},
    known_variable{variable::status, "status"},
    known_variable{variable::body_bytes_sent, "body_bytes_sent"},
    known_variable{variable::request_time_queue, "request_time_queue"},
    known_variable{variable::request_time_php_first_byte, "request_time_php_first_byte"},
    known_variable{variable::arg, "arg_"},
    known_variable{variable::cookie, "cookie_"},
    known_variable{variable::header, "header_"},
    known_variable{variable::response_header, "response_header_"},
};

constexpr bool is_header(variable what) noexcept {
  return what == variable::header || what == variable::response_header;
}

constexpr bool is_name_letter(char c) noexcept {
  return (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '_';
}

constexpr char with_dash(char c) noexcept { return c == '_' ? '-' : to_lower(c); }

// Which variable a whole name is, and the NAME of "arg_NAME"; false: none.
bool find_variable(std::string_view whole, variable& what, std::string& name) {
  for (const auto& known : variables) {
    const bool named = known.name.ends_with('_');
    if (named ? !whole.starts_with(known.name) || whole.size() == known.name.size() : whole != known.name)
      continue;
    what = known.what;
    name = whole.substr(named ? known.name.size() : whole.size());
    if (is_header(what)) std::transform(name.begin(), name.end(), name.begin(), with_dash);
    return true;
  }
  return false;
}

// The name after a "$", "" when there is none; takes it, and its braces, from `rest`.
std::string_view take_name(std::string_view& rest) noexcept {
  const bool braced = rest.starts_with('{');
  const auto inside = rest.substr(braced ? 1 : 0);
  const auto end = std::find_if_not(inside.begin(), inside.end(), is_name_letter);
  const auto name = inside.substr(0, static_cast<std::size_t>(end - inside.begin()));
  if (braced && (end == inside.end() || *end != '}')) return {};
  rest = inside.substr(name.size() + (braced ? 1 : 0));
  return name;
}

void append_value(std::string_view value, rendering how, std::string& out) {
  if (how == rendering::log) append_escaped(out, value);
  else append_json(out, value);
}

}  // namespace

std::string_view name_of(variable what) noexcept {
  const auto* known = std::find_if(variables.begin(), variables.end(),
                                   [what](const known_variable& v) { return v.what == what; });
  return known->name;
}

text_template text_template::constant(std::string_view text) {
  text_template result;
  result.tail_ = text;
  return result;
}

std::optional<text_template> text_template::parse(std::string_view text, std::string_view key,
                                                  std::string& error) {
  if (text.starts_with('`')) {
    error = concat("The \"", key, "\" value is a JavaScript template, and this server has no JavaScript: "
                                  "use variables such as \"$uri\".");
    return std::nullopt;
  }
  text_template result;
  for (auto rest = text;;) {
    const auto dollar = rest.find('$');
    result.tail_.append(rest.substr(0, dollar));
    if (dollar == rest.npos) return result;
    rest.remove_prefix(dollar);
    const auto position = text.size() - rest.size();
    rest.remove_prefix(1);
    const auto whole = take_name(rest);
    if (whole.empty()) {
      error = concat("Invalid variable at position ", position, " in the \"", key, "\" value.");
      return std::nullopt;
    }
    if (whole == "dollar") {
      result.tail_.push_back('$');
      continue;
    }
    part found{{}, variable::method, {}};
    if (!find_variable(whole, found.what, found.name)) {
      error = concat("Unknown variable \"", whole, "\" in the \"", key, "\" value.");
      return std::nullopt;
    }
    found.before = std::exchange(result.tail_, {});
    result.parts_.push_back(std::move(found));
  }
}

bool text_template::uses(variable what) const noexcept {
  return std::any_of(parts_.begin(), parts_.end(), [what](const part& p) { return p.what == what; });
}

void text_template::render(const variable_source& source, std::string& out, rendering how) const {
  const auto constant_part = [&out, how](std::string_view text) {
    if (how == rendering::json) append_json(out, text);
    else out.append(text);
  };
  std::string value;
  for (const auto& next : parts_) {
    constant_part(next.before);
    if (how == rendering::plain) {
      source.append(next.what, next.name, out);
      continue;
    }
    value.clear();
    if (source.append(next.what, next.name, value)) append_value(value, how, out);
    else out.push_back('-');
  }
  constant_part(tail_);
}

std::optional<condition> condition::parse(std::string_view text, std::string_view key, std::string& error) {
  condition result;
  if (text.starts_with('!')) {
    result.negated_ = true;
    text.remove_prefix(1);
  }
  auto parsed = text_template::parse(text, key, error);
  if (!parsed) return std::nullopt;
  result.text_ = std::move(*parsed);
  return result;
}

bool condition::holds(const variable_source& source) const {
  std::string rendered;
  std::string_view text = text_.constant_text();
  if (!text_.is_constant()) {
    text_.render(source, rendered);
    text = rendered;
  }
  const bool is_false =
      text.empty() || text == "0" || text == "false" || text == "null" || text == "undefined";
  return is_false == negated_;
}

}  // namespace httpd::config
