// The intrusive list of deadlines and its tick.
#include "io/deadline.hpp"

#include <ctime>

namespace httpd::io {

coarse_clock::time_point coarse_clock::now() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return time_point{std::chrono::milliseconds{std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000}};
}

// cancel() only queues completions, so no deadline goes away while the list is walked.
template <class Which>
void deadline_list::expire_if(Which which) {
  for (auto* d = first_; d; d = d->next_) {
    if (!which(*d)) continue;
    d->expired_ = true;
    d->at_ = coarse_clock::time_point::max();
    error_code ignored;
    d->socket_.cancel(ignored);
  }
}

void deadline_list::tick() {
  const auto now = coarse_clock::now();
  expire_if([now](const deadline& d) { return d.at_ <= now; });
}

void deadline_list::expire_idle(std::chrono::milliseconds at_least) {
  const auto since = coarse_clock::now() - at_least;
  expire_if([since](const deadline& d) { return d.idle_ && d.idle_since_ <= since; });
}

void deadline_list::expire_all() {
  expire_if([](const deadline&) { return true; });
}

deadline::deadline(deadline_list& list, stream& socket) noexcept
    : list_{list}, socket_{socket}, next_{list.first_} {
  if (next_) next_->previous_ = this;
  list_.first_ = this;
}

deadline::~deadline() {
  (previous_ ? previous_->next_ : list_.first_) = next_;
  if (next_) next_->previous_ = previous_;
}

void deadline::set(std::chrono::milliseconds from_now) noexcept {
  expired_ = false;
  at_ = coarse_clock::now() + from_now;
}

void deadline::set_idle(bool idle) noexcept {
  if (idle) idle_since_ = coarse_clock::now();
  idle_ = idle;
}

void deadline::clear() noexcept {
  expired_ = false;
  at_ = coarse_clock::time_point::max();
}

}  // namespace httpd::io
