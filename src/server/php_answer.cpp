// Records, head, content and messages of one answer.
#include "server/php_answer.hpp"

#include "base/log.hpp"
#include "server/exchange.hpp"

namespace httpd::server {

namespace {

constexpr std::size_t stderr_line_bytes = 64 * 1024;

}  // namespace

php_answer::status php_answer::feed(std::string_view bytes) {
  using event = fastcgi::response_parser::event;
  content_.clear();
  bool ended = false;
  while (!ended) {
    const auto step = records_.next(bytes);
    bytes.remove_prefix(step.consumed);
    if (step.what == event::more) break;
    switch (step.what) {
      case event::out:
        if (!take_stdout(step.data)) return status::bad;
        break;
      case event::err:
        take_stderr(step.data);
        break;
      case event::bad:
        reason_ = records_.protocol_status() != 0 ? "it refused the request (overloaded or wrong role)"
                                                  : "it does not speak FastCGI";
        return status::bad;
      default:
        ended = true;
        break;
    }
  }
  if (ended) connection_ended();
  if (ended && !head_complete_) {
    reason_ = "it ended without an answer";
    return status::bad;
  }
  if (head_complete_ && !needs_file() && !deliver(ended)) return status::client_left;
  return ended ? status::ended : status::more;
}

bool php_answer::take_stdout(std::string_view data) {
  if (!head_complete_) {
    std::size_t consumed = 0;
    switch (head_.feed(data, consumed)) {
      case fastcgi::cgi_head::status::more:
        return true;
      case fastcgi::cgi_head::status::bad:
        reason_ = "the head of its answer is malformed";
        return false;
      case fastcgi::cgi_head::status::too_large:
        reason_ = "the head of its answer is larger than --max-php-head";
        return false;
      case fastcgi::cgi_head::status::complete:
        break;
    }
    head_complete_ = true;
    make_head();
    data.remove_prefix(consumed);
  }
  if (!data.empty()) content_.push_back(data);
  return true;
}

void php_answer::make_head() {
  out_head_.status = head_.code();
  out_head_.reason = head_.reason();
  out_head_.content_length = head_.content_length();
  for (const auto& field : head_.fields()) {
    if (iequals(field.name, "X-Accel-Redirect")) accel_redirect_ = field.value;
    else if (iequals(field.name, "X-Sendfile")) sendfile_ = field.value;
    // Spoken to us, and honoured: nothing is ever buffered until the end.
    else if (iequals(field.name, "X-Accel-Buffering")) continue;
    else out_head_.add(field.name, field.value);
    out_head_.has_date = out_head_.has_date || iequals(field.name, "Date");
    out_head_.has_server = out_head_.has_server || iequals(field.name, "Server");
  }
}

// An answer that is here as a whole gets a Content-Length. PHP sends no content for HEAD, so its length
// says nothing there.
bool php_answer::deliver(bool ended) {
  if (!to_.begun()) {
    if (ended && !out_head_.content_length && to_.request().head.method != "HEAD") {
      std::uint64_t size = 0;
      for (const auto part : content_) size += part.size();
      out_head_.content_length = size;
    }
    to_.begin(out_head_);
    if (content_.empty() && !ended && to_.send({})) return false;
  }
  for (const auto part : content_)
    if (to_.send(part)) return false;
  return true;
}

void php_answer::take_stderr(std::string_view data) {
  while (!data.empty()) {
    const auto end = data.find('\n');
    stderr_line_ += data.substr(0, end);
    if (end == data.npos) {
      if (stderr_line_.size() < stderr_line_bytes) return;
      data = {};
    } else {
      data.remove_prefix(end + 1);
    }
    log_line(stderr_line_);
    stderr_line_.clear();
  }
}

void php_answer::connection_ended() {
  if (!stderr_line_.empty()) log_line(stderr_line_);
  stderr_line_.clear();
}

void php_answer::log_line(std::string_view line) const {
  if (line.empty()) return;
  const auto& asked = to_.request();
  log::error("php: ", printable(line), " (", escaped(asked.head.method), ' ', escaped(asked.head.target),
             ')');
}

}  // namespace httpd::server
