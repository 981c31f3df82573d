// Loading, revalidating and evicting files.
#include "server/file_cache.hpp"

#include "base/text.hpp"
#include "http/date.hpp"
#include "http/mime.hpp"

#include <array>
#include <cerrno>
#include <utility>

namespace httpd::server {

namespace {

// Types that are compressed already have no siblings worth three look-ups.
bool may_have_variants(std::string_view type) noexcept {
  if (type.starts_with("image/")) return type.starts_with("image/svg") || type.starts_with("image/bmp");
  for (const std::string_view compressed : {"video/", "audio/", "font/woff", "application/zip",
                                            "application/gzip", "application/zstd", "application/x-xz"})
    if (type.starts_with(compressed)) return false;
  return true;
}

// Nanoseconds: two writes within a second differ.
void make_etag(const struct stat& info, std::string_view coding, std::string& etag) {
  std::array<char, 48> text;
  auto* end = text.data();
  *end++ = '"';
  const auto nanoseconds = static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000u +
                           static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
  end = std::to_chars(end, end + 17, nanoseconds, 16).ptr;
  *end++ = '-';
  end = std::to_chars(end, end + 17, static_cast<std::uint64_t>(info.st_size), 16).ptr;
  etag.assign(text.data(), end);
  if (!coding.empty()) append(etag, '-', coding);
  etag += '"';
}

bool read_bytes(int fd, std::size_t size, std::string& out) {
  out.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const auto n = ::pread(fd, out.data() + filled, size - filled, static_cast<off_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    filled += static_cast<std::size_t>(n);
  }
  return true;
}

void fill_fields(cached_file& file, const http::coding_name* variant) {
  const auto date = http::format_date(file.modified);
  file.entity_fields.clear();
  append(file.entity_fields, "Content-Type: ", file.content_type, "\r\nAccept-Ranges: bytes\r\n");
  if (variant) append(file.entity_fields, "Content-Encoding: ", variant->name, "\r\n");
  file.validator_fields.clear();
  append(file.validator_fields, "Last-Modified: ", std::string_view{date.data(), date.size()}, "\r\nETag: ",
         file.etag, variant || file.variants ? "\r\nVary: Accept-Encoding\r\n" : "\r\n");
}

void fill_identity(cached_file& file, const struct stat& info) {
  file.size = static_cast<std::uint64_t>(info.st_size);
  file.modified = info.st_mtim.tv_sec;
  file.device = info.st_dev;
  file.inode = info.st_ino;
  file.mtime = info.st_mtim;
  file.ctime = info.st_ctim;
  file.loaded = file.checked = io::coarse_clock::now();
}

// Keys of variants cannot be paths: a path has no NUL.
void make_variant_key(std::string_view path, const http::coding_name& variant, std::string& out) {
  out.assign(path);
  out.push_back('\0');
  out.append(variant.name);
}

constexpr std::size_t entry_cost = 1024;

std::size_t cost(const cached_file& file) noexcept {
  return file.in_memory ? file.bytes.size() + entry_cost : entry_cost;
}

bool is_small(const struct stat& info) noexcept {
  return static_cast<std::uint64_t>(info.st_size) <= file_cache::small_file_bytes;
}

}  // namespace

const cached_file* file_cache::peek(std::string_view path) {
  const auto found = index_.find(path);
  if (found == index_.end()) return nullptr;
  const auto& file = found->second->file;
  if (io::coarse_clock::now() - file->checked > trust) return nullptr;
  auto& shelf = order_of(*file);
  shelf.splice(shelf.begin(), shelf, found->second);
  return file.get();
}

bool file_cache::still_same(std::string_view path, const cached_file& file) const {
  struct stat now{};
  if (root_.find(path, now) != lookup::file) return false;
  return now.st_ino == file.inode && now.st_dev == file.device &&
         static_cast<std::uint64_t>(now.st_size) == file.size && now.st_mtim.tv_sec == file.mtime.tv_sec &&
         now.st_mtim.tv_nsec == file.mtime.tv_nsec && now.st_ctim.tv_sec == file.ctime.tv_sec &&
         now.st_ctim.tv_nsec == file.ctime.tv_nsec;
}

lookup file_cache::get(std::string_view path, file_ptr& file) { return find(path, path, nullptr, file); }

file_ptr file_cache::get_variant(std::string_view path, const http::coding_name& variant) {
  file_ptr file;
  std::string key;
  make_variant_key(path, variant, key);
  find(path, key, &variant, file);
  return file;
}

lookup file_cache::find(std::string_view path, std::string_view key, const http::coding_name* variant,
                        file_ptr& file) {
  scratch_ = path;
  if (variant) scratch_ += variant->extension;
  if (const auto found = index_.find(key); found != index_.end()) {
    file = found->second->file;
    const auto now = io::coarse_clock::now();
    const bool trusted = now - file->checked <= trust;
    if (trusted || (now - file->loaded <= life && still_same(scratch_, *file))) {
      if (!trusted) file->checked = now;
      auto& shelf = order_of(*file);
      shelf.splice(shelf.begin(), shelf, found->second);
      return lookup::file;
    }
    erase(found->second);
    file.reset();
  }
  return load(path, key, variant, file);
}

// scratch_ names the stored file.
lookup file_cache::load(std::string_view path, std::string_view key, const http::coding_name* variant,
                        file_ptr& file) {
  unique_fd descriptor;
  struct stat info{};
  const auto result = root_.open(scratch_, descriptor, info);
  if (result != lookup::file) return result;
  const bool kept = has_room(info) || is_wanted(key);
  const bool reused = !kept && is_small(info) && passing_ && passing_.use_count() == 1;
  auto loaded = reused ? std::move(passing_) : std::make_shared<cached_file>();
  fill_identity(*loaded, info);
  // The type is the plain file's: "app.js.gz" sent for "app.js" is JavaScript.
  loaded->content_type = http::content_type(path);
  make_etag(info, variant ? variant->name : std::string_view{}, loaded->etag);
  loaded->variants = variant ? 0 : find_variants(path, loaded->content_type);
  fill_fields(*loaded, variant);
  loaded->in_memory =
      is_small(info) && read_bytes(descriptor.get(), static_cast<std::size_t>(loaded->size), loaded->bytes);
  if (!loaded->in_memory) loaded->descriptor = std::move(descriptor);
  file = loaded;
  if (kept) insert(key, std::move(loaded));
  else if (loaded->in_memory) passing_ = std::move(loaded);
  return lookup::file;
}

http::coding_set file_cache::find_variants(std::string_view path, std::string_view type) {
  http::coding_set found = 0;
  if (!may_have_variants(type)) return found;
  const auto possible = folders_.possible(path);
  struct stat sibling{};
  for (const auto& coding : http::stored_codings) {
    if ((possible & http::bit(coding.what)) == 0) continue;
    scratch_ = path;
    scratch_ += coding.extension;
    if (root_.find(scratch_, sibling) == lookup::file) found |= http::bit(coding.what);
  }
  return found;
}

bool file_cache::has_room(const struct stat& info) const noexcept {
  const auto bytes = is_small(info) ? static_cast<std::size_t>(info.st_size) + entry_cost : entry_cost;
  return bytes_ + bytes <= max_bytes_ && (is_small(info) || open_.size() < max_open_);
}

// Two that are asked for in turn may share a place in the table: so now and then one is taken anyway.
bool file_cache::is_wanted(std::string_view key) {
  const auto hashed = hash{}(key);
  auto& place = refused_[hashed % refused_.size()];
  const auto mark = static_cast<std::uint32_t>(hashed >> 32);
  if (std::exchange(place, mark) == mark || ++refusals_ % 32 == 0) {
    place = 0;
    return true;
  }
  return false;
}

void file_cache::insert(std::string_view key, file_ptr file) {
  auto& shelf = order_of(*file);
  bytes_ += cost(*file);
  shelf.push_front({std::string{key}, std::move(file)});
  index_.emplace(shelf.front().key, shelf.begin());
  while (open_.size() > max_open_) erase(std::prev(open_.end()));
  while (bytes_ > max_bytes_) erase(std::prev(in_memory_.empty() ? open_.end() : in_memory_.end()));
}

void file_cache::erase(order::iterator which) {
  auto& shelf = order_of(*which->file);
  bytes_ -= cost(*which->file);
  index_.erase(which->key);
  shelf.erase(which);
}

void file_cache::clear() {
  index_.clear();
  in_memory_.clear();
  open_.clear();
  bytes_ = 0;
  passing_.reset();
  folders_.clear();
}

}  // namespace httpd::server
