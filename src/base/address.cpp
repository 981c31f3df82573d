// Addresses: reading and writing them as text, and blocks of them.
#include "base/address.hpp"

#include "base/text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace httpd {
namespace {

constexpr std::size_t longest_unix_path = 107;  // sun_path of sockaddr_un less its NUL
constexpr std::size_t longest_name = 253;       // RFC 1035 3.1 as text
constexpr std::array<unsigned char, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool read_bytes(int family, std::string_view text, unsigned char* out) noexcept {
  char buffer[INET6_ADDRSTRLEN];
  if (text.size() >= sizeof buffer || text.find('\0') != text.npos) return false;
  text.copy(buffer, text.size());  // no memcpy: an empty view may be null
  buffer[text.size()] = '\0';
  return ::inet_pton(family, buffer, out) == 1;
}

bool same_bits(const ip_address& a, const ip_address& b, unsigned bits) noexcept {
  const unsigned whole = bits / 8;
  if (!std::equal(a.bytes.begin(), a.bytes.begin() + whole, b.bytes.begin())) return false;
  if (bits % 8 == 0) return true;
  const unsigned mask = 0xff00u >> (bits % 8) & 0xffu;
  return ((a.bytes[whole] ^ b.bytes[whole]) & mask) == 0;
}

void clear_host_bits(ip_address& a, unsigned bits) noexcept {
  for (unsigned i = 0; i < a.bytes.size(); ++i) {
    const unsigned kept = bits > 8 * i ? std::min(bits - 8 * i, 8u) : 0;
    a.bytes[i] = static_cast<unsigned char>(a.bytes[i] & (0xff00u >> kept & 0xffu));
  }
}

bool is_name_character(char c) noexcept {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '-' || c == '.' || c == '_';
}

// Why `host` cannot be one, or nullptr. Names that end in a number are IPv4 addresses or mistakes.
const char* fault_of_host(std::string_view host) noexcept {
  if (host.empty()) return "no host before the port (* is every IPv4 address)";
  if (host == "*") return nullptr;
  if (host.find(':') != host.npos) return "an IPv6 address needs brackets: [ADDRESS]:PORT";
  if (host.size() > longest_name) return "the host name is too long";
  if (!std::all_of(host.begin(), host.end(), is_name_character)) return "not a host name";
  const std::string_view last = host.substr(host.rfind('.') + 1);  // npos + 1 is 0
  const bool ends_in_number = !last.empty() && std::all_of(last.begin(), last.end(), is_digit);
  if (ends_in_number && !ip_address::parse(host)) return "not an IPv4 address";
  return nullptr;
}

const char* read_port(std::string_view text, bool zero_allowed, std::uint16_t& port) noexcept {
  if (text.empty()) return "no port";
  const auto number = parse_u64(text);
  if (!number || *number > 65535) return "the port must be a number up to 65535";
  if (*number == 0 && !zero_allowed) return "port 0 is not allowed here";
  port = static_cast<std::uint16_t>(*number);
  return nullptr;
}

const char* read_unix(std::string_view path, endpoint& out) {
  if (path.empty() || (path.front() != '/' && path.front() != '@'))
    return "a Unix socket is unix:/PATH or unix:@NAME";
  if (path.size() == 1) return "the Unix socket has no name";
  if (path.size() > longest_unix_path) return "the Unix socket path is longer than 107 bytes";
  if (path.find('\0') != path.npos) return "a NUL byte in the Unix socket path";
  out.unix_path = path;
  return nullptr;
}

const char* read_bracketed(std::string_view text, bool port_zero_allowed, endpoint& out) {
  const std::size_t close = text.find(']');
  if (close == text.npos) return "no ] after the IPv6 address";
  const std::string_view inside = text.substr(1, close - 1);
  const auto address = ip_address::parse(inside);
  if (!address || inside.find(':') == inside.npos) return "not an IPv6 address between the brackets";
  out.host = address->to_string();
  const std::string_view rest = text.substr(close + 1);
  if (rest.empty() || rest.front() != ':') return "no port after the brackets";
  return read_port(rest.substr(1), port_zero_allowed, out.port);
}

const char* read_endpoint(std::string_view text, std::string_view default_host, bool port_zero_allowed,
                          endpoint& out) {
  if (text.empty()) return "it is empty";
  if (text.starts_with("unix:")) return read_unix(text.substr(5), out);
  if (text.front() == '/' || text.front() == '@') return "a Unix socket is written unix:PATH";
  if (text.front() == '[') return read_bracketed(text, port_zero_allowed, out);
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) {
    if (default_host.empty() || !std::all_of(text.begin(), text.end(), is_digit))
      return "no port (HOST:PORT)";
    out.host = default_host;
    return read_port(text, port_zero_allowed, out.port);
  }
  if (const char* fault = fault_of_host(text.substr(0, colon))) return fault;
  out.host = text.substr(0, colon);
  return read_port(text.substr(colon + 1), port_zero_allowed, out.port);
}

}  // namespace

