// A request body on its way to a script: in memory while it is small, then in an unlinked file.
#pragma once

#include "base/fd.hpp"
#include "io/allowance.hpp"
#include "io/asio.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace httpd::io {

class spool {
public:
  static constexpr std::size_t memory_bytes = 64 * 1024;

  // `files`: of how many such files there may still be; null = any number.
  explicit spool(allowance* files = nullptr) noexcept : files_{files} {}
  ~spool();
  spool(const spool&) = delete;
  spool& operator=(const spool&) = delete;

  // ENOSPC, EDQUOT and the like come back as they are; the spool is then of no use any more. EMFILE also when
  // there are enough such files.
  error_code append(std::string_view bytes);
  // Gives back the memory and the room on the disk; nothing may follow.
  void discard() noexcept;
  std::uint64_t size() const noexcept { return size_; }

  // The whole body when it is in memory, else "" and file() holds it from offset 0.
  std::string_view in_memory() const noexcept { return memory_; }
  bool is_file() const noexcept { return bool(file_); }
  int file() const noexcept { return file_.get(); }

private:
  error_code open_file();

  allowance* files_;
  std::string memory_;
  unique_fd file_;
  std::uint64_t size_ = 0;
};

// An unlinked file in $TMPDIR, else /tmp, else /dev/shm, else memory (memfd): a read-only root file system
// without any tmpfs still takes uploads.
unique_fd open_spool_file(error_code&);

// Where open_spool_file() puts files now, found by making one; "" = memory. `nameless`: they never had a
// name there.
struct spool_place {
  std::string folder;
  bool nameless = false;
};
spool_place find_spool_place();

}  // namespace httpd::io
