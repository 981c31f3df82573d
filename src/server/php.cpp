// The story of one script run, top to bottom.
#include "server/php.hpp"

#include "base/log.hpp"
#include "fastcgi/record.hpp"
#include "io/spool.hpp"
#include "io/wait_either.hpp"
#include "server/answers.hpp"
#include "server/php_answer.hpp"
#include "server/php_body.hpp"
#include "server/php_params.hpp"
#include "server/php_request.hpp"
#include "server/routing.hpp"
#include "server/static_files.hpp"
#include "server/worker.hpp"
#include "server/exchange.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace httpd::server {

namespace {

enum class verdict { ended, client_left, timed_out, cut_off, broken };

template <class... Parts>
void log_failure(const exchange& to, const Parts&... parts) {
  const auto& asked = to.request();
  log::error(parts..., " (", escaped(asked.head.method), ' ', escaped(asked.head.target), ')');
}

bool still_wanted(void* asked) { return !static_cast<exchange*>(asked)->client_left(); }

// PHP goes on with a request nobody waits for. Its next write fails, which ends a script that streams; the
// place is given back only when the worker is really free. php-fpm reads nothing while a script runs, and
// at the end it reads until we close: so as long as a record stays unread, the worker is busy.
io::awaitable<> wait_for_worker(io::stream php, admission::lease place, bool request_is_sent) {
  ::shutdown(php.native_handle(), SHUT_RD);
  std::string unread;
  if (request_is_sent) fastcgi::append_header(unread, fastcgi::record_type::abort_request, 0);
  static_cast<void>(::send(php.native_handle(), unread.data(), unread.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  io::timer timer{php.get_executor()};
  auto pause = std::chrono::milliseconds{1};
  int bytes = 0;
  while (::ioctl(php.native_handle(), SIOCOUTQ, &bytes) == 0 && bytes > 0) {
    timer.expires_after(pause);
    co_await timer.async_wait(io::token);
    pause = std::min(pause * 2, std::chrono::milliseconds{50});
  }
  error_code ignored;
  php.close(ignored);
  place.release();
}

void abandon(worker& w, const php_pool& pool, io::stream php, admission::lease place, bool request_is_sent) {
  const bool can_watch = pool.config.mode == config::php_mode::supervised;
  if (place && can_watch)
    io::asio::co_spawn(w.context, wait_for_worker(std::move(php), std::move(place), request_is_sent),
                       io::asio::detached);
}

class script_run {
public:
  script_run(exchange& to, worker& w, io::stream& php, php_request& request)
      : to_{to}, worker_{w}, php_{php}, limit_{w.deadlines, php}, request_{request},
        answer_{to, w.config.limits.max_php_head_bytes} {}

  // Sends the request and relays the answer until PHP has ended it.
  io::awaitable<verdict> run() {
    for (;;) {
      if (!request_.is_sent() && !send_more()) co_return verdict::broken;
      if (!to_.has_room()) {
        stop_limit();
        const auto left = co_await to_.wait_for_room();
        if (left) co_return verdict::client_left;
        continue;
      }
      start_limit();
      if (request_.is_sent() && to_.has_all()) {
        co_await php_.async_wait(io::stream::wait_read, io::token);
      } else {
        const auto failed = co_await wait();
        if (failed) co_return verdict::client_left;
      }
      if (limit_.expired()) co_return worker_.all.was_cut ? verdict::cut_off : verdict::timed_out;
      const auto status = receive();
      if (status == php_answer::status::ended) co_return verdict::ended;
      if (status == php_answer::status::client_left) co_return verdict::client_left;
      if (status == php_answer::status::bad) co_return verdict::broken;
    }
  }

  const php_answer& answer() const noexcept { return answer_; }
  std::string_view reason() const noexcept { return reason_.empty() ? answer_.reason() : reason_; }

private:
  // Runs from the last byte of PHP's, whatever the client does meanwhile, but not while PHP waits for it.
  void start_limit() noexcept {
    if (!std::exchange(limited_, true)) limit_.set(worker_.config.limits.php_timeout);
  }
  void stop_limit() noexcept {
    limited_ = false;
    limit_.clear();
  }

  io::awaitable<error_code> wait() {
    if (request_.is_sent()) co_return co_await to_.wait_for(php_);
    // PHP may answer before it has read everything: whichever it is ready for.
    co_await io::wait_writable_or_readable(php_, php_);
    co_return error_code{};
  }

  // A connection that PHP has ended is no verdict: it may have answered before, and reading tells. Anything
  // else is: a script must not run with half a body and be taken for a success.
  bool send_more() {
    const auto error = request_.push(php_);
    if (!error || io::would_block(error)) return true;
    request_.give_up();
    if (error == boost::system::errc::broken_pipe || error == boost::system::errc::connection_reset)
      return true;
    reason_ = "the request could not be sent";
    return false;
  }

  php_answer::status receive() {
    auto& buffer = worker_.buffer;
    const auto n = ::recv(php_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    limited_ = limited_ && n <= 0;
    if (n > 0) return answer_.feed({buffer.data(), static_cast<std::size_t>(n)});
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return php_answer::status::more;
    reason_ = n == 0 ? "it closed the connection before the end of its answer"
                     : "it reset the connection (its worker died or was ended)";
    answer_.connection_ended();
    return php_answer::status::bad;
  }

  exchange& to_;
  worker& worker_;
  io::stream& php_;
  io::deadline limit_;
  php_request& request_;
  php_answer answer_;
  std::string_view reason_;
  bool limited_ = false;  // limit_ runs
};

// The file a script named, below the document root; else "".
std::string named_file(const php_answer& answer, const worker& w, const config::php& php) {
  std::string path;
  if (!answer.accel_redirect().empty()) {
    const auto uri = std::string_view{answer.accel_redirect()};
    if (http::normalize_path(uri.substr(0, uri.find('?')), path) != 0) path.clear();
    return path;
  }
  std::string_view name = answer.sendfile();
  const std::string_view roots[] = {php.root, w.root.real_path(), w.config.document_root};
  for (const auto root : roots) {
    if (root.empty() || !name.starts_with(root)) continue;
    const auto rest = name.substr(root == "/" ? 0 : root.size());
    if (!rest.starts_with('/')) continue;
    // As for a target: slashes merged, dots resolved, never above the root.
    return std::filesystem::path{rest}.lexically_normal().string();
  }
  return path;
}

io::awaitable<> send_named_file(exchange& to, worker& w, const config::php& php, const php_answer& answer) {
  const auto path = named_file(answer, w, php);
  route where;
  if (!path.empty()) where = find_file(path, w.files);
  if (where.what == route::kind::file) {
    co_await send_static(to, where, &answer.head());
    co_return;
  }
  log_failure(to,
              "a script wants a file sent that is not there, not below the document root, or never sent: ",
              escaped(answer.accel_redirect().empty() ? answer.sendfile() : answer.accel_redirect()));
  answer_error(to, where.status);
}

void finish_answer(exchange& to) {
  if (to.excess() > 0)
    log_failure(to, "php: Content-Length is smaller than the content: ", to.excess(), " bytes were cut off");
  if (to.missing() > 0)
    log_failure(to, "php: Content-Length is larger than the content: ", to.missing(), " bytes are missing");
  to.finish();
}

void answer_failure(exchange& to, verdict what, std::string_view reason) {
  unsigned status = 502;
  if (what == verdict::timed_out) {
    status = 504;
    log_failure(to, "php-fpm sent nothing for the time of --php-timeout");
  } else if (what == verdict::cut_off) {
    status = 503;
    log_failure(to, "a script was still running at the end of --grace");
  } else {
    log_failure(to, "php-fpm failed: ", reason);
  }
  if (to.begun()) to.abort();
  else answer_error(to, status);
}

io::awaitable<bool> enter(exchange& to, worker& w, admission& places, admission::lease& place) {
  const auto arrived = std::chrono::steady_clock::now();
  const auto outcome = co_await places.enter(
      w.context.get_executor(), w.config.limits.queue_timeout, still_wanted, &to, place);
  to.timings().queued =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - arrived);
  switch (outcome) {
    case admission::outcome::entered:
      co_return true;
    case admission::outcome::given_up:
      to.abort();
      co_return false;
    default:
      break;
  }
  static log::rate_limit often{std::chrono::seconds{1}};
  unsigned suppressed = 0;
  if (often.allow(suppressed))
    log_failure(to, outcome == admission::outcome::queue_full
                        ? "503: the queue for PHP is full (--queue-length)"
                        : "503: no PHP worker became free in time (--queue-timeout, --php-workers)",
                suppressed > 0 ? concat(", and ", suppressed, " more") : std::string{});
  answer_error(to, 503);
  co_return false;
}

}  // namespace

io::awaitable<> run_script(exchange& to, worker& w, const route& where) {
  io::spool body{&w.all.body_files};
  unsigned status = 0;
  if (to.request().head.has_body()) status = co_await read_whole_body(to, body);
  if (status != 0) {
    body.discard();  // who sees the answer finds the room again
    if (status == 499) to.abort();
    else answer_error(to, status);
    co_return;
  }
  auto& pool = w.all.pools[where.application];
  auto& addresses = w.php[where.application];
  admission::lease place;
  if (pool.places.enter_at_once(place)) to.timings().queued = std::chrono::microseconds{0};
  else if (!co_await enter(to, w, pool.places, place)) co_return;

  php_request request{body, w.spare_php_request};
  if (!request.compose(to.request(), where, w)) {
    answer_error(to, 431);
    co_return;
  }
  io::stream php{w.context.get_executor()};
  error_code error;
  if (!addresses.connect_at_once(php)) {
    const auto give_up_at = std::chrono::steady_clock::now() + w.config.limits.queue_timeout;
    error = co_await addresses.connect(php, w.deadlines, give_up_at);
  }
  if (error) {
    answer_error(to,
                 error == boost::system::errc::timed_out || error == boost::system::errc::too_many_files_open
                     ? 503
                     : 502);
    co_return;
  }

  script_run run{to, w, php, request};
  const auto what = co_await run.run();
  if (what == verdict::client_left) to.abort();
  else if (what != verdict::ended) answer_failure(to, what, run.reason());
  if (what != verdict::ended && what != verdict::broken) {
    abandon(w, pool, std::move(php), std::move(place), request.is_sent());
    co_return;
  }
  error_code ignored;
  php.close(ignored);
  place.release();
  if (what == verdict::broken) co_return;
  if (run.answer().needs_file()) co_await send_named_file(to, w, pool.config, run.answer());
  else finish_answer(to);
}

}  // namespace httpd::server
