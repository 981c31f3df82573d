// Writing log lines to a descriptor whose reader may be slow, or stopped for good. No line is worth a server
// that hangs: it waits for such a reader a little, and drops lines when that was in vain.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>

namespace httpd {

// One per descriptor and writer. Thread-safe, never throws.
class log_sink {
public:
  // Writes the parts, in one call where they fit. False when they are lost, whole or in part. Waits for the
  // reader up to a second in all; after a wait in vain not at all, until it reads again. Changes `parts` and
  // errno.
  bool write(int fd, iovec* parts, int count) noexcept;
  // How many writes were lost since the last call.
  bool has_lost() const noexcept { return lost_.load(std::memory_order_relaxed) > 0; }
  unsigned take_lost() noexcept { return lost_.exchange(0, std::memory_order_relaxed); }
  void add_lost(unsigned count) noexcept { lost_.fetch_add(count, std::memory_order_relaxed); }

private:
  bool wait_for_reader(int fd, int& patience) noexcept;

  std::atomic<bool> stuck_{false};
  std::atomic<unsigned> lost_{0};
};

}  // namespace httpd
