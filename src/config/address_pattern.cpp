// Reading address patterns and comparing addresses with them.
#include "config/address_pattern.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace httpd::config {
namespace {

constexpr const char* bad_format = "The \"address\" format is invalid.";
constexpr const char* bad_port = "The \"address\" port an invalid port.";  // so it is in Unit

bool read_port(std::string_view text, std::uint16_t& port) noexcept {
  const auto number = parse_u64(text);
  if (!number || *number > 65535) return false;
  port = static_cast<std::uint16_t>(*number);
  return true;
}

// Bytes in network order compare as the numbers do.
bool in_range(const ip_address& address, const ip_address& first, const ip_address& last) noexcept {
  return address.v6 == first.v6 && first.bytes <= address.bytes && address.bytes <= last.bytes;
}

}  // namespace

std::optional<address_pattern> address_pattern::parse(std::string_view text, std::string& error) {
  address_pattern result;
  if (text.starts_with('!')) {
    result.negated_ = true;
    text.remove_prefix(1);
  }
  const char* fault = nullptr;
  if (text == "unix") {
    result.hosts_ = address_block::parse(text).value();
  } else if (text.size() < 2) {
    fault = "The \"address\" is too short.";
  } else if (text.starts_with("*:")) {
    fault = result.read_ports(text.substr(2));
  } else {
    // An IPv6 address without brackets has no port, for every colon is its own.
    const bool bare_v6 = !text.starts_with('[') && text.find(':') != text.rfind(':');
    const auto colon = bare_v6 ? text.npos : text.rfind(':');
    auto hosts = text.substr(0, colon);
    if (text.starts_with('[')) {
      const bool closed = colon != text.npos && hosts.size() > 2 && hosts.back() == ']';
      hosts = closed ? hosts.substr(1, hosts.size() - 2) : std::string_view{};
      if (hosts.find(':') == hosts.npos) fault = bad_format;
    }
    if (!fault) fault = result.read_hosts(hosts);
    if (!fault && colon != text.npos) fault = result.read_ports(text.substr(colon + 1));
  }
  if (!fault) return result;
  error = fault;
  return std::nullopt;
}

// nullptr, or the message.
const char* address_pattern::read_hosts(std::string_view text) {
  if (text.find_first_of("[]") != text.npos) return bad_format;
  if (const auto dash = text.find('-'); dash != text.npos) {
    const auto first = ip_address::parse(text.substr(0, dash));
    const auto last = ip_address::parse(text.substr(dash + 1));
    if (!first || !last || first->v6 != last->v6) return bad_format;
    if (first->bytes > last->bytes) return "The \"address\" range is overlapping.";
    hosts_ = range{*first, *last};
    return nullptr;
  }
  if (!ip_address::parse(text.substr(0, text.find('/')))) return bad_format;
  const auto block = address_block::parse(text);
  if (!block) return "The \"address\" has an invalid CIDR prefix.";
  hosts_ = *block;
  return nullptr;
}

const char* address_pattern::read_ports(std::string_view text) {
  if (text.empty()) return bad_format;
  const auto dash = text.find('-');
  if (!read_port(text.substr(0, dash), first_port_)) return bad_port;
  last_port_ = first_port_;
  if (dash == text.npos) return nullptr;
  return read_port(text.substr(dash + 1), last_port_) && first_port_ <= last_port_ ? nullptr : bad_port;
}

bool address_pattern::matches(const socket_end& end) const noexcept {
  const auto* block = std::get_if<address_block>(&hosts_);
  if (!end.address) return block && block->is_unix();
  if (end.port < first_port_ || end.port > last_port_) return false;
  if (block) return block->contains(*end.address);
  const auto* between = std::get_if<range>(&hosts_);
  return !between || in_range(*end.address, between->first, between->last);
}

bool address_patterns::add(std::string_view text, std::string& error) {
  const auto pattern = address_pattern::parse(text, error);
  if (!pattern) return false;
  auto& list = pattern->is_negated() ? negated_ : positive_;
  list.push_back(*pattern);
  return true;
}

bool address_patterns::matches(const socket_end& end) const noexcept {
  const auto matching = [&end](const address_pattern& pattern) { return pattern.matches(end); };
  if (std::any_of(negated_.begin(), negated_.end(), matching)) return false;
  if (positive_.empty()) return !negated_.empty();
  return std::any_of(positive_.begin(), positive_.end(), matching);
}

}  // namespace httpd::config
