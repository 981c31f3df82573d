// Formatting and writing access lines.
#include "server/access_log.hpp"

#include "base/log.hpp"
#include "server/exchange.hpp"

#include <algorithm>
#include <climits>

namespace httpd::server {

namespace {

void append_optional(std::string& out, std::string_view value) {
  out += '"';
  if (value.empty()) out += '-';
  else append_escaped(out, value);
  out += '"';
}

void append_seconds(std::string& out, std::chrono::microseconds time) {
  const auto milliseconds = time.count() / 1000;
  append(out, milliseconds / 1000, '.');
  const auto rest = static_cast<int>(milliseconds % 1000);
  append(out, rest / 100, rest / 10 % 10, rest % 10);
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  append(out, ",\"", name, "\":\"");
  append_json(out, value);
  out += '"';
}

}  // namespace

// "30/Nov/2026:10:06:51 +0000" or, for JSON, "2026-11-30T10:06:51+0000"; made once a second.
std::string_view access_log::local_time() {
  const auto now = std::time(nullptr);
  if (now == time_) return time_text_;
  time_ = now;
  tm local{};
  ::localtime_r(&now, &local);
  char text[40];
  if (format_ == config::log_format::json) {
    time_text_.assign(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local));
    return time_text_;
  }
  // No %b: it would follow the locale.
  static constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  time_text_ = concat(local.tm_mday / 10, local.tm_mday % 10, '/', months[local.tm_mon]);
  time_text_.append(text, std::strftime(text, sizeof text, "/%Y:%H:%M:%S %z", &local));
  return time_text_;
}

void access_log::write(const request& what, const timings& times, const answered& answer) {
  if (!is_on()) return;
  if (format_ == config::log_format::combined) write_combined(what, answer);
  else write_json(what, times, answer);
  line_done();
}

void access_log::write_combined(const request& what, const answered& answer) {
  append(lines_, what.remote_address(), " - - [", local_time(), "] \"");
  append_escaped(lines_, what.head.method);
  lines_ += ' ';
  append_escaped(lines_, what.head.target);
  append(lines_, " HTTP/1.", what.head.minor_version, "\" ", answer.status, ' ', answer.content_bytes, ' ');
  append_optional(lines_, what.head.find("Referer"));
  lines_ += ' ';
  append_optional(lines_, what.head.find("User-Agent"));
}

void access_log::write_json(const request& what, const timings& times, const answered& answer) {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  const auto total = duration_cast<microseconds>(std::chrono::steady_clock::now() - times.started);
  append(lines_, "{\"time\":\"", local_time(), "\",\"remote_addr\":\"", what.remote_address(), '"');
  append_member(lines_, "method", what.head.method);
  append_member(lines_, "host", what.host);
  append_member(lines_, "uri", what.head.target);
  append(lines_, ",\"protocol\":\"HTTP/1.", what.head.minor_version, "\",\"status\":", answer.status,
         ",\"bytes\":", answer.content_bytes, ",\"request_time\":");
  append_seconds(lines_, total);
  if (times.queued.count() >= 0) {
    lines_ += ",\"queue_time\":";
    append_seconds(lines_, times.queued);
  }
  append_member(lines_, "referer", what.head.find("Referer"));
  append_member(lines_, "user_agent", what.head.find("User-Agent"));
  lines_ += '}';
}

void access_log::write_refused(const peer& from, std::string_view first_line, const answered& answer) {
  if (!is_on()) return;
  first_line = first_line.substr(0, std::min(first_line.find_first_of("\r\n"), std::size_t{256}));
  if (format_ == config::log_format::combined) {
    append(lines_, from.text, " - - [", local_time(), "] ");
    append_optional(lines_, first_line);
    append(lines_, ' ', answer.status, ' ', answer.content_bytes, " \"-\" \"-\"");
  } else {
    append(lines_, "{\"time\":\"", local_time(), "\",\"remote_addr\":\"", from.text, '"');
    append_member(lines_, "request", first_line);
    append(lines_, ",\"status\":", answer.status, ",\"bytes\":", answer.content_bytes, '}');
  }
  line_done();
}

void access_log::line_done() {
  lines_ += '\n';
  if (lines_.size() >= 16 * 1024) flush();
}

// In parts of whole lines up to PIPE_BUF: a pipe keeps those together when several threads and an
// older server process write to it.
void access_log::flush() noexcept {
  std::string_view rest = lines_;
  while (!rest.empty()) {
    auto part = rest.substr(0, PIPE_BUF);
    if (const auto end = part.rfind('\n'); end != part.npos) part = part.substr(0, end + 1);
    rest.remove_prefix(part.size());
    iovec bytes{const_cast<char*>(part.data()), part.size()};
    if (!sink_.write(fd_, &bytes, 1))
      sink_.add_lost(static_cast<unsigned>(std::ranges::count(part, '\n')) - 1);  // a write counts as one
  }
  lines_.clear();
  static log::rate_limit often{std::chrono::seconds{10}};
  unsigned suppressed = 0;
  if (sink_.has_lost() && often.allow(suppressed))
    log::warning("the access log is not read or cannot be written: up to ",
                 sink_.take_lost(), " lines are lost");
}

}  // namespace httpd::server
