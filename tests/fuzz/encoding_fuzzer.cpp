// Accept-Encoding against a plain reading of RFC 9110 12.5.3.
#include "fuzz/fields.hpp"

#include "http/encoding.hpp"

#include <cmath>
#include <map>

using namespace httpd;
using namespace httpd::fuzz;
using http::coding;

namespace {

constexpr std::string_view names[] = {"Accept-Encoding", "accept-encoding", "Accept-Language"};

// ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ) in thousandths; what is not one is 0.
int read_qvalue(std::string text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 0;
  if (text.size() > 1 && text[1] != '.') return 0;
  if (text.size() > 2 && text.find_first_not_of("0123456789", 2) != text.npos) return 0;
  const auto value = static_cast<int>(std::lround(std::strtod(text.c_str(), nullptr) * 1000));
  return value > 1000 ? 0 : value;
}

int read_weight(std::string_view parameters) {
  const auto text = trim(parameters);
  if (text.empty()) return 1000;
  if (text[0] != ';') return 0;
  const auto inside = trim(text.substr(1));
  const bool has_q = inside.starts_with("q=") || inside.starts_with("Q=");
  return has_q ? read_qvalue(std::string{inside.substr(2)}) : 0;
}

std::map<std::string, int> read_reference(const http::request_head& head) {
  std::map<std::string, int> weights;
  for (const auto& f : head.fields) {
    if (!iequals(f.name, "accept-encoding")) continue;
    std::string_view rest = f.value;
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      const auto item = trim(rest.substr(0, comma));
      more = comma != rest.npos;
      if (more) rest.remove_prefix(comma + 1);
      const auto end = std::min(item.find_first_of("; \t"), item.size());
      std::string name;
      for (const char c : item.substr(0, end)) name += to_lower(c);
      if (name == "x-gzip") name = "gzip";
      weights.emplace(name, read_weight(item.substr(end)));  // the first counts
    }
  }
  return weights;
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const http::coding_set available = from.byte() & 0xe;
  const auto& head = take_fields(from, names);

  const auto weights = read_reference(head);
  const auto weight_of = [&](const std::string& name) {
    if (const auto own = weights.find(name); own != weights.end()) return own->second;
    const auto any = weights.find("*");
    return any == weights.end() ? 0 : any->second;
  };
  auto best = coding::identity;
  int best_weight = 0;
  http::coding_set accepted = 0;
  for (const auto& known : http::stored_codings) {
    const int weight = weight_of(std::string{known.name});
    if (weight > 0) accepted |= http::bit(known.what);
    if ((available & http::bit(known.what)) && weight > best_weight) {
      best = known.what;
      best_weight = weight;
    }
  }
  if (weight_of("identity") > best_weight) best = coding::identity;
  expect(http::accepted_codings(head) == accepted, "what is accepted is what the reference says");
  const auto chosen = http::choose_coding(head, available);
  expect(chosen == best, "what is chosen is what the reference says");
  expect(chosen == coding::identity || (available & accepted & http::bit(chosen)),
         "what is chosen is there and accepted");
}
