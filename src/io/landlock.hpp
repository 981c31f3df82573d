// Landlock (Linux 5.13 and later): a process gives up, for good, every right on files and ports that it did
// not ask to keep. Descriptors that are open already keep working.
#pragma once

#include "base/fd.hpp"
#include "io/asio.hpp"

#include <cstdint>
#include <string>

namespace httpd::io {

class landlock {
public:
  enum class access {
    read,            // files and lists of folders
    read_execute,
    write_nameless,  // O_TMPFILE; no name is made or removed
    write,           // files are made, written, truncated and removed
  };

  // Rules of the newest interface that both the kernel and this class (1 to 7) know, in which nothing is
  // allowed yet. `abstract_sockets`: connecting to those of other processes stays allowed.
  // ENOSYS: not in the kernel. EOPNOTSUPP: switched off at boot. EPERM: a container engine forbids it.
  landlock(bool abstract_sockets, error_code&) noexcept;

  int version() const noexcept { return version_; }  // of the kernel; 0 = none
  bool restricts_ports() const noexcept { return version_ >= 4; }

  // The file or folder that `path` names now, links followed, with all below it. When it is replaced by
  // another one of that name, the other one is not allowed.
  error_code allow(const std::string& path, access) noexcept;
  error_code allow_connect(std::uint16_t tcp_port) noexcept;
  // For this thread and those that it starts; others of the process stay free. Needs no_new_privs.
  error_code restrict_self() noexcept;

private:
  std::uint64_t known(std::uint64_t file_rights) const noexcept;

  int version_ = 0;
  unique_fd rules_;
};

}  // namespace httpd::io
