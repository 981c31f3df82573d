// What init and the server processes share in one anonymous mapping, so that it outlives a server
// process and a crash. Only lock-free atomics: a process may be killed at any instruction.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace httpd {

enum class php_state : std::uint32_t {
  not_supervised,  // none, or an external one: the server looks for itself
  starting,        // started, or waiting for its restart
  running,
};

struct application_state {
  std::atomic<php_state> php{php_state::not_supervised};
  std::atomic<std::uint64_t> starts{0};  // of its php-fpm, by init, the first included
};

struct shared_state {
  static constexpr std::size_t most_applications = 64;
  std::array<application_state, most_applications> applications;
  std::atomic<bool> draining{false};         // set by init before it stops anything: health says 503
  std::atomic<std::uint64_t> server_starts{0};  // by init
  std::atomic<std::uint64_t> requests{0};       // answered, by every server process
};
static_assert(std::atomic<php_state>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace httpd
