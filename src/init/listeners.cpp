// Making the listening sockets, and refusing what cannot be had.
#include "init/listeners.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "config/options.hpp"
#include "init/unix_socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace httpd::init {
namespace {

using config::option_error;

constexpr int backlog = 4096;  // the kernel caps it at net.core.somaxconn

[[noreturn]] void refuse(const endpoint& address, std::string_view reason) {
  throw option_error{"--serve", address.to_string(), reason};
}

std::string reason_of(int error) {
  switch (error) {
    case EADDRINUSE: return "in use by another process";
    case EACCES: return "no right to bind (a port below 1024 needs root or CAP_NET_BIND_SERVICE)";
    case EADDRNOTAVAIL: return "no such address on this machine";
    case EAFNOSUPPORT: return "this machine has no IPv6";
    default: return std::strerror(error);
  }
}

void set(int fd, int level, int name) noexcept {
  const int on = 1;
  ::setsockopt(fd, level, name, &on, sizeof on);
}

bool share_port(int fd) noexcept {
  const int on = 1;
  return ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0;
}

struct tcp_address {
  sockaddr_storage raw{};
  socklen_t length = 0;

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&raw); }
  std::uint16_t port() const noexcept {  // at the same place in both families
    return ntohs(reinterpret_cast<const sockaddr_in*>(&raw)->sin_port);
  }
};

// IPv6 switched off shows as either; without IPv6 not even the loopback address is there.
bool family_is_missing(const tcp_address& address, int error) noexcept {
  if (address.raw.ss_family != AF_INET6) return false;
  const auto& ip = reinterpret_cast<const sockaddr_in6*>(&address.raw)->sin6_addr;
  return error == EAFNOSUPPORT ||
         (error == EADDRNOTAVAIL && (IN6_IS_ADDR_UNSPECIFIED(&ip) || IN6_IS_ADDR_LOOPBACK(&ip)));
}

// A bound and listening socket; errno in `error` on failure.
unique_fd open_tcp(const tcp_address& address, bool shared, int& error) {
  unique_fd fd{::socket(address.raw.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (fd) {
    set(fd.get(), SOL_SOCKET, SO_REUSEADDR);
    if (address.raw.ss_family == AF_INET6) set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY);
    if ((!shared || share_port(fd.get())) && ::bind(fd.get(), address.get(), address.length) == 0 &&
        ::listen(fd.get(), backlog) == 0)
      return fd;
  }
  error = errno;
  return {};
}

tcp_address bound_address(int fd) noexcept {
  tcp_address real;
  real.length = sizeof real.raw;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&real.raw), &real.length);
  return real;
}

// One socket per thread. The first is bound alone, so that a port another process serves is refused
// even when that one shares it, and begins to share only then.
std::vector<unique_fd> open_group(tcp_address& address, unsigned threads, int& error) {
  std::vector<unique_fd> group;
  auto first = open_tcp(address, false, error);
  if (!first) return group;
  address = bound_address(first.get());
  group.push_back(std::move(first));
  share_port(group.front().get());
  while (group.size() < threads) {
    auto next = open_tcp(address, true, error);
    if (!next) {
      group.clear();
      return group;
    }
    group.push_back(std::move(next));
  }
  return group;
}

