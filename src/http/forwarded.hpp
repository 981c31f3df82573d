// Who the client is behind trusted proxies: X-Forwarded-For, -Proto, -Host (by the reasoning of
// RFC 7239 8.1).
#pragma once

#include "base/address.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace httpd::http {

struct request_head;

// `address` is nullopt for a peer on a Unix socket (trusted when a block is "unix").
bool is_trusted(const std::optional<ip_address>& address, std::span<const address_block> trusted) noexcept;

struct forwarded {
  std::optional<ip_address> client;  // the first untrusted from the right; unset = use the peer
  std::optional<bool> https;         // from the last element of X-Forwarded-Proto; unset = not said
  std::string_view host;             // the last element of X-Forwarded-Host when it is a valid Host
};

// Only for a peer that is_trusted(). Several fields of one name are one list in their order. Ports and
// brackets are removed; junk, "unknown" or an empty element stops the walk at the last good address.
// When every address is trusted, the left-most one is the client.
forwarded read_forwarded(const request_head& head, std::span<const address_block> trusted);

}  // namespace httpd::http
