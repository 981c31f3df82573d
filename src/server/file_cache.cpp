// Loading, revalidating and evicting files.
#include "server/file_cache.hpp"

#include "base/text.hpp"
#include "http/date.hpp"
#include "http/mime.hpp"

#include <array>
#include <cerrno>

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
std::string make_etag(const struct stat& info, std::string_view coding) {
  std::array<char, 48> text;
  auto* end = text.data();
  *end++ = '"';
  const auto nanoseconds = static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000u +
                           static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
  end = std::to_chars(end, end + 17, nanoseconds, 16).ptr;
  *end++ = '-';
  end = std::to_chars(end, end + 17, static_cast<std::uint64_t>(info.st_size), 16).ptr;
  std::string etag{text.data(), end};
  if (!coding.empty()) append(etag, '-', coding);
  etag += '"';
  return etag;
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

void fill_fields(cached_file& file, std::string_view path, const http::coding_name* variant) {
  // The type is the plain file's: "app.js.gz" sent for "app.js" is JavaScript.
  file.content_type = http::content_type(path);
  const auto date = http::format_date(file.modified);
  append(file.entity_fields, "Content-Type: ", file.content_type, "\r\nAccept-Ranges: bytes\r\n");
  if (variant) append(file.entity_fields, "Content-Encoding: ", variant->name, "\r\n");
  append(file.validator_fields, "Last-Modified: ", std::string_view{date.data(), date.size()}, "\r\nETag: ",
         file.etag, "\r\n");
  if (variant || file.variants) file.validator_fields += "Vary: Accept-Encoding\r\n";
}

// Keys of variants cannot be paths: a path has no NUL.
void make_variant_key(std::string_view path, const http::coding_name& variant, std::string& out) {
  out.assign(path);
  out.push_back('\0');
  out.append(variant.name);
}

std::size_t cost(const cached_file& file) noexcept {
  return file.in_memory ? file.bytes.size() + 1024 : 1024;
}

}  // namespace

const cached_file* file_cache::peek(std::string_view path) {
  const auto found = index_.find(path);
  if (found == index_.end()) return nullptr;
  const auto& file = found->second->file;
  if (io::coarse_clock::now() - file->checked > trust) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
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

lookup file_cache::get(std::string_view path, file_ptr& file) { return load(path, path, nullptr, file); }

file_ptr file_cache::get_variant(std::string_view path, const http::coding_name& variant) {
  file_ptr file;
  std::string key;
  make_variant_key(path, variant, key);
  load(path, key, &variant, file);
  return file;
}

lookup file_cache::load(std::string_view path, std::string_view key, const http::coding_name* variant,
                        file_ptr& file) {
  scratch_ = path;
  if (variant) scratch_ += variant->extension;
  const std::string_view stored = scratch_;
  if (const auto found = index_.find(key); found != index_.end()) {
    file = found->second->file;
    const auto now = io::coarse_clock::now();
    const bool trusted = now - file->checked <= trust;
    if (trusted || (now - file->loaded <= life && still_same(stored, *file))) {
      if (!trusted) file->checked = now;
      order_.splice(order_.begin(), order_, found->second);
      return lookup::file;
    }
    erase(found->second);
    file.reset();
  }

  auto loaded = std::make_shared<cached_file>();
  struct stat info{};
  const auto result = root_.open(stored, loaded->descriptor, info);
  if (result != lookup::file) return result;
  loaded->size = static_cast<std::uint64_t>(info.st_size);
  loaded->modified = info.st_mtim.tv_sec;
  loaded->device = info.st_dev;
  loaded->inode = info.st_ino;
  loaded->mtime = info.st_mtim;
  loaded->ctime = info.st_ctim;
  loaded->loaded = loaded->checked = io::coarse_clock::now();
  loaded->etag = make_etag(info, variant ? variant->name : std::string_view{});
  if (!variant && may_have_variants(http::content_type(path))) {
    struct stat sibling{};
    for (const auto& coding : http::stored_codings) {
      scratch_.resize(path.size());
      scratch_ += coding.extension;
      if (root_.find(scratch_, sibling) == lookup::file) loaded->variants |= http::bit(coding.what);
    }
  }
  fill_fields(*loaded, path, variant);
  if (loaded->size <= small_file_bytes &&
      read_bytes(loaded->descriptor.get(), static_cast<std::size_t>(loaded->size), loaded->bytes)) {
    loaded->in_memory = true;
    loaded->descriptor.reset();
  }
  file = loaded;
  insert(key, std::move(loaded));
  return lookup::file;
}

void file_cache::insert(std::string_view key, file_ptr file) {
  bytes_ += cost(*file);
  order_.push_front({std::string{key}, std::move(file)});
  index_.emplace(order_.front().key, order_.begin());
  while (!order_.empty() && (order_.size() > max_entries_ || bytes_ > max_bytes_))
    erase(std::prev(order_.end()));
}

void file_cache::erase(order::iterator which) {
  bytes_ -= cost(*which->file);
  index_.erase(which->key);
  order_.erase(which);
}

void file_cache::clear() {
  index_.clear();
  order_.clear();
  bytes_ = 0;
}

}  // namespace httpd::server
