// What the supervised php-fpm and its scripts write to standard error: taken from a pipe, made harmless, and
// passed on to ours. Without it a script could send a terminal anything, and a log that nobody reads would
// stop PHP.
#pragma once

#include "base/fd.hpp"

#include <string>

namespace httpd::init {

class php_messages {
public:
  php_messages();  // Throws std::system_error.

  int descriptor() const noexcept { return reader_.get(); }  // readable: forward() has something to do
  int standard_error() const noexcept { return writer_.get(); }  // for each master in turn

  // Passes on the whole lines that are there, of a bounded part of what there is.
  void forward();
  // All that is there, as far as the log takes it within about a second, the beginning of a line too: at the
  // end, when nobody writes any more.
  void forward_all();

private:
  bool take();  // false: there was nothing

  unique_fd reader_, writer_;
  std::string waiting_;  // a line without its end, as it came
};

}  // namespace httpd::init
