// Accept-Encoding: weights of the codings we know, and the choice among stored variants. No I/O.
#include "http/encoding.hpp"

#include "base/text.hpp"
#include "http/request_head.hpp"

#include <optional>

namespace httpd::http {
namespace {

constexpr int unlisted = -1;

// In thousandths, as RFC 9110 12.4.2 has three digits.
struct weights {
  std::array<int, 4> listed{unlisted, unlisted, unlisted, unlisted};
  int any = unlisted;  // of "*"

  // identity that is not mentioned is acceptable, but after everything that was asked for: 0.
  int of(coding c) const noexcept {
    const int own = listed[unsigned(c)];
    if (own != unlisted) return own;
    return any == unlisted ? 0 : any;
  }
};

// OWS ";" OWS "q=" qvalue, what follows the name. A weight that does not parse is 0: a plain answer
// is right for every client.
int parse_weight(std::string_view text) noexcept {
  text = trim(text);
  if (text.empty()) return 1000;
  if (text.front() != ';') return 0;
  text = trim(text.substr(1));
  if (text.size() < 3 || to_lower(text[0]) != 'q' || text[1] != '=') return 0;
  text.remove_prefix(2);
  if (text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 0;
  if (text.size() > 1 && text[1] != '.') return 0;
  int value = text[0] == '1' ? 1000 : 0;
  int unit = 100;
  for (const char c : text.substr(text.size() > 1 ? 2 : 1)) {
    if (!is_digit(c)) return 0;
    value += unit * (c - '0');
    unit /= 10;
  }
  return value <= 1000 ? value : 0;
}

std::optional<coding> coding_named(std::string_view name) noexcept {
  if (iequals(name, "identity")) return coding::identity;
  if (iequals(name, "x-gzip")) return coding::gzip;  // RFC 9110 8.4.1.3
  for (const auto& known : stored_codings)
    if (iequals(name, known.name)) return known.what;
  return std::nullopt;
}

// Of several mentions of one coding the first counts.
weights read_weights(const request_head& head) noexcept {
  weights result;
  for (const auto& field : head.fields) {
    if (!iequals(field.name, "Accept-Encoding")) continue;
    for (auto list = field.value; !list.empty();) {
      const auto item = next_in_list(list);
      const auto end = item.find_first_of("; \t");
      const auto name = item.substr(0, end);
      int* slot = nullptr;
      if (name == "*") slot = &result.any;
      else if (const auto known = coding_named(name)) slot = &result.listed[unsigned(*known)];
      if (slot && *slot == unlisted) *slot = parse_weight(end == item.npos ? "" : item.substr(end));
    }
  }
  return result;
}

}  // namespace

coding_set accepted_codings(const request_head& head) noexcept {
  const auto weight = read_weights(head);
  coding_set result = 0;
  for (const auto& known : stored_codings)
    if (weight.of(known.what) > 0) result |= bit(known.what);
  return result;
}

coding choose_coding(const request_head& head, coding_set available) noexcept {
  const auto weight = read_weights(head);
  auto best = coding::identity;
  int best_weight = 0;
  for (const auto& known : stored_codings) {
    const int own = weight.of(known.what);
    if (!(available & bit(known.what)) || own <= best_weight) continue;
    best = known.what;
    best_weight = own;
  }
  return weight.of(coding::identity) > best_weight ? coding::identity : best;
}

}  // namespace httpd::http
