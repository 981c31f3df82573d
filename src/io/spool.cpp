// Spool files: nameless from the start, so that nothing is left behind whatever happens.
#include "io/spool.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>

namespace httpd::io {

namespace {

error_code write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return last_error();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

// `named`: it had a name for a moment, on a file system without O_TMPFILE (some overlays, NFS).
unique_fd open_unlinked(const char* folder, bool& named) {
  unique_fd file{::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  named = !file && (errno == EOPNOTSUPP || errno == EISDIR);
  if (!named) return file;
  auto name = std::string{folder} + "/httpd-spool-XXXXXX";
  file.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (file) ::unlink(name.c_str());
  return file;
}

// Not in memory; `place` is where.
unique_fd open_in_folder(spool_place& place) {
  for (const char* folder : {const_cast<const char*>(std::getenv("TMPDIR")), "/tmp", "/dev/shm"}) {
    if (!folder || !*folder) continue;
    bool named = false;
    if (auto file = open_unlinked(folder, named)) {
      place = {folder, !named};
      return file;
    }
    // No descriptors left is no reason to try the next folder.
    if (errno == EMFILE || errno == ENFILE) break;
  }
  return {};
}

}  // namespace

unique_fd open_spool_file(error_code& error) {
  spool_place place;
  auto file = open_in_folder(place);
  if (!file && errno != EMFILE && errno != ENFILE)
    file.reset(::memfd_create("httpd-spool", MFD_CLOEXEC));
  if (!file) error = last_error();
  return file;
}

spool_place find_spool_place() {
  spool_place place;
  open_in_folder(place);
  return place;
}

spool::~spool() { discard(); }

void spool::discard() noexcept {
  if (file_ && files_) files_->give(1);
  file_.reset();
  memory_ = {};
}

error_code spool::open_file() {
  if (files_ && !files_->take(1)) return {EMFILE, boost::system::system_category()};
  error_code error;
  file_ = open_spool_file(error);
  if (!file_ && files_) files_->give(1);
  if (!error) error = write_all(file_.get(), memory_);
  memory_ = {};
  return error;
}

error_code spool::append(std::string_view bytes) {
  if (!file_ && memory_.size() + bytes.size() > memory_bytes)
    if (const auto error = open_file()) return error;
  size_ += bytes.size();
  if (file_) return write_all(file_.get(), bytes);
  memory_.append(bytes);
  return {};
}

}  // namespace httpd::io
