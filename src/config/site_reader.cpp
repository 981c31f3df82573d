// Faults and their places.
#include "config/site_reader.hpp"

#include "base/nearest.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace httpd::config {
namespace {

constexpr std::array<std::string_view, 7> kind_names{"a null",   "a boolean", "an integer number",
                                                     "a fractional number", "a string", "an array",
                                                     "an object"};

std::string_view name_of(json_value::kind kind) noexcept { return kind_names[static_cast<unsigned>(kind)]; }

// "a string", "either a string or an array", "either a string, an array, or an object"
std::string list(kinds allowed) {
  auto left = std::popcount(allowed);
  const bool commas = left > 2;
  std::string text = left > 1 ? "either " : "";
  for (unsigned kind = 0; kind < kind_names.size(); ++kind) {
    if (!(allowed & 1u << kind)) continue;
    append(text, kind_names[kind]);
    if (--left == 0) break;
    append(text, commas ? ", " : " ", left == 1 ? "or " : "");
  }
  return text;
}

}  // namespace

std::string_view site_reader::name() const noexcept {
  const auto named = std::find_if(path_.rbegin(), path_.rend(), [](const step& s) { return s.member; });
  return named == path_.rend() ? std::string_view{} : named->member->name;
}

std::string site_reader::pointer() const {
  std::string text;
  for (const auto& one : path_) {
    text.push_back('/');
    if (!one.member) {
      append(text, one.index);
      continue;
    }
    for (const char c : one.member->name) {
      if (c == '~') text.append("~0");
      else if (c == '/') text.append("~1");
      else text.push_back(c);
    }
  }
  return text;
}

bool site_reader::fail(std::string detail, std::string_view suggestion) {
  error_ = {std::move(detail), pointer(), here().offset, std::string{suggestion}};
  return false;
}

bool site_reader::fail_at_name(std::string detail, std::string_view suggestion) {
  fail(std::move(detail), suggestion);
  if (!path_.empty() && path_.back().member) error_.offset = path_.back().member->offset;
  return false;
}

bool site_reader::fail_at_member(std::string_view name, std::string detail) {
  const auto& members = here().members;
  const auto found = std::ranges::find(members, name, &json_member::name);
  if (found == members.end()) return fail(std::move(detail));
  const inside member{*this, *found};
  return fail(std::move(detail));
}

bool site_reader::fail_unknown(const std::vector<std::string_view>& known) {
  return fail_at_name(concat("Unknown parameter \"", name(), "\"."), nearest_name(name(), known));
}

bool site_reader::expect(const json_value& value, kinds allowed) {
  if (is_one_of(value, allowed)) return true;
  const auto subject =
      path_.empty() ? std::string{"The configuration"} : concat("The \"", name(), "\" value");
  return fail(concat(subject, " must be ", list(allowed), ", but not ", name_of(value.what), "."));
}

}  // namespace httpd::config
