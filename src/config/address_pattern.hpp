// Unit's address patterns: "source" and "destination" of a match, "source" of "forwarded". Nothing here
// allocates when an address is tested.
//
//   "10.0.0.1"  "10.0.0.0/8"  "10.0.0.1-10.0.0.9"      each with ":PORT" or ":FIRST-LAST" after it
//   "2001:db8::/32"  "[2001:db8::1]:80"                IPv6 is in brackets exactly when a port follows
//   "*:80"                                             any address, IPv6 too
//   "unix"                                             whoever is on a Unix socket; no other pattern is
//   "!..."                                             not: see address_patterns
#pragma once

#include "base/address.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace httpd::config {

// One end of a connection. IPv4-mapped addresses are IPv4 (base/address.hpp).
struct socket_end {
  std::optional<ip_address> address;  // unset: a Unix socket
  std::uint16_t port = 0;
};

class address_pattern {
public:
  // nullopt: `error` is Unit's message for it, word for word.
  //   The "address" is too short.              The "address" format is invalid.
  //   The "address" port an invalid port.      The "address" range is overlapping.
  //   The "address" has an invalid CIDR prefix.
  static std::optional<address_pattern> parse(std::string_view text, std::string& error);

  bool is_negated() const noexcept { return negated_; }
  // Whether the part after "!" matches; is_negated() is left to the caller.
  bool matches(const socket_end&) const noexcept;

private:
  struct any {};
  struct range {
    ip_address first, last;  // both included, of one family
  };

  const char* read_hosts(std::string_view text);
  const char* read_ports(std::string_view text);

  bool negated_ = false;
  std::variant<any, address_block, range> hosts_;
  std::uint16_t first_port_ = 0, last_port_ = 65535;
};

// The rule of string_patterns, except that an empty array lets nobody pass, as in Unit.
class address_patterns {
public:
  // Once per element of the array. False: nothing was added, `error` as above.
  bool add(std::string_view text, std::string& error);
  bool matches(const socket_end&) const noexcept;

private:
  std::vector<address_pattern> negated_, positive_;
};

}  // namespace httpd::config
