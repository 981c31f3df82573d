// Patterns: splitting at the stars, decoding the pieces, and finding them again in a value.
#include "config/string_pattern.hpp"

#include "base/percent.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace httpd::config {
namespace {

constexpr bool ignores_case(pattern_kind kind) noexcept {
  return kind == pattern_kind::method || kind == pattern_kind::header || kind == pattern_kind::type;
}

constexpr bool is_encoded(pattern_kind kind) noexcept {
  return kind == pattern_kind::uri || kind == pattern_kind::query || kind == pattern_kind::argument;
}

constexpr std::string_view name_of_encoded(pattern_kind kind) noexcept {
  if (kind == pattern_kind::uri) return "uri";
  return kind == pattern_kind::query ? "query" : "arguments";
}

bool equal(std::string_view a, std::string_view b, bool ignore_case) noexcept {
  return ignore_case ? iequals(a, b) : a == b;
}

std::size_t find(std::string_view text, std::string_view piece, bool ignore_case) noexcept {
  if (!ignore_case) return text.find(piece);
  const auto same = [](char a, char b) { return to_lower(a) == to_lower(b); };
  const auto at = std::search(text.begin(), text.end(), piece.begin(), piece.end(), same);
  return at == text.end() ? text.npos : static_cast<std::size_t>(at - text.begin());
}

// One piece between stars as it is compared. nullopt: a broken escape.
std::optional<std::string> read_piece(std::string_view text, pattern_kind kind) {
  std::string piece;
  piece.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && is_encoded(kind) && kind != pattern_kind::uri) c = ' ';
    else if (is_encoded(kind) && !decode_at(text, i, c)) return std::nullopt;
    piece.push_back(kind == pattern_kind::host ? to_lower(c) : c);
  }
  return piece;
}

}  // namespace

std::optional<string_pattern> string_pattern::parse(std::string_view text, pattern_kind kind,
                                                    std::string& error) {
  string_pattern result;
  result.ignore_case_ = ignores_case(kind);
  if (text.starts_with('!')) {
    result.negated_ = true;
    text.remove_prefix(1);
  }
  if (text.starts_with('~')) {
    const bool one_case = kind == pattern_kind::host || kind == pattern_kind::method;
    result.regex_ = regex::compile(text.substr(1), one_case, error);
    if (!result.regex_) return std::nullopt;
  } else if (text.find("**") != text.npos) {
    error = "The \"match\" pattern must not contain double \"*\" markers.";
    return std::nullopt;
  } else if (!result.read_pieces(text, kind, error)) {
    return std::nullopt;
  }
  return result;
}

bool string_pattern::read_pieces(std::string_view text, pattern_kind kind, std::string& error) {
  exact_ = text.find('*') == text.npos;
  for (bool first = true, last = false; !last; first = false) {
    const auto star = text.find('*');
    last = star == text.npos;
    auto piece = read_piece(text.substr(0, star), kind);
    if (!piece) {
      error = concat("The \"match\" pattern for \"", name_of_encoded(kind), "\" is encoded but is invalid.");
      return false;
    }
    if (first) prefix_ = std::move(*piece);
    else if (last) suffix_ = std::move(*piece);
    else middles_.push_back(std::move(*piece));  // not empty, for there is no "**"
    if (!last) text.remove_prefix(star + 1);
  }
  return true;
}

verdict string_pattern::matches(std::string_view value) const noexcept {
  if (regex_) return regex_->search(value);
  return matches_wildcard(value) ? verdict::yes : verdict::no;
}

// The left-most place is the best for every piece in the middle: it leaves most to the ones after it.
bool string_pattern::matches_wildcard(std::string_view value) const noexcept {
  if (exact_) return equal(value, prefix_, ignore_case_);
  if (value.size() < prefix_.size() + suffix_.size()) return false;
  const auto end = value.size() - suffix_.size();
  if (!equal(value.substr(0, prefix_.size()), prefix_, ignore_case_)) return false;
  if (!equal(value.substr(end), suffix_, ignore_case_)) return false;
  value = value.substr(prefix_.size(), end - prefix_.size());
  for (const auto& piece : middles_) {
    const auto at = find(value, piece, ignore_case_);
    if (at == value.npos) return false;
    value.remove_prefix(at + piece.size());
  }
  return true;
}

bool string_patterns::add(std::string_view text, std::string& error) {
  auto pattern = string_pattern::parse(text, kind_, error);
  if (!pattern) return false;
  auto& list = pattern->is_negated() ? negated_ : positive_;
  list.push_back(std::move(*pattern));
  return true;
}

verdict string_patterns::matches(std::string_view value) const noexcept {
  for (const auto& pattern : negated_) {
    const auto found = pattern.matches(value);
    if (found == verdict::yes) return verdict::no;
    if (found == verdict::undecided) return found;
  }
  for (const auto& pattern : positive_)
    if (const auto found = pattern.matches(value); found != verdict::no) return found;
  return positive_.empty() ? verdict::yes : verdict::no;
}

}  // namespace httpd::config
