// Unix socket addresses. Both "/path" and "@abstract".
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <optional>
#include <string>

namespace httpd::init {

struct unix_address {
  sockaddr_un raw{};
  socklen_t length = 0;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&raw); }
};

// nullopt: longer than the kernel takes (107 bytes).
inline std::optional<unix_address> make_unix_address(const std::string& path) noexcept {
  unix_address made;
  if (path.empty() || path.size() >= sizeof made.raw.sun_path) return std::nullopt;
  made.raw.sun_family = AF_UNIX;
  std::memcpy(made.raw.sun_path, path.data(), path.size());
  made.length = socklen_t(offsetof(sockaddr_un, sun_path) + path.size());
  if (path.front() == '@')
    made.raw.sun_path[0] = '\0';  // abstract: the length counts, no closing NUL
  else
    ++made.length;
  return made;
}

}  // namespace httpd::init
