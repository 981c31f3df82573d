// The three system calls, with numbers and names of our own: Debian 12's headers end at version 2.
#include "io/landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace httpd::io {

namespace {

// The same on every architecture (all are newer than the common table of 2019).
constexpr long create_ruleset = 444, add_rule = 445, restrict_to_ruleset = 446;
constexpr unsigned ask_version = 1;
constexpr int rule_path = 1, rule_port = 2;

constexpr std::uint64_t execute = 1u << 0, write_file = 1u << 1, read_file = 1u << 2, read_dir = 1u << 3,
                        remove_file = 1u << 5, make_reg = 1u << 8, truncate = 1u << 14, ioctl_dev = 1u << 15;
// What can be allowed on something that is no folder.
constexpr std::uint64_t on_files = execute | write_file | read_file | truncate | ioctl_dev;
constexpr std::uint64_t bind_tcp = 1u << 0, connect_tcp = 1u << 1;
constexpr std::uint64_t abstract_unix = 1u << 0, signals = 1u << 1;

// Older kernels take the longer form as long as what they do not know is 0.
struct ruleset_attributes {
  std::uint64_t files, ports, scopes;
};
struct [[gnu::packed]] path_attributes {
  std::uint64_t allowed;
  std::int32_t folder;
};
struct port_attributes {
  std::uint64_t allowed, port;
};

// Bits 0 to 12 came with version 1, then REFER, TRUNCATE and, with version 5, IOCTL_DEV.
constexpr std::uint64_t file_rights_of(int version) noexcept {
  const int bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  return (std::uint64_t{1} << bits) - 1;
}

constexpr std::uint64_t rights_for(landlock::access wanted) noexcept {
  switch (wanted) {
    case landlock::access::read: return read_file | read_dir;
    case landlock::access::read_execute: return read_file | read_dir | execute;
    case landlock::access::write_nameless: return read_file | write_file | truncate;
    case landlock::access::write: break;
  }
  return read_file | write_file | truncate | make_reg | remove_file;
}

}  // namespace

landlock::landlock(bool abstract_sockets, error_code& error) noexcept {
  const auto version = ::syscall(create_ruleset, nullptr, 0L, ask_version);
  if (version <= 0) {
    error = version < 0 ? last_error() : error_code{ENOSYS, boost::system::system_category()};
    return;
  }
  version_ = static_cast<int>(version);
  ruleset_attributes handled{};
  handled.files = file_rights_of(version_);
  if (restricts_ports()) handled.ports = bind_tcp | connect_tcp;
  if (version_ >= 6) handled.scopes = signals | (abstract_sockets ? 0 : abstract_unix);
  rules_.reset(static_cast<int>(::syscall(create_ruleset, &handled, sizeof handled, 0L)));
  if (!rules_) error = last_error();
}

std::uint64_t landlock::known(std::uint64_t file_rights) const noexcept {
  return file_rights & file_rights_of(version_);
}

error_code landlock::allow(const std::string& path, access wanted) noexcept {
  const unique_fd what{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  struct stat info{};
  if (!what || ::fstat(what.get(), &info) != 0) return last_error();
  path_attributes rule{known(rights_for(wanted)), what.get()};
  if (!S_ISDIR(info.st_mode)) rule.allowed &= on_files;
  return ::syscall(add_rule, rules_.get(), rule_path, &rule, 0L) == 0 ? error_code{} : last_error();
}

error_code landlock::allow_connect(std::uint16_t tcp_port) noexcept {
  if (!restricts_ports()) return {};
  const port_attributes rule{connect_tcp, tcp_port};
  return ::syscall(add_rule, rules_.get(), rule_port, &rule, 0L) == 0 ? error_code{} : last_error();
}

error_code landlock::restrict_self() noexcept {
  return ::syscall(restrict_to_ruleset, rules_.get(), 0L) == 0 ? error_code{} : last_error();
}

}  // namespace httpd::io
