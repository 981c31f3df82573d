// What the supervised php-fpm needs around it: a private folder, the listening socket that outlives
// each master, the configuration in memory. Starts a master; knows nothing of its life.
#pragma once

#include "base/fd.hpp"
#include "config/config.hpp"
#include "init/php_messages.hpp"
#include "init/spawn.hpp"
#include "init/user.hpp"

#include <string>
#include <vector>

namespace httpd::init {

// A folder that only the server's user can enter, removed with its owner.
class private_folder {
public:
  // In the first of /run, $TMPDIR, /tmp and /dev/shm that can be written. Throws std::system_error.
  explicit private_folder(const account&);
  private_folder(private_folder&&) = delete;
  ~private_folder();

  const std::string& path() const noexcept { return path_; }
  std::string socket_path() const { return path_ + "/php.sock"; }

private:
  std::string path_;
};

class fpm_runtime {
public:
  // Throws config::option_error.
  fpm_runtime(const config::php&, std::chrono::milliseconds grace, const account&);

  endpoint socket() const;  // where the server connects
  const std::string& program() const noexcept { return arguments_.front(); }
  spawned start() const;
  php_messages& messages() noexcept { return messages_; }

private:
  private_folder folder_;
  php_messages messages_;
  unique_fd socket_, config_;
  std::string temporary_folder_;  // TMPDIR for PHP when the given one cannot be written; "" = as it is
  std::vector<std::string> arguments_;
};

}  // namespace httpd::init