std::vector<tcp_address> resolve(const endpoint& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_family = address.host == "*" ? AF_INET : AF_UNSPEC;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failed = ::getaddrinfo(address.host == "*" ? nullptr : address.host.c_str(),
                                   concat(address.port).c_str(), &hints, &list);
  if (failed) refuse(address, ::gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{list, &::freeaddrinfo};
  std::vector<tcp_address> found;
  for (const addrinfo* item = list; item; item = item->ai_next) {
    auto& made = found.emplace_back();
    std::memcpy(&made.raw, item->ai_addr, item->ai_addrlen);
    made.length = item->ai_addrlen;
  }
  return found;
}

std::string numeric_host(const tcp_address& address) {
  char text[NI_MAXHOST] = "";
  ::getnameinfo(address.get(), address.length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

// Whether somebody still accepts on that path. A socket left behind by a killed process refuses.
bool is_live(const unix_address& address, int& error) noexcept {
  const unique_fd probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (::connect(probe.get(), address.get(), address.length) == 0) return true;
  error = errno;
  return error != ECONNREFUSED && error != ENOENT;
}

// Removes a socket nobody listens on; anything else in its place is refused.
void clear_path(const endpoint& wanted, const unix_address& address) {
  struct stat info{};
  if (wanted.unix_path.front() == '@' || ::lstat(wanted.unix_path.c_str(), &info) != 0) return;
  if (!S_ISSOCK(info.st_mode)) refuse(wanted, "exists and is not a socket");
  int error = 0;
  if (is_live(address, error))
    refuse(wanted, error == 0 || error == EAGAIN ? "in use by another process" : std::strerror(error));
  if (::unlink(wanted.unix_path.c_str()) != 0)
    refuse(wanted, concat("cannot remove the old socket: ", std::strerror(errno)));
}

}  // namespace

socket_file::socket_file(std::string path) : path_{std::move(path)} {
  struct stat info{};
  ::lstat(path_.c_str(), &info);
  device_ = info.st_dev;
  inode_ = info.st_ino;
}
socket_file::socket_file(socket_file&& other) noexcept
    : path_{std::exchange(other.path_, {})}, device_{other.device_}, inode_{other.inode_} {}
socket_file::~socket_file() {
  struct stat info{};
  if (!path_.empty() && ::lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_)
    ::unlink(path_.c_str());
}

listeners::listeners(const std::vector<endpoint>& addresses, unsigned threads) {
  int missing = 0;  // errno of an address of a family that this machine lacks
  const endpoint* missing_address = nullptr;
  for (const auto& address : addresses) {
    if (address.is_unix()) {
      add_unix(address);
    } else if (const int error = add_tcp(address, threads)) {
      missing = error;
      missing_address = &address;
    }
  }
  if (!missing_address) return;
  if (sockets_.empty()) refuse(*missing_address, reason_of(missing));
  log::warning("--serve ", missing_address->to_string(), ": ", reason_of(missing),
               "; the other addresses are served");
}

// 0, or the error when this machine lacks the whole family. A name may have addresses of both.
int listeners::add_tcp(const endpoint& address, unsigned threads) {
  int missing = 0;
  bool any = false;
  for (auto& candidate : resolve(address)) {
    int error = 0;
    auto group = open_group(candidate, threads, error);
    if (group.empty()) {
      if (!family_is_missing(candidate, error)) refuse(address, reason_of(error));
      missing = error;
      continue;
    }
    any = true;
    sockets_.push_back({{numeric_host(candidate), candidate.port(), ""}, std::move(group)});
  }
  return any ? 0 : missing;
}

void listeners::add_unix(const endpoint& wanted) {
  const auto address = make_unix_address(wanted.unix_path);
  if (!address) refuse(wanted, "longer than the 107 bytes a socket's path may have");
  clear_path(wanted, *address);
  unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (::bind(fd.get(), address->get(), address->length) != 0)
    refuse(wanted, errno == EACCES ? "no right to make a socket there" : reason_of(errno));
  if (wanted.unix_path.front() != '@') {
    files_.emplace_back(wanted.unix_path);
    ::chmod(wanted.unix_path.c_str(), 0666);  // a proxy in front runs as somebody else
  }
  if (::listen(fd.get(), backlog) != 0) refuse(wanted, reason_of(errno));
  auto& made = sockets_.emplace_back();
  made.address = wanted;
  made.sockets.push_back(std::move(fd));
}

std::vector<int> listeners::descriptors() const {
  std::vector<int> all;
  for (const auto& group : sockets_)
    for (const auto& fd : group.sockets) all.push_back(fd.get());
  return all;
}

std::string listeners::describe() const {
  std::string text;
  for (const auto& [address, group] : sockets_) {
    if (!text.empty()) text += ' ';
    if (address.is_unix())
      text += address.to_string();
    else
      append(text, "http://", address.to_string(), "/");
  }
  return text;
}

}  // namespace httpd::init
