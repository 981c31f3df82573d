// X-Forwarded-*: against a walk over the list with everything at hand.
#include "fuzz/fields.hpp"

#include "http/forwarded.hpp"

#include <vector>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

constexpr std::string_view names[] = {"X-Forwarded-For", "x-forwarded-for", "X-Forwarded-Proto",
                                      "X-Forwarded-Host", "Forwarded"};

const std::vector<address_block> trusted{address_block::parse("10.0.0.0/8").value(),
                                         address_block::parse("::1").value(),
                                         address_block::parse("fd00::/8").value(),
                                         address_block::parse("unix").value()};

std::vector<std::string_view> elements(const http::request_head& head, std::string_view name) {
  std::vector<std::string_view> all;
  for (const auto& f : head.fields) {
    if (!iequals(f.name, name)) continue;
    std::string_view rest = f.value;
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      all.push_back(trim(rest.substr(0, comma)));
      more = comma != rest.npos;
      if (more) rest.remove_prefix(comma + 1);
    }
  }
  return all;
}

// ADDRESS, IPv4:PORT, [IPv6] or [IPv6]:PORT.
std::optional<ip_address> read_node(std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == text.npos) return std::nullopt;
    port = text.substr(close + 1);
    text = text.substr(0, close + 1);
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    const auto colon = text.find(':');
    port = text.substr(colon);
    text = text.substr(0, colon);
  }
  const auto number = port.empty() ? 0 : parse_u64(port.substr(1)).value_or(65536);
  const bool good_port = port.empty() || (port[0] == ':' && number <= 65535);
  return good_port ? ip_address::parse(text) : std::nullopt;
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto& head = take_fields(from, names);
  const auto said = http::read_forwarded(head, trusted);

  std::optional<ip_address> client;
  const auto nodes = elements(head, "x-forwarded-for");
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto address = read_node(*node);
    if (!address) break;
    client = address;
    const auto has_it = [&](const address_block& block) { return block.contains(*address); };
    const bool is_ours = std::any_of(trusted.begin(), trusted.end(), has_it);
    expect(http::is_trusted(address, trusted) == is_ours, "trusted is who is in a block");
    if (!is_ours) break;
  }
  expect(said.client == client, "the client is the first untrusted from the right");

  const auto schemes = elements(head, "x-forwarded-proto");
  const auto scheme = schemes.empty() ? std::string_view{} : schemes.back();
  expect(said.https == (iequals(scheme, "https")  ? std::optional{true}
                        : iequals(scheme, "http") ? std::optional{false}
                                                  : std::nullopt),
         "the scheme is the last one");
  const auto hosts = elements(head, "x-forwarded-host");
  const bool has_host = !hosts.empty() && http::is_valid_host(hosts.back());
  expect(said.host == (has_host ? hosts.back() : std::string_view{}), "the host is the last, if it is one");
}
