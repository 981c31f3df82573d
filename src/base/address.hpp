// Addresses: where to listen or connect, and who is trusted. Pure text and bytes, no sockets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace httpd {

// An IPv4 or IPv6 address in network byte order; IPv4 sits in the first four bytes.
// IPv4-mapped IPv6 (::ffff:a.b.c.d) is parsed as IPv4, so that rules hold for both spellings.
struct ip_address {
  bool v6 = false;
  std::array<unsigned char, 16> bytes{};

  // "192.0.2.1", "2001:db8::1" or "[2001:db8::1]"; nullopt for anything else.
  static std::optional<ip_address> parse(std::string_view text) noexcept;
  std::string to_string() const;  // no brackets
  bool is_loopback() const noexcept;
  bool operator==(const ip_address&) const = default;
};

// "10.0.0.0/8", "::1", "unix". A bare address is a block of one.
class address_block {
public:
  static std::optional<address_block> parse(std::string_view text) noexcept;
  bool contains(const ip_address&) const noexcept;
  bool is_unix() const noexcept { return unix_; }  // stands for every peer on a Unix socket
  std::string to_string() const;

private:
  ip_address base_;
  unsigned prefix_bits_ = 0;
  bool unix_ = false;
};

// A socket address as a user writes it.
struct endpoint {
  std::string host;         // IPv4, IPv6 without brackets, or a name; "*" = every IPv4 address
  std::uint16_t port = 0;
  std::string unix_path;    // "/path" or "@abstract"; set = a Unix socket, host and port unused

  bool is_unix() const noexcept { return !unix_path.empty(); }
  bool is_loopback() const noexcept;  // reached over TCP, and only from this machine itself
  // "unix:PATH", "HOST:PORT", "[v6]:PORT"
  std::string to_string() const;
  bool operator==(const endpoint&) const = default;
};

// "PORT" (only when default_host is given), "HOST:PORT", "[v6]:PORT", "unix:PATH".
// On failure `reason` says why in a few words. Port 0 is allowed only where asked for.
std::optional<endpoint> parse_endpoint(std::string_view text, std::string_view default_host,
                                       bool port_zero_allowed, std::string& reason);

}  // namespace httpd
