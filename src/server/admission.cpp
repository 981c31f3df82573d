// The line in front of PHP: an intrusive list of frames that wait, under one short lock.
#include "server/admission.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace httpd::server {

// Lives in the frame of enter(). `next`, `previous`, `listed` belong to the lock; `granted` to the
// waiter's own thread, told by a posted call: so a waiter that was taken off the list must stay until
// that call has come.
struct admission::waiter {
  explicit waiter(io::executor on) : executor{on}, timer{on} {}
  io::executor executor;
  io::timer timer;
  waiter* next = nullptr;
  waiter* previous = nullptr;
  bool listed = false;
  bool granted = false;
};

bool admission::try_enter(waiter* w, outcome& refused) {
  const std::lock_guard lock{mutex_};
  if (inside_ < places_ && !first_) {
    ++inside_;
    return true;
  }
  if (!w) return false;
  if (waiting_ >= queue_length_) {
    refused = outcome::queue_full;
    return false;
  }
  ++waiting_;
  w->previous = last_;
  (last_ ? last_->next : first_) = w;
  last_ = w;
  w->listed = true;
  return false;
}

// False: it has been granted a place meanwhile.
bool admission::withdraw(waiter& w) noexcept {
  const std::lock_guard lock{mutex_};
  if (!w.listed) return false;
  (w.previous ? w.previous->next : first_) = w.next;
  (w.next ? w.next->previous : last_) = w.previous;
  w.listed = false;
  --waiting_;
  return true;
}

void admission::leave() noexcept {
  waiter* next = nullptr;
  {
    const std::lock_guard lock{mutex_};
    next = first_;
    if (!next) {
      --inside_;
      return;
    }
    first_ = next->next;
    (first_ ? first_->previous : last_) = nullptr;
    next->listed = false;
    --waiting_;
  }
  io::asio::post(next->executor, [next] {
    next->granted = true;
    next->timer.cancel();
  });
}

bool admission::enter_at_once(lease& place) {
  if (places_ == 0) return true;
  auto refused = outcome::entered;
  if (!try_enter(nullptr, refused)) return false;
  place = lease{*this};
  return true;
}

io::awaitable<admission::outcome> admission::enter(io::executor on, std::chrono::milliseconds at_most,
                                                   bool (*still_wanted)(void*), void* context,
                                                   lease& place) {
  if (places_ == 0) co_return outcome::entered;
  auto refused = outcome::entered;
  waiter w{on};
  if (try_enter(&w, refused)) {
    place = lease{*this};
    co_return outcome::entered;
  }
  if (refused == outcome::queue_full) co_return refused;

  auto now = std::chrono::steady_clock::now();
  const auto give_up_at = now + at_most;
  for (bool has_waited = false; !w.granted; has_waited = true, now = std::chrono::steady_clock::now()) {
    const bool late = now >= give_up_at;
    if ((late || (has_waited && !still_wanted(context))) && withdraw(w))
      co_return late ? outcome::timed_out : outcome::given_up;
    const auto look_again = now + std::chrono::seconds{1};
    w.timer.expires_at(late ? look_again : std::min(give_up_at, look_again));
    co_await w.timer.async_wait(io::token);
  }
  place = lease{*this};
  if (!still_wanted(context)) {
    place.release();
    co_return outcome::given_up;
  }
  co_return outcome::entered;
}

}  // namespace httpd::server
