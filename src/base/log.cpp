// The error log: composes a line on the stack and hands it over in one system call.
#include "base/log.hpp"

#include "base/log_sink.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace httpd::log {
namespace {

std::atomic<const char*> process_name{"httpd-php-fpm"};
log_sink standard_error;

const char* name_of(level l) noexcept {
  switch (l) {
    case level::error: return "error";
    case level::warning: return "warning";
    case level::notice: return "notice";
  }
  return "error";
}

// Calendar arithmetic instead of gmtime_r, which takes the time zone lock of libc: a line may be
// written between fork and exec.
std::size_t format_prefix(char* out, std::size_t size, level l) noexcept {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date{day};
  const hh_mm_ss time{now - day};
  const int length = std::snprintf(
      out, size, "%04d-%02u-%02u %02d:%02d:%02d.%03d [%s] %.64s %ld: ", int{date.year()},
      unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
      static_cast<int>(time.subseconds().count()), name_of(l),
      process_name.load(std::memory_order_relaxed), static_cast<long>(::getpid()));
  return length < 0 ? 0 : std::min(static_cast<std::size_t>(length), size - 1);
}

// A line that comes after lost ones says so first; it may also have to end a line that was cut.
void write_lost(log_sink& to) noexcept {
  const unsigned lost = to.take_lost();
  if (lost == 0) return;
  char text[256];
  const std::size_t prefix = format_prefix(text + 1, sizeof text - 1, level::warning) + 1;
  text[0] = '\n';
  const int length = std::snprintf(text + prefix, sizeof text - prefix,
                                   "%u messages before this were lost: nobody read the log\n", lost);
  iovec part{text, prefix + static_cast<std::size_t>(length)};
  if (!to.write(STDERR_FILENO, &part, 1)) to.add_lost(lost - 1);  // the write has counted itself
}

}  // namespace

void write(level l, std::string_view message) noexcept {
  const int saved_errno = errno;
  while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
  char prefix[160];
  char line_end = '\n';
  iovec lines[] = {{prefix, format_prefix(prefix, sizeof prefix, l)},
                   {const_cast<char*>(message.data()), message.size()},
                   {&line_end, 1}};
  write_lost(standard_error);
  standard_error.write(STDERR_FILENO, lines, 3);
  errno = saved_errno;
}

void write_as_is(std::string_view lines) noexcept {
  const int saved_errno = errno;
  iovec part{const_cast<char*>(lines.data()), lines.size()};
  write_lost(standard_error);
  standard_error.write(STDERR_FILENO, &part, 1);
  errno = saved_errno;
}

void set_process_name(const char* name) noexcept {
  process_name.store(name, std::memory_order_relaxed);
}

bool rate_limit::allow(unsigned& suppressed) noexcept {
  using namespace std::chrono;
  const std::int64_t now =
      duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  std::int64_t next = next_ms_.load(std::memory_order_relaxed);
  // Of several threads that see the period end, the one that moves it on writes the line.
  if (now < next || !next_ms_.compare_exchange_strong(next, now + period_.count())) {
    suppressed_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  suppressed = suppressed_.exchange(0, std::memory_order_relaxed);
  return true;
}

}  // namespace httpd::log
