// Reading the request body for a script.
#include "server/php_body.hpp"

#include "base/log.hpp"

#include <cerrno>

namespace httpd::server {

namespace {

unsigned status_of(const error_code& error) {
  using namespace boost::system::errc;
  if (error == too_many_files_open || error == too_many_files_open_in_system) return 503;
  return error == no_space_on_device || error == file_too_large || error.value() == EDQUOT ? 507 : 500;
}

void log_unkept(const exchange& from, const error_code& error) {
  static log::rate_limit often{std::chrono::seconds{1}};
  unsigned suppressed = 0;
  if (!often.allow(suppressed)) return;
  const auto& head = from.request().head;
  log::error(status_of(error), ": cannot keep a request body: ", error.message(),
             suppressed > 0 ? concat(", and ", suppressed, " more") : std::string{}, " (",
             escaped(head.method), ' ', escaped(head.target), ')');
}

}  // namespace

awaitable<unsigned> read_whole_body(exchange& from, io::spool& body) {
  for (;;) {
    const auto part = co_await from.read_body();
    if (part.status != 0) co_return part.status;
    if (part.bytes.empty()) co_return 0u;
    if (const auto error = body.append(part.bytes)) {
      log_unkept(from, error);
      co_return status_of(error);
    }
  }
}

}  // namespace httpd::server
