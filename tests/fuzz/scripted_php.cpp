// Sockets of the scripted PHP. It reads all the time, as no php-fpm does: what matters is what it writes.
#include "fuzz/scripted_php.hpp"

#include "fastcgi/record.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

namespace httpd::fuzz {

unique_fd listen_for_php(const std::string& path) {
  unique_fd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const bool listens =
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket.get(), 64) == 0;
  expect(listens, "a socket for PHP");
  return socket;
}

void append_records(std::string& out, std::string_view text, std::size_t most) {
  while (!text.empty()) {
    const bool message = text.starts_with('!');
    const auto line_end = text.find(message ? "\n" : "\n!");
    const auto size = std::min(line_end == text.npos ? text.size() : line_end + 1, most);
    using type = fastcgi::record_type;
    fastcgi::append_header(out, message ? type::stderr_ : type::stdout_, size);
    out += text.substr(0, size);
    text.remove_prefix(size);
  }
  fastcgi::append_header(out, fastcgi::record_type::end_request, 8);
  out.append(8, '\0');
}

bool scripted_php::accept_one() {
  unique_fd socket{::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!socket) return false;
  std::string_view script;
  if (!scripts_.empty()) script = scripts_[std::min(connections_.size(), scripts_.size() - 1)];
  std::string bytes;
  if (script.starts_with('+')) append_records(bytes, script.substr(1), 41);
  else bytes = script;
  auto& c = *connections_.emplace_back(new connection{std::move(socket), std::move(bytes), {{}, 0}});
  c.pieces = cutter{c.bytes, seed_};
  return true;
}

bool scripted_php::read_some(connection& c) {
  char buffer[8 * 1024];
  const auto n = ::recv(c.socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return n > 0;
  c.ended = true;
  c.socket.reset();
  return true;
}

bool scripted_php::send_some(connection& c) {
  if (c.unsent.empty()) {
    if (c.pieces.empty()) {
      ::shutdown(c.socket.get(), SHUT_WR);
      return false;
    }
    c.unsent = c.pieces.next();
  }
  const auto n = ::send(c.socket.get(), c.unsent.data(), c.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && errno == EAGAIN) return false;
  if (n < 0) {
    c.ended = true;
    c.socket.reset();
    return true;
  }
  c.unsent.remove_prefix(static_cast<std::size_t>(n));
  return true;
}

bool scripted_php::step() {
  bool progress = accept_one();
  for (const auto& c : connections_) {
    if (!c->ended) progress = send_some(*c) || progress;
    if (!c->ended) progress = read_some(*c) || progress;
  }
  return progress;
}

bool scripted_php::all_ended() {
  while (step()) {}
  return std::all_of(connections_.begin(), connections_.end(), [](const auto& c) { return c->ended; });
}

}  // namespace httpd::fuzz
