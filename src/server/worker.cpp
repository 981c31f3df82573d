// The per-thread upkeep: tick, date, root, drain.
#include "server/worker.hpp"

#include "base/log.hpp"
#include "base/shared_state.hpp"
#include "http/date.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <utility>

namespace httpd::server {

namespace {

constexpr std::size_t cache_bytes = 8u << 20;   // per process

}  // namespace

process::process(const config::configuration& c, shared_state& s, const std::vector<endpoint>& php_sockets,
                 int log_fd)
    : config{c}, shared{s},
      descriptors{share_descriptors(c)},
      connections{c.limits.max_connections, descriptors},
      body_files{descriptors.bodies},
      answer_bytes{c.limits.php_spool_bytes},
      access_log_fd{log_fd} {
  const auto applications = config::applications(c);
  for (std::size_t i = 0; i < applications.size(); ++i) pools.emplace_back(applications[i], php_sockets[i]);
}

worker::worker(process& p)
    : all{p},
      config{p.config},
      answers{p.answer_bytes, p.config.limits.php_buffer_bytes},
      root{p.config.document_root},
      files{root, std::max<std::size_t>(p.descriptors.cached_files / p.config.threads, 2),
            cache_bytes / p.config.threads},
      log{p.access_log_fd, p.config.access_log.format} {
  for (auto& pool : p.pools) php.emplace_back(pool.servers, context.get_executor());
}

std::string_view worker::date_and_server() {
  const auto now = std::time(nullptr);
  if (now != date_time_) {
    date_time_ = now;
    const auto text = http::format_date(now);
    date_text_ =
        concat("Date: ", std::string_view{text.data(), text.size()}, "\r\nServer: httpd-php-fpm\r\n");
  }
  return date_text_;
}

void worker::refresh_root() {
  if (root.is_linked() && root.refresh()) files.clear();
}

io::awaitable<> worker::run_ticks() {
  io::timer timer{context.get_executor()};
  for (;;) {
    timer.expires_after(io::deadline_list::tick_period);
    co_await timer.async_wait(io::token);
    deadlines.tick();
    if (const auto calls = all.connections.calls_for_room(); std::exchange(calls_for_room_, calls) != calls)
      make_room();
    log.flush();
    publish_counts();
    if (root.refresh()) files.clear();
  }
}

// Who waits for nothing makes room for who wants something; but who has just come may be about to ask.
void worker::make_room() { deadlines.expire_idle(std::chrono::seconds{1}); }

void worker::drain(bool within_grace) {
  draining_ = true;
  deadlines.expire_idle();
  if (within_grace) io::asio::co_spawn(context, cut_after_grace(), io::asio::detached);
  stop_when_drained();
}

io::awaitable<> worker::cut_after_grace() {
  io::timer timer{context.get_executor()};
  timer.expires_after(config.limits.grace);
  co_await timer.async_wait(io::token);
  if (!all.was_cut.exchange(true)) log::warning("requests that are not finished after --grace are cut off");
  deadlines.expire_all();
  // A moment for the connections to be closed in order; then whatever holds on is left behind.
  timer.expires_after(std::chrono::milliseconds{300});
  co_await timer.async_wait(io::token);
  context.stop();
}

void worker::publish_counts() noexcept {
  all.shared.requests.fetch_add(std::exchange(requests, 0), std::memory_order_relaxed);
}

}  // namespace httpd::server
