// The per-thread upkeep: tick, date, root, drain.
#include "server/worker.hpp"

#include "base/log.hpp"
#include "base/shared_state.hpp"
#include "http/date.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

namespace httpd::server {

namespace {

constexpr std::size_t cache_entries = 1024;     // per process
constexpr std::size_t cache_bytes = 8u << 20;   // per process

// From the limit of open files: what is open anyway, a descriptor for each request inside PHP and some for
// files and spooled bodies are kept back, so that who has a connection is also answered.
std::size_t connections_per_thread(const config::configuration& config) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  const auto all = static_cast<std::size_t>(limit.rlim_cur);
  const auto base = 12 + 6 * std::size_t{config.threads};
  const auto left = all > base ? all - base : 0;
  const bool no_php = config.php.mode == config::php_mode::none;
  const auto php = no_php                    ? 0
                   : config.php.workers == 0 ? left / 2
                                             : std::min<std::size_t>(config.php.workers, left / 3);
  const auto files = std::min<std::size_t>(left / 6, 64);
  return std::max<std::size_t>((left - php - files) / config.threads, 4);
}

}  // namespace

process::process(const config::configuration& c, shared_state& s, endpoint php_socket, int log_fd)
    : config{c}, shared{s}, php{c.php, std::move(php_socket)},
      php_places{c.php.workers, c.php.queue_length},
      access_log_fd{log_fd},
      connections_per_thread{server::connections_per_thread(c)} {}

worker::worker(process& p)
    : all{p},
      config{p.config},
      root{p.config.document_root},
      files{root, std::max<std::size_t>(cache_entries / p.config.threads, 16),
            cache_bytes / p.config.threads},
      log{p.access_log_fd, p.config.access_log.format},
      php{p.php, context.get_executor()} {}

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
    log.flush();
    publish_counts();
    if (root.refresh()) files.clear();
  }
}

void worker::drain() {
  draining_ = true;
  deadlines.expire_idle();
  io::asio::co_spawn(context, cut_after_grace(), io::asio::detached);
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
