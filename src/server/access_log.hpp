// The access log: a line per request, combined or JSON. Each thread collects its lines and writes whole
// ones; what a client sent is escaped, so that no line can be forged.
#pragma once

#include "base/log_sink.hpp"
#include "config/config.hpp"
#include "server/request.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace httpd::server {

struct timings;

struct answered {
  unsigned status = 0;
  std::uint64_t content_bytes = 0;
};

class access_log {
public:
  // `fd` is not owned and outlives this object; -1 = off.
  access_log(int fd, config::log_format format) noexcept : fd_{fd}, format_{format} {}

  bool is_on() const noexcept { return fd_ >= 0; }
  // Written out when enough has come together, and by flush().
  void write(const request&, const timings&, const answered&);
  // A request whose head could not be read: `first_line` is what came.
  void write_refused(const peer&, std::string_view first_line, const answered&);
  // Does not wait for a reader that has stopped: lines are lost, and the error log says so.
  void flush() noexcept;

private:
  std::string_view local_time();
  void write_combined(const request&, const answered&);
  void write_json(const request&, const timings&, const answered&);
  void line_done();

  const int fd_;
  log_sink sink_;
  const config::log_format format_;
  std::string lines_;
  std::time_t time_ = -1;
  std::string time_text_;
};

}  // namespace httpd::server
