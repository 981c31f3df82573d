// The listening sockets: made once by init, shared by every generation of the server.
#pragma once

#include "server/server.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace httpd::init {

// The file of a Unix socket that we made; removed with its owner, unless somebody put another there.
class socket_file {
public:
  explicit socket_file(std::string path);
  socket_file(socket_file&& other) noexcept;
  socket_file& operator=(socket_file&&) = delete;
  ~socket_file();

private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

class listeners {
public:
  // Binds and listens on every address, `threads` sockets for each TCP address.
  // Throws config::option_error: in use, no right, no such address, a name without address.
  listeners(const std::vector<endpoint>& addresses, unsigned threads);

  const std::vector<server::listening_socket>& sockets() const noexcept { return sockets_; }
  std::vector<int> descriptors() const;
  // In a forked server process: the same descriptors, now owned by the result.
  std::vector<server::listening_socket> take() noexcept { return std::move(sockets_); }
  // Clients are refused from now on, unless a server process still accepts.
  void close() noexcept { sockets_.clear(); }
  // "http://127.0.0.1:3000/ unix:/run/site.sock"
  std::string describe() const;

private:
  int add_tcp(const endpoint&, unsigned threads);
  void add_unix(const endpoint&);

  std::vector<server::listening_socket> sockets_;
  std::vector<socket_file> files_;
};

}  // namespace httpd::init
