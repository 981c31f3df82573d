// How many connections a server process has at once, in all its threads, and what follows from the limit of
// open files for everything that needs a descriptor.
#pragma once

#include "io/allowance.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace httpd::config {
struct configuration;
}

namespace httpd::server {

// Who has a connection must also be answered: so descriptors for scripts, files and bodies are kept back.
struct descriptor_shares {
  std::size_t connections = 0;
  std::size_t bodies = 0;        // request bodies in files
  std::size_t cached_files = 0;
  std::size_t spare = 0;         // files being opened, connections that are only turned away
};
descriptor_shares share_descriptors(const config::configuration&) noexcept;

// Thread-safe.
class connection_limit {
public:
  // `chosen`: --max-connections, 0 = not given. More than `possible` is no use, and is logged.
  connection_limit(std::size_t chosen, const descriptor_shares& possible);

  // A connection's place, given back when it goes. Movable.
  class place {
  public:
    place() = default;
    place(io::allowance& from, bool extra) noexcept : from_{&from}, extra_{extra} {}
    place(place&& other) noexcept : from_{std::exchange(other.from_, nullptr)}, extra_{other.extra_} {}
    place& operator=(place&& other) noexcept {
      std::swap(from_, other.from_);
      std::swap(extra_, other.extra_);
      return *this;
    }
    ~place() { if (from_) from_->give(1); }
    explicit operator bool() const noexcept { return from_ != nullptr; }
    // Beyond the limit: for one answer, which is 503 for all but a question for health.
    bool is_extra() const noexcept { return extra_; }

  private:
    io::allowance* from_ = nullptr;
    bool extra_ = false;
  };
  // Empty when all are in use.
  place enter() noexcept { return enter(free_, false); }
  // This machine asks for health; it has places of its own, which nobody from outside can fill.
  place enter_extra(bool from_this_machine) noexcept {
    return enter(from_this_machine ? extra_for_us_ : extra_, true);
  }

  std::size_t most() const noexcept { return most_; }
  bool is_chosen() const noexcept { return chosen_; }
  // How many have ended, the extra ones not counted: whether waiting is of any use.
  std::uint64_t ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
  void note_end() noexcept { ended_.fetch_add(1, std::memory_order_relaxed); }
  // A number that changes when a thread wants all of them to close their idle connections.
  unsigned calls_for_room() const noexcept { return calls_for_room_.load(std::memory_order_relaxed); }
  void call_for_room() noexcept { calls_for_room_.fetch_add(1, std::memory_order_relaxed); }

private:
  static place enter(io::allowance& from, bool extra) noexcept {
    return from.take(1) ? place{from, extra} : place{};
  }

  const bool chosen_;
  const std::size_t most_;
  io::allowance free_;
  io::allowance extra_;
  io::allowance extra_for_us_;
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<unsigned> calls_for_room_{0};
};

}  // namespace httpd::server
