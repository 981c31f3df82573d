// Liveness and readiness in one answer.
#include "server/health.hpp"

#include "base/shared_state.hpp"
#include "server/exchange.hpp"
#include "server/worker.hpp"

namespace httpd::server {

namespace {

io::awaitable<bool> external_php_answers(worker& w, php_addresses& php) {
  io::stream probe{w.context.get_executor()};
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  const auto error = co_await php.connect(probe, w.deadlines, give_up_at);
  co_return !error || error == boost::system::errc::timed_out;
}

}  // namespace

io::awaitable<> answer_health(exchange& asked, worker& w) {
  std::string_view fault;
  if (w.is_draining() || w.all.shared.draining) fault = "draining";
  for (std::size_t i = 0; i < w.all.pools.size() && fault.empty(); ++i) {
    if (w.all.pools[i].config.mode == config::php_mode::supervised) {
      if (w.all.shared.applications[i].php != php_state::running) fault = "php-fpm is not running";
      continue;
    }
    const bool answers = co_await external_php_answers(w, w.php[i]);
    if (!answers) fault = "php-fpm cannot be reached";
  }

  http::response_head head;
  head.status = fault.empty() ? 200 : 503;
  head.add("Content-Type", "application/json");
  head.add("Cache-Control", "no-store");
  const auto content = fault.empty() ? std::string{"{\"status\":\"ok\"}\n"}
                                     : concat("{\"status\":\"unavailable\",\"reason\":\"", fault, "\"}\n");
  head.content_length = content.size();
  asked.answer(head, content);
}

}  // namespace httpd::server
