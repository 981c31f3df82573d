// The dispatch on the route.
#include "server/handler.hpp"

#include "server/answers.hpp"
#include "server/exchange.hpp"
#include "server/health.hpp"
#include "server/php.hpp"
#include "server/routing.hpp"
#include "server/static_files.hpp"
#include "server/worker.hpp"

namespace httpd::server {

namespace {

void answer_redirect(exchange& to, const route& where) {
  auto head = error_head(where.status);
  head.add("Location", where.path);
  to.answer(head, error_page(where.status));
}

void answer_options(exchange& to) {
  http::response_head head;
  head.status = 204;
  head.add("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  to.answer(head, {});
}

}  // namespace

io::awaitable<> handle(exchange& asked, worker& w) {
  w.refresh_root();
  const auto where = find_route(asked.request(), w.config, w.root, w.files);
  switch (where.what) {
    case route::kind::file:
      co_await send_static(asked, w, where, nullptr);
      break;
    case route::kind::script:
      co_await run_script(asked, w, where);
      break;
    case route::kind::health:
      co_await answer_health(asked, w);
      break;
    case route::kind::redirect:
      answer_redirect(asked, where);
      break;
    case route::kind::options:
      answer_options(asked);
      break;
    case route::kind::error:
      answer_error(asked, where.status, where.allow);
      break;
  }
}

}  // namespace httpd::server
