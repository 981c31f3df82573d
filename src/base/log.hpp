// The error log: one line, one write(2), on standard error. Thread-safe, never throws, and never waits for
// a reader that has stopped (base/log_sink.hpp): then lines are lost, and the next one says how many.
// Text that came from a client goes through escaped() of base/text.hpp first.
#pragma once

#include "base/text.hpp"

#include <atomic>
#include <chrono>
#include <string_view>

namespace httpd::log {

enum class level { error, warning, notice };

// "2026-11-30 10:06:51.123 [error] server 4711: MESSAGE\n" (UTC)
void write(level, std::string_view message) noexcept;
// Whole lines of someone else, already made harmless by append_printable().
void write_as_is(std::string_view lines) noexcept;
// What this process calls itself in its lines, e.g. "init" or "server". A literal.
void set_process_name(const char* name) noexcept;

template <class... Parts>
void error(const Parts&... parts) { write(level::error, concat(parts...)); }
template <class... Parts>
void warning(const Parts&... parts) { write(level::warning, concat(parts...)); }
template <class... Parts>
void notice(const Parts&... parts) { write(level::notice, concat(parts...)); }

// Lets one line through per period, for faults that repeat by the thousand. Thread-safe.
class rate_limit {
public:
  explicit rate_limit(std::chrono::milliseconds period) noexcept : period_{period} {}
  // True when a line may be written now; `suppressed` = how many were not since the last one.
  bool allow(unsigned& suppressed) noexcept;

private:
  const std::chrono::milliseconds period_;
  std::atomic<std::int64_t> next_ms_{0};
  std::atomic<unsigned> suppressed_{0};
};

}  // namespace httpd::log
