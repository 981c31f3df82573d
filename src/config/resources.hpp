// What the machine or the container gives us: CPUs and memory, and what follows for PHP.
#pragma once

#include <cstdint>
#include <string>

namespace httpd::config {

struct resources {
  unsigned cpus = 1;                // usable: affinity and cgroup quota (v1 and v2), rounded up
  std::uint64_t memory_bytes = 0;   // cgroup limit, else the machine's
  bool memory_is_limit = false;     // it came from a cgroup
};

// `root` is "" in production, a folder with fake /proc and /sys in tests.
resources read_resources(const std::string& root = "");

// The pool size for these resources and the arithmetic as one sentence for the log.
unsigned default_php_workers(const resources&, std::string& arithmetic);
// Bytes of answers kept for slow readers. In memory (tmpfs) they must leave room for PHP and for uploads.
std::uint64_t default_php_spool(const resources&, bool in_memory) noexcept;

}  // namespace httpd::config
