// Time limits of many sockets by one coarse tick per thread: a timer per wait would cost more than
// the request. A limit is late by one tick at most, never early.
#pragma once

#include "io/asio.hpp"

#include <chrono>

namespace httpd::io {

class deadline;

// The clock behind the limits: milliseconds are enough, and reading it costs 5 ns.
struct coarse_clock {
  using duration = std::chrono::milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<coarse_clock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};

// All the deadlines of one thread. Not thread-safe; outlives its deadlines.
class deadline_list {
public:
  static constexpr std::chrono::milliseconds tick_period{200};

  // Cancels what is due.
  void tick();
  // Cancels the sockets that have only waited for a next request for so long, at shutdown or to make room.
  void expire_idle(std::chrono::milliseconds at_least = std::chrono::milliseconds{0});
  // At the end of a shutdown.
  void expire_all();

private:
  friend class deadline;
  template <class Which>
  void expire_if(Which which);
  deadline* first_ = nullptr;
};

// The limit of one socket: when it passes, what waits on the socket ends with operation_aborted and
// expired() is true. Set it just before the wait it is for.
class deadline {
public:
  deadline(deadline_list&, stream&) noexcept;
  ~deadline();
  deadline(const deadline&) = delete;
  deadline& operator=(const deadline&) = delete;

  void set(std::chrono::milliseconds from_now) noexcept;
  void clear() noexcept;
  // Waiting for a next request and nothing else: may be ended at shutdown.
  void set_idle(bool idle) noexcept;
  bool expired() const noexcept { return expired_; }
  // Until it passes; only while it is set.
  std::chrono::milliseconds left() const noexcept { return at_ - coarse_clock::now(); }

private:
  friend class deadline_list;
  deadline_list& list_;
  stream& socket_;
  deadline* next_;
  deadline* previous_ = nullptr;
  coarse_clock::time_point at_ = coarse_clock::time_point::max();
  coarse_clock::time_point idle_since_;
  bool idle_ = false;
  bool expired_ = false;
};

}  // namespace httpd::io
