// The kernel's socket addresses to ours.
#pragma once

#include "base/address.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <optional>

namespace httpd::server {

// nullopt for a Unix socket. IPv4-mapped addresses become IPv4, as ip_address::parse() has it.
inline std::optional<ip_address> to_ip_address(const sockaddr_storage& from, std::uint16_t* port = nullptr) {
  ip_address result;
  if (from.ss_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, &from, sizeof in);
    std::memcpy(result.bytes.data(), &in.sin_addr, 4);
    if (port) *port = ntohs(in.sin_port);
    return result;
  }
  if (from.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in6;
  std::memcpy(&in6, &from, sizeof in6);
  if (port) *port = ntohs(in6.sin6_port);
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr);
  result.v6 = !mapped;
  std::memcpy(result.bytes.data(), in6.sin6_addr.s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
  return result;
}

}  // namespace httpd::server
