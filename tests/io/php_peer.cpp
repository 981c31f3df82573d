// The FastCGI peer: its own record reader, on its own for the same reason as the reader of answers.
#include "io/php_peer.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace httpd::test {

namespace {

std::string record(unsigned char type, std::string_view content, unsigned padding = 0) {
  const auto size = content.size();
  std::string bytes{'\1', static_cast<char>(type), '\0', '\1', static_cast<char>(size >> 8),
                    static_cast<char>(size & 0xff), static_cast<char>(padding), '\0'};
  bytes += content;
  bytes.append(padding, 'P');
  return bytes;
}

std::string stream(unsigned char type, std::string_view content, unsigned padding) {
  std::string bytes;
  for (; !content.empty(); content.remove_prefix(std::min<std::size_t>(content.size(), 65535)))
    bytes += record(type, content.substr(0, 65535), padding);
  return bytes;
}

std::size_t take_length(std::string_view& from) {
  const auto byte = [&from](std::size_t i) { return static_cast<unsigned char>(from.at(i)); };
  std::size_t length = byte(0);
  if (length < 128) {
    from.remove_prefix(1);
    return length;
  }
  length &= 127;
  for (std::size_t i = 1; i < 4; ++i) length = length << 8 | byte(i);
  from.remove_prefix(4);
  return length;
}

// Throws when a pair is cut off, which php-fpm answers with a reset.
void decode_params(std::string_view bytes, std::map<std::string, std::string>& to) {
  while (!bytes.empty()) {
    const auto name_size = take_length(bytes);
    const auto value_size = take_length(bytes);
    if (bytes.size() < name_size + value_size) throw std::runtime_error{"a pair straddles two records"};
    to.emplace(bytes.substr(0, name_size), bytes.substr(name_size, value_size));
    bytes.remove_prefix(name_size + value_size);
  }
}

void decode_records(php_connection& c) {
  while (c.received.size() >= 8) {
    const auto byte = [&c](std::size_t i) { return static_cast<unsigned char>(c.received[i]); };
    const std::size_t size = std::size_t{byte(4)} << 8 | byte(5);
    if (c.received.size() < 8 + size + byte(6)) return;
    const std::string content = c.received.substr(8, size);
    const auto type = byte(1);
    c.received.erase(0, 8 + size + byte(6));
    if (type == 4) decode_params(content, c.params);
    if (type == 5) c.stdin_bytes += content;
    c.complete = c.complete || (type == 5 && size == 0);
  }
}

}  // namespace

std::string stdout_record(std::string_view content, unsigned padding) { return stream(6, content, padding); }
std::string stderr_record(std::string_view content) { return stream(7, content, 0); }
std::string end_record() { return record(3, std::string_view{"\0\0\0\0\0\0\0\0", 8}); }
std::string plain_answer(std::string_view content) {
  return stdout_record("Content-Type: text/plain\r\n\r\n" + std::string{content}) + end_record();
}

php_peer::php_peer(const std::string& socket_path, std::vector<php_script> scripts, int backlog)
    : listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)},
      scripts_{std::move(scripts)} {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
  ::unlink(socket_path.c_str());
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_.get(), backlog) != 0)
    throw std::runtime_error{"cannot listen on " + socket_path};
}

bool php_peer::accept_one() {
  if (!accepts_) return false;
  unique_fd socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!socket) return false;
  auto& c = *connections_.emplace_back(std::make_unique<php_connection>());
  c.socket = std::move(socket);
  c.script = scripts_.at(std::min(connections_.size(), scripts_.size()) - 1);
  return true;
}

bool php_peer::step() {
  bool progress = accept_one();
  for (auto& one : connections_) {
    auto& c = *one;
    if (c.closed) continue;
    const bool may_send = (c.complete || !c.script.reads) && !c.script.held && !c.ended;
    progress = (may_send && send_next(c)) || read_some(c) || progress;
  }
  return progress;
}

bool php_peer::all_closed() const {
  return std::all_of(connections_.begin(), connections_.end(), [](const auto& c) { return c->closed; });
}

bool php_peer::read_some(php_connection& c) {
  // A worker whose script runs does not look at its socket.
  if (!c.script.reads || (c.complete && !c.ended)) return false;
  char buffer[16 * 1024];
  std::size_t most = sizeof buffer;
  if (c.script.end == php_script::ending::reset) {
    const auto there = ::recv(c.socket.get(), buffer, sizeof buffer, MSG_PEEK);
    const std::string_view end_of_stdin{"\1\5\0\1\0\0\0\0", 8};
    if (there > 0 && std::string_view{buffer, static_cast<std::size_t>(there)}.ends_with(end_of_stdin)) {
      most = static_cast<std::size_t>(there) - end_of_stdin.size();
      c.complete = true;
    }
    if (most == 0) return true;
  }
  const auto n = ::recv(c.socket.get(), buffer, most, 0);
  if (n > 0) {
    c.received.append(buffer, static_cast<std::size_t>(n));
    if (!c.ended) decode_records(c);
    return true;
  }
  if (n < 0 && errno == EAGAIN) return false;
  c.closed = true;
  c.socket.reset();
  return true;
}

bool php_peer::send_next(php_connection& c) {
  if (c.next_part == c.script.parts.size() || c.write_failed) {
    if (c.script.end == php_script::ending::stay && !c.write_failed) return false;
    finish(c);
    return true;
  }
  const auto& part = c.script.parts[c.next_part];
  const auto n = ::send(c.socket.get(), part.data() + c.part_sent, part.size() - c.part_sent, MSG_NOSIGNAL);
  if (n < 0 && errno == EAGAIN) return false;
  if (n < 0) {
    c.write_failed = true;
    return true;
  }
  c.part_sent += static_cast<std::size_t>(n);
  if (c.part_sent == part.size()) {
    ++c.next_part;
    c.part_sent = 0;
  }
  return true;
}

void php_peer::finish(php_connection& c) {
  c.ended = true;
  if (c.script.end == php_script::ending::as_php_fpm) {
    ::shutdown(c.socket.get(), SHUT_WR);
    c.script.reads = true;
    return;
  }
  c.closed = true;
  c.socket.reset();
}

}  // namespace httpd::test
