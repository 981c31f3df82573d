// Who may go into PHP: as many requests as there are workers, the rest waits in one line.
//
// One object per pool, shared by the threads. Without it the excess would land in the kernel's listen
// backlog, whose overflow other servers answer with 502.
#pragma once

#include "io/asio.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>

namespace httpd::server {

class admission {
public:
  // places 0: no limit, everybody enters.
  admission(unsigned places, std::uint32_t queue_length) noexcept
      : places_{places}, queue_length_{queue_length} {}

  // A place inside, given back when it goes. Movable, so that it may outlive the request.
  class lease {
  public:
    lease() = default;
    explicit lease(admission& from) noexcept : from_{&from} {}
    lease(lease&& other) noexcept : from_{std::exchange(other.from_, nullptr)} {}
    lease& operator=(lease&& other) noexcept {
      release();
      from_ = std::exchange(other.from_, nullptr);
      return *this;
    }
    ~lease() { release(); }
    void release() noexcept {
      if (auto* from = std::exchange(from_, nullptr)) from->leave();
    }
    explicit operator bool() const noexcept { return from_ != nullptr; }

  private:
    admission* from_ = nullptr;
  };

  enum class outcome { entered, queue_full, timed_out, given_up };

  // The usual case without a wait. False: everybody inside is busy, call enter().
  bool enter_at_once(lease& place);
  // Waits for a place, first come first served. `still_wanted(context)` is asked when the turn comes and
  // about once a second before: false gives up (the client has left). The caller's thread runs `on`.
  io::awaitable<outcome> enter(io::executor on, std::chrono::milliseconds at_most,
                               bool (*still_wanted)(void*), void* context, lease& place);

private:
  struct waiter;
  bool try_enter(waiter*, outcome& refused);
  bool withdraw(waiter&) noexcept;
  void leave() noexcept;

  std::mutex mutex_;
  const unsigned places_;
  const std::uint32_t queue_length_;
  unsigned inside_ = 0;
  std::uint32_t waiting_ = 0;
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

}  // namespace httpd::server
