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

bool answer_at_once(exchange& to, worker& w, route& where) {
  switch (where.what) {
    case route::kind::file:
      return answer_static_at_once(to, w, where);
    case route::kind::redirect:
      answer_redirect(to, where);
      return true;
    case route::kind::options:
      answer_options(to);
      return true;
    case route::kind::error:
      answer_error(to, where.status, where.allow);
      return true;
    default:
      return false;
  }
}

io::awaitable<> handle(exchange& asked, worker& w, const route& where) {
  if (where.what == route::kind::file) co_await send_static(asked, where, nullptr);
  else if (where.what == route::kind::script) co_await run_script(asked, w, where);
  else co_await answer_health(asked, w);
}

}  // namespace httpd::server
