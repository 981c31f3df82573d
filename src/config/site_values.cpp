// Single values: numbers within bounds, texts, templates, patterns and addresses.
#include "config/site_values.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace httpd::config {
namespace {

std::int64_t whole(const json_value& value) noexcept {
  if (value.what == json_value::kind::integer) return value.integer;
  constexpr double limit = 1e15;  // far beyond every bound, far within the range of an integer
  return static_cast<std::int64_t>(std::clamp(value.fraction, -limit, limit));
}

}  // namespace

std::optional<std::int64_t> read_number(site_reader& at, const json_value& value, std::int64_t least,
                                        std::int64_t greatest) {
  const auto number = whole(value);
  if (number >= least && number <= greatest) return number;
  const auto subject = concat("The \"", at.name(), "\" number must ");
  if (number > greatest) at.fail(concat(subject, "not exceed ", greatest, "."));
  else if (least == 0) at.fail(concat(subject, "not be negative."));
  else at.fail(concat(subject, "be equal to or greater than ", least, "."));
  return std::nullopt;
}

bool check_text(site_reader& at, const json_value& value) {
  if (value.text.empty()) return at.fail(concat("The \"", at.name(), "\" value must not be empty."));
  return check_no_null(at, value);
}

bool check_no_null(site_reader& at, const json_value& value) {
  return value.text.find('\0') == value.text.npos ||
         at.fail(concat("The \"", at.name(), "\" value must not contain null character."));
}

std::optional<text_template> read_template(site_reader& at, const json_value& value) {
  std::string error;
  auto read = text_template::parse(value.text, at.name(), error);
  if (!read) at.fail(std::move(error));
  return read;
}

std::optional<condition> read_condition(site_reader& at, const json_value& value) {
  std::string error;
  auto read = condition::parse(value.text, at.name(), error);
  if (!read) at.fail(std::move(error));
  return read;
}

bool read_patterns(site_reader& at, const json_value& value, std::string_view of, string_patterns& out) {
  return read_one_or_many(at, value, [&](const json_value& pattern) {
    std::string error;
    if (!is_one_of(pattern, a_string)) {
      const auto kind = out.kind();
      const bool encoded = kind == pattern_kind::uri || kind == pattern_kind::query ||
                           kind == pattern_kind::argument;
      error = concat("The \"match\" pattern for \"", of, "\" must be ", encoded ? "a string." : "strings.");
    } else if (out.add(pattern.text, error)) {
      return true;
    }
    return at.fail(std::move(error));
  });
}

bool read_addresses(site_reader& at, const json_value& value, address_patterns& out) {
  return read_one_or_many(at, value, [&](const json_value& pattern) {
    std::string error = "The \"match\" pattern for \"address\" must be a string.";
    return (is_one_of(pattern, a_string) && out.add(pattern.text, error)) || at.fail(std::move(error));
  });
}

std::optional<endpoint> read_address(std::string_view text, bool names) {
  std::string reason;
  auto address = parse_endpoint(text, "", false, reason);
  if (!address || address->is_unix() || names || address->host == "*") return address;
  return ip_address::parse(address->host) ? address : std::nullopt;
}

}  // namespace httpd::config
