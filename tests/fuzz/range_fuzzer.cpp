// Range: against a plain reading of RFC 9110 14 that marks every byte asked for.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "http/range.hpp"

#include <bitset>

using namespace httpd;
using namespace httpd::fuzz;
using kind = http::range_result::kind;

namespace {

constexpr unsigned longest = 255;
constexpr std::uint64_t huge = ~std::uint64_t{0};

struct wish {
  bool well_formed = false;
  std::bitset<longest + 1> bytes;
};

bool read_number(std::string_view text, std::uint64_t& out) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return false;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  constexpr std::string_view most = "18446744073709551615";
  const bool beyond = text.size() > most.size() || (text.size() == most.size() && text > most);
  out = beyond ? huge : std::stoull(concat('0', text));
  return true;
}

bool add_spec(std::string_view text, unsigned length, wish& to) {
  const auto dash = text.find('-');
  if (dash == text.npos) return false;
  std::uint64_t first = 0, last = huge;
  if (dash + 1 < text.size() && !read_number(text.substr(dash + 1), last)) return false;
  if (dash == 0) {
    if (text.size() == 1) return false;
    first = last >= length ? 0 : length - last;
    last = huge;
  } else if (!read_number(text.substr(0, dash), first) || first > last) {
    return false;
  }
  for (std::uint64_t i = first; i < length && i <= last; ++i) to.bytes.set(i);
  return true;
}

wish read_reference(std::string_view value, unsigned length) {
  wish result;
  value = trim(value);
  if (value.size() < 6 || !iequals(value.substr(0, 6), "bytes=")) return result;
  unsigned count = 0;
  std::string_view rest = value.substr(6);
  for (bool more = true; more;) {
    const auto comma = rest.find(',');
    const auto item = trim(rest.substr(0, comma));
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
    if (item.empty()) continue;
    if (!add_spec(item, length, result)) return {};
    ++count;
  }
  result.well_formed = count > 0 && count <= 64;
  return result;
}

void check(const http::range_result& result, std::uint64_t length) {
  expect(result.ranges.empty() == (result.what != kind::partial), "ranges only when there are some");
  expect(result.ranges.size() <= 64, "at most 64 ranges");
  for (std::size_t i = 0; i < result.ranges.size(); ++i) {
    const auto& one = result.ranges[i];
    expect(one.first <= one.last && one.last < length, "a range is inside");
    for (std::size_t j = 0; j < i; ++j) {
      const auto& other = result.ranges[j];
      expect(one.last + 1 < other.first || other.last + 1 < one.first, "ranges neither overlap nor touch");
    }
  }
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const unsigned length = from.byte();
  const auto shift = from.byte() % 57;
  const auto value = from.rest();

  const auto result = http::parse_range(value, length);
  check(result, length);
  const auto expected = read_reference(value, length);
  if (!expected.well_formed) {
    expect(result.what == kind::whole, "what is malformed is ignored");
  } else {
    const bool none = expected.bytes.none();
    expect(result.what == (none ? kind::unsatisfiable : kind::partial), "satisfiable or not");
    std::bitset<longest + 1> sent;
    for (const auto& one : result.ranges)
      for (auto i = one.first; i <= one.last; ++i) sent.set(i);
    expect(sent == expected.bytes, "what is sent is what was asked for");
  }
  // Lengths up to 2^64 - 1.
  const auto large = std::uint64_t{length} << shift | ((std::uint64_t{1} << shift) - 1);
  check(http::parse_range(value, large), large);
}
