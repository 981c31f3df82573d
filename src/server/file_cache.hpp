// Files that were asked for lately: descriptor or bytes, validators and header fields. One per thread.
//
// A full cache takes a file when it is asked for again after a short while: a walk through many files costs
// the hot ones nothing, and none of the many costs the work of being kept.
#pragma once

#include "base/fd.hpp"
#include "http/encoding.hpp"
#include "io/deadline.hpp"
#include "server/document_root.hpp"
#include "server/variant_folders.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace httpd::server {

// One representation of a file. Immutable but for `checked`; an answer under way keeps its own alive,
// so that a replaced file is sent to its end.
struct cached_file {
  std::uint64_t size = 0;
  unique_fd descriptor;        // empty when the bytes are here
  std::string bytes;           // the content of a small file
  bool in_memory = false;
  std::time_t modified = 0;
  std::string etag;            // quoted
  std::string validator_fields;  // finished lines: Last-Modified, ETag and, as it applies, Vary
  std::string entity_fields;     // Content-Type, Accept-Ranges and, as it applies, Content-Encoding
  std::string_view content_type;  // of the table, which stays
  http::coding_set variants = 0;  // stored siblings of this path: .br, .zst, .gz
  // Identity of what was read, to see a change.
  dev_t device = 0;
  ino_t inode = 0;
  timespec mtime{}, ctime{};
  io::coarse_clock::time_point loaded;
  mutable io::coarse_clock::time_point checked;
};
using file_ptr = std::shared_ptr<const cached_file>;

class file_cache {
public:
  static constexpr std::size_t small_file_bytes = 32 * 1024;
  // Within this time a changed file shows.
  static constexpr std::chrono::milliseconds trust{100};
  // Within this time and variant_folders::trust a stored variant that came or went shows.
  static constexpr std::chrono::milliseconds life{1000};

  // `max_open`: how many descriptors are kept; `max_bytes`: for everything.
  file_cache(const document_root& root, std::size_t max_open, std::size_t max_bytes)
      : root_{root}, folders_{root}, max_open_{max_open}, max_bytes_{max_bytes} {}

  // The file when it is here and was looked at within `trust`: no system call. Else null.
  const cached_file* peek(std::string_view path);
  // The file, from here or from disk. `file` is set when the result is lookup::file.
  lookup get(std::string_view path, file_ptr& file);
  // The stored variant of a file that says it has one; null when it has gone.
  file_ptr get_variant(std::string_view path, const http::coding_name&);
  void clear();

private:
  struct entry {
    std::string key;
    file_ptr file;
  };
  struct hash {
    using is_transparent = void;
    // Not noexcept: libstdc++ then keeps each key's hash instead of making it again for every neighbour.
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  using order = std::list<entry>;  // most recently used first

  lookup find(std::string_view path, std::string_view key, const http::coding_name* variant, file_ptr&);
  lookup load(std::string_view path, std::string_view key, const http::coding_name* variant, file_ptr&);
  http::coding_set find_variants(std::string_view path, std::string_view type);
  bool still_same(std::string_view path, const cached_file&) const;
  order& order_of(const cached_file& f) noexcept { return f.in_memory ? in_memory_ : open_; }
  bool has_room(const struct stat&) const noexcept;
  bool is_wanted(std::string_view key);
  void insert(std::string_view key, file_ptr);
  void erase(order::iterator);

  const document_root& root_;
  variant_folders folders_;
  const std::size_t max_open_;
  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  order in_memory_;
  order open_;
  std::unordered_map<std::string_view, order::iterator, hash, std::equal_to<>> index_;
  std::string scratch_;
  // When the cache is full: who was asked for lately and is not in it, and a file on its way through.
  std::array<std::uint32_t, 1024> refused_{};
  unsigned refusals_ = 0;
  std::shared_ptr<cached_file> passing_;
};

}  // namespace httpd::server
