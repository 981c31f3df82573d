// Addresses, blocks and endpoints: what is read is written and read back as the same.
#include "fuzz/fuzz.hpp"

#include "base/address.hpp"
#include "base/text.hpp"

#include <optional>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

// Four decimal numbers up to 255 without leading zeros.
std::optional<std::uint32_t> read_ipv4(std::string_view text) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const auto dot = text.find('.');
    if ((dot == text.npos) != (i == 3)) return std::nullopt;
    const auto part = text.substr(0, dot);
    const auto number = parse_u64(part);
    if (!number || *number > 255 || part.size() > 3) return std::nullopt;
    if (part.size() > 1 && part[0] == '0') return std::nullopt;
    value = value << 8 | static_cast<std::uint32_t>(*number);
    if (i < 3) text.remove_prefix(dot + 1);
  }
  return value;
}

bool bit_of(const ip_address& address, unsigned i) { return address.bytes[i / 8] >> (7 - i % 8) & 1; }

void check_address(std::string_view text) {
  const auto parsed = ip_address::parse(text);
  const auto plain = read_ipv4(text);
  if (text.find(':') == text.npos) {
    expect(parsed.has_value() == plain.has_value(), "an IPv4 address is four numbers");
    if (plain)
      for (unsigned i = 0; i < 4; ++i)
        expect(parsed->bytes[i] == (*plain >> (24 - 8 * i) & 255), "in their order");
  }
  if (!parsed) return;
  const auto written = parsed->to_string();
  expect(ip_address::parse(written) == parsed, "what is written is read back");
  if (parsed->v6) expect(ip_address::parse(concat('[', written, ']')) == parsed, "brackets change nothing");
  else expect(ip_address::parse("::ffff:" + written) == parsed, "a mapped address is the address");
  expect(parsed->is_loopback() == (parsed->v6 ? written == "::1" : written.starts_with("127.")), "loopback");
}

void check_block(std::string_view text, std::string_view other_text) {
  const auto block = address_block::parse(text);
  if (!block) return;
  const auto written = block->to_string();
  const auto again = address_block::parse(written);
  expect(again && again->to_string() == written, "a block is written and read back");
  const auto other = ip_address::parse(other_text);
  if (block->is_unix()) {
    expect(text == "unix" && !(other && block->contains(*other)), "no address is on a Unix socket");
    return;
  }
  const auto slash = written.find('/');
  const auto base = ip_address::parse(std::string_view{written}.substr(0, slash));
  expect(base && block->contains(*base), "a block has its own base");
  const auto bits = slash == written.npos ? base->v6 ? 128u : 32u
                                          : parse_u64(std::string_view{written}.substr(slash + 1)).value();
  for (auto i = static_cast<unsigned>(bits); i < 128; ++i)
    expect(!bit_of(*base, i), "no host bits in the base");
  if (!other) return;
  bool same = base->v6 == other->v6;
  for (unsigned i = 0; i < bits; ++i) same = same && bit_of(*base, i) == bit_of(*other, i);
  expect(block->contains(*other) == same && again->contains(*other) == same, "who shares the prefix is in");
}

void check_endpoint(std::string_view text, std::string_view default_host, bool zero) {
  std::string reason;
  const auto parsed = parse_endpoint(text, default_host, zero, reason);
  expect(parsed.has_value() == reason.empty(), "a refusal has a reason");
  if (!parsed) return;
  expect(zero || parsed->is_unix() || parsed->port != 0, "port 0 only where it is allowed");
  const auto& path = parsed->unix_path;
  expect(path.find('\0') == path.npos && path.size() <= 107, "a Unix path fits");
  expect(parsed->is_unix() || !parsed->host.empty(), "there is a host");
  const auto again = parse_endpoint(parsed->to_string(), default_host, zero, reason);
  expect(again == parsed, "an endpoint is written and read back");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto flags = from.byte();
  const auto other = from.until('\n');
  const auto text = from.rest();
  check_address(text);
  check_block(text, other);
  check_endpoint(text, flags & 1 ? "127.0.0.1" : "", flags & 2);
}