std::optional<ip_address> ip_address::parse(std::string_view text) noexcept {
  ip_address result;
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  if (bracketed) text = text.substr(1, text.size() - 2);
  if (text.find(':') == text.npos) {
    if (bracketed || !read_bytes(AF_INET, text, result.bytes.data())) return std::nullopt;
    return result;
  }
  std::array<unsigned char, 16> bytes{};
  if (!read_bytes(AF_INET6, text, bytes.data())) return std::nullopt;
  result.v6 = !std::equal(mapped_prefix.begin(), mapped_prefix.end(), bytes.begin());
  if (result.v6) result.bytes = bytes;
  else std::copy(bytes.begin() + 12, bytes.end(), result.bytes.begin());
  return result;
}

std::string ip_address::to_string() const {
  char buffer[INET6_ADDRSTRLEN];
  return ::inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), buffer, sizeof buffer);
}

bool ip_address::is_loopback() const noexcept {
  if (!v6) return bytes[0] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.end() - 1, [](auto b) { return b == 0; });
}

std::optional<address_block> address_block::parse(std::string_view text) noexcept {
  address_block block;
  if (text == "unix") {
    block.unix_ = true;
    return block;
  }
  const std::size_t slash = text.find('/');
  const std::string_view address = text.substr(0, slash);
  const auto base = ip_address::parse(address);
  if (!base) return std::nullopt;
  const bool mapped = !base->v6 && address.find(':') != address.npos;
  std::uint64_t bits = base->v6 ? 128 : 32;
  if (slash != text.npos) {
    const auto given = parse_u64(text.substr(slash + 1));
    const std::uint64_t written_before = mapped ? 96 : 0;  // the prefix of ::ffff:0:0 is not kept
    if (!given || *given < written_before || *given - written_before > bits) return std::nullopt;
    bits = *given - written_before;
  }
  block.base_ = *base;
  block.prefix_bits_ = static_cast<unsigned>(bits);
  clear_host_bits(block.base_, block.prefix_bits_);
  return block;
}

bool address_block::contains(const ip_address& address) const noexcept {
  return !unix_ && address.v6 == base_.v6 && same_bits(address, base_, prefix_bits_);
}

std::string address_block::to_string() const {
  if (unix_) return "unix";
  if (prefix_bits_ == (base_.v6 ? 128u : 32u)) return base_.to_string();
  return concat(base_.to_string(), '/', prefix_bits_);
}

bool endpoint::is_loopback() const noexcept {
  if (is_unix()) return false;
  const auto address = ip_address::parse(host);
  return address ? address->is_loopback() : host == "localhost";
}

std::string endpoint::to_string() const {
  if (is_unix()) return concat("unix:", unix_path);
  if (host.find(':') != host.npos) return concat('[', host, "]:", port);
  return concat(host, ':', port);
}

std::optional<endpoint> parse_endpoint(std::string_view text, std::string_view default_host,
                                       bool port_zero_allowed, std::string& reason) {
  endpoint result;
  if (const char* fault = read_endpoint(text, default_host, port_zero_allowed, result)) {
    reason = fault;
    return std::nullopt;
  }
  return result;
}

}  // namespace httpd
