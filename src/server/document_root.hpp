// The folder a site is in, held open; look-ups never leave it by "..". One per thread.
#pragma once

#include "base/fd.hpp"

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace httpd::server {

enum class lookup {
  file,       // a regular file
  directory,
  missing,    // ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, or nothing that can be sent (FIFO, socket, device)
  denied,     // EACCES, EPERM
  exhausted,  // no descriptors or memory: 503
  failed,     // anything else: 500, logged
};

class document_root {
public:
  explicit document_root(std::string path);

  // Looks whether the path still names the folder that is open and opens the new one if not (an
  // atomic release switch through a link). True when it changed. One statx.
  bool refresh();
  // The path goes through a link, so a switch must be seen by the very next request.
  bool is_linked() const noexcept { return real_path_ != path_; }

  // The path with its links resolved, as of the last refresh().
  const std::string& real_path() const noexcept { return real_path_; }

  // `path` is normalised and begins with "/". Links inside are followed.
  lookup find(std::string_view path, struct stat& info) const;
  // Opens a regular file for reading, never blocking; `info` is of the open descriptor.
  lookup open(std::string_view path, unique_fd& file, struct stat& info) const;
  // Opens a folder for listing it, which needs a right that finding files in it does not.
  lookup open_folder(std::string_view path, unique_fd& folder, struct stat& info) const;

private:
  bool reopen();

  std::string path_;
  std::string real_path_;
  unique_fd folder_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace httpd::server
