// Patterns, addresses, templates and the lists of a request, each against a plain reading of its rules.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "config/address_pattern.hpp"
#include "config/match.hpp"

#include <vector>

using namespace httpd;
using namespace httpd::config;
using namespace httpd::fuzz;

namespace {

// A byte of a pattern as it is compared; -1 is a star.
using reference_pattern = std::vector<int>;

int hex(char c) {
  const std::string_view digits = "0123456789abcdef";
  const auto at = digits.find(to_lower(c));
  return at == digits.npos ? -1 : static_cast<int>(at);
}

bool is_encoded(pattern_kind kind) {
  return kind == pattern_kind::uri || kind == pattern_kind::query || kind == pattern_kind::argument;
}

// False: refused. The text has no "!" or "~" before it.
bool read_reference(std::string_view text, pattern_kind kind, reference_pattern& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '*') {
      if (i > 0 && text[i - 1] == '*') return false;
      out.push_back(-1);
    } else if (byte == '%' && is_encoded(kind)) {
      if (text.size() - i < 3 || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return false;
      out.push_back(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else if (byte == '+' && is_encoded(kind) && kind != pattern_kind::uri) {
      out.push_back(' ');
    } else {
      out.push_back(byte);
    }
  }
  return true;
}

int folded(int byte, pattern_kind kind, bool of_value) {
  const bool ignores =
      kind == pattern_kind::method || kind == pattern_kind::header || kind == pattern_kind::type;
  if (!ignores && (kind != pattern_kind::host || of_value)) return byte;
  return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

// Row by row: reached[j] = the pattern so far can be the first j bytes of the value.
bool reference_matches(const reference_pattern& pattern, std::string_view value, pattern_kind kind) {
  std::vector<bool> reached(value.size() + 1);
  reached[0] = true;
  for (const int wanted : pattern) {
    std::vector<bool> next(value.size() + 1);
    for (std::size_t j = 0; j <= value.size(); ++j) {
      if (wanted < 0) next[j] = reached[j] || (j > 0 && next[j - 1]);
      else
        next[j] = j > 0 && reached[j - 1] &&
                  folded(wanted, kind, false) == folded(static_cast<unsigned char>(value[j - 1]), kind, true);
    }
    reached = next;
  }
  return reached.back();
}

void check_pattern(std::string_view text, std::string_view value, pattern_kind kind) {
  std::string error;
  const auto pattern = string_pattern::parse(text, kind, error);
  expect(pattern.has_value() == error.empty(), "a refused pattern has a message");
  const bool negated = text.starts_with('!');
  const auto rest = text.substr(negated ? 1 : 0);
  string_patterns list{kind};
  expect(list.add(text, error) == pattern.has_value(), "a list takes what is a pattern");
  if (!pattern) {
    expect(list.matches(value) == verdict::yes, "what was refused is not in the list");
    if (rest.starts_with('~')) expect(error.starts_with("Invalid regular expression: "), "PCRE2 says why");
  }
  reference_pattern reference;
  const bool is_regex = rest.starts_with('~');
  const bool readable = is_regex || read_reference(rest, kind, reference);
  if (!is_regex) expect(pattern.has_value() == readable, "a pattern is refused for a reason");
  if (!pattern) return;
  expect(pattern->is_negated() == negated, "only the first byte negates");
  const auto found = pattern->matches(value);
  if (!is_regex) {
    const auto wanted = reference_matches(reference, value, kind) ? verdict::yes : verdict::no;
    expect(found == wanted, "a wildcard matches what the reference matches");
  }
  const auto in_list = found == verdict::undecided ? found
                       : (found == verdict::yes) != negated ? verdict::yes : verdict::no;
  expect(list.matches(value) == in_list, "a list of one negates it");
}

// Every variable as "${name}", which is what a template that was read in this spelling gives back.
class spelled : public variable_source {
public:
  bool append(variable what, std::string_view name, std::string& out) const override {
    httpd::append(out, "${", name_of(what), name, '}');
    return true;
  }
};

bool is_letter(char c) { return (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '_'; }

// The text with every variable as spelled writes it; false: a variable without a name, at `position`.
bool respell(std::string_view text, std::string& out, std::size_t& position) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      out += text[i++];
      continue;
    }
    position = i++;
    const bool braced = i < text.size() && text[i] == '{';
    if (braced) ++i;
    std::string name;
    while (i < text.size() && is_letter(text[i])) name += text[i++];
    if (name.empty() || (braced && (i == text.size() || text[i++] != '}'))) return false;
    for (const std::string_view prefix : {"header_", "response_header_"}) {
      if (!name.starts_with(prefix)) continue;
      for (auto at = prefix.size(); at < name.size(); ++at)
        name[at] = name[at] == '_' ? '-' : to_lower(name[at]);
    }
    if (name == "dollar") out += '$';
    else append(out, "${", name, '}');
  }
  return true;
}

void check_template(std::string_view text) {
  std::string error;
  const auto read = text_template::parse(text, "key", error);
  expect(read.has_value() == error.empty(), "a refused template has a message");
  std::string wanted;
  std::size_t position = 0;
  const bool well_formed = respell(text, wanted, position);
  if (!read) {
    const bool is_javascript = text.starts_with('`');
    const bool is_unknown = error.starts_with("Unknown variable \"");
    const auto invalid = concat("Invalid variable at position ", position, " in the \"key\" value.");
    expect(is_javascript || is_unknown || (!well_formed && error == invalid), "for the right reason");
    return;
  }
  expect(well_formed, "what is read is well-formed");
  std::string out;
  read->render(spelled{}, out);
  expect(out == wanted, "the parts are the text");
  expect(!read->is_constant() || read->constant_text() == wanted, "a constant is its text");
  std::string log, json, wanted_json;
  read->render(spelled{}, log, rendering::log);
  expect(log == wanted, "names need no escape in a log");
  read->render(spelled{}, json, rendering::json);
  append_json(wanted_json, wanted);
  if (read->is_constant()) expect(json == wanted_json, "JSON is escaped");
}

void check_lists(std::string_view query, std::string_view other) {
  std::string buffer, joined;
  field pair;
  for (argument_reader pairs{query}; pairs.next(pair);) {
    expect(!pair.name.empty() || !pair.value.empty(), "empty pairs are left out");
    const auto name = std::string{decode_argument(pair.name, buffer)};
    expect(decodes_to(pair.name, name), "a name decodes to what it is decoded to");
    expect(decodes_to(pair.name, other) == (name == other), "and to nothing else");
    std::string last;
    expect(append_argument(query, name, last), "an argument is found by its name");
  }
  const field headers[] = {{"Cookie", query}, {"cookie", other}};
  for (cookie_reader pairs{headers}; pairs.next(pair);) {
    std::string first;
    expect(append_cookie(headers, pair.name, first), "a cookie is found by its name");
  }
  const auto host = host_to_match(query, buffer);
  expect(host.size() <= query.size(), "a host only loses");
  std::string again;
  if (!query.starts_with('[') && !host.ends_with('.'))
    expect(host_to_match(host, again) == host, "a host that is compared stays as it is");
}

void check_address(std::string_view text, std::string_view other) {
  std::string error;
  const auto pattern = address_pattern::parse(text, error);
  expect(pattern.has_value() == error.empty(), "a refused address has a message");
  const auto address = ip_address::parse(other);
  if (!pattern) return;
  expect(pattern->matches({}) == (text == "unix" || text == "!unix"), "only unix is a Unix socket");
  if (const auto same = ip_address::parse(text); same && !text.starts_with('['))
    expect(pattern->matches({same, 1}) && (!address || pattern->matches({address, 1}) == (address == same)),
           "an address is that address");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto kind = static_cast<pattern_kind>(from.byte() % 8);
  const auto value = from.until('\n');
  const auto text = from.rest();
  check_pattern(text, value, kind);
  check_template(text);
  check_lists(text, value);
  check_address(text, value);
}
