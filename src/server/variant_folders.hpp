// Which stored codings a folder has at all: a file in a folder without any costs no look-up of siblings.
// One per thread.
#pragma once

#include "http/encoding.hpp"
#include "io/deadline.hpp"
#include "server/document_root.hpp"

#include <cstddef>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace httpd::server {

// A folder is listed only after it was asked about so often that reading its names costs about what the
// look-ups cost that it saves; until then, when it cannot be listed, has too many names or was changed just
// now, every coding is possible.
class variant_folders {
public:
  // Within this time a name that was added or removed counts.
  static constexpr std::chrono::milliseconds trust{100};
  // After this time a folder is listed again though its times are the same: some file systems have none.
  static constexpr std::chrono::seconds life{10};
  // A change within the resolution of a file system's clock leaves no trace: two seconds are the coarsest.
  static constexpr std::time_t settled_seconds = 2;
  static constexpr unsigned names_for_each_ask = 32;
  static constexpr unsigned most_names = 16 * 1024;
  static constexpr std::size_t most_folders = 512;

  explicit variant_folders(const document_root& root) : root_{root} {}

  // The codings whose extensions names in the folder of `path` have; all of them when that is not known.
  http::coding_set possible(std::string_view path);
  void clear() { folders_.clear(); }

private:
  struct folder {
    unsigned asked = 0;
    bool listed = false;
    http::coding_set codings = 0;
    // Identity of what was listed, to see a change.
    dev_t device = 0;
    ino_t inode = 0;
    timespec mtime{}, ctime{};
    io::coarse_clock::time_point listed_at, checked;
  };
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
  };

  bool still_listed(std::string_view path, folder&) const;
  void list(std::string_view path, folder&) const;

  const document_root& root_;
  std::unordered_map<std::string, folder, hash, std::equal_to<>> folders_;
};

}  // namespace httpd::server
