// The relay of php-fpm's messages.
#include "init/php_messages.hpp"

#include "base/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace httpd::init {
namespace {

constexpr std::size_t longest_line = 1024 * 1024;  // as log_limit of fpm_config()
// Little at a time: a slow reader of our log is then waited for between two reads, and loses nothing.
constexpr std::size_t read_bytes = 2048;
constexpr int reads_in_a_row = 64;
// Such a wait is init's, which has signals to take.
constexpr std::chrono::milliseconds most_in_a_row{100}, most_at_the_end{1000};

}  // namespace

php_messages::php_messages() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe for php-fpm's messages"};
  reader_.reset(ends[0]);
  writer_.reset(ends[1]);
  // Only our end: php-fpm expects a standard error that waits.
  ::fcntl(reader_.get(), F_SETFL, O_NONBLOCK);
}

bool php_messages::take() {
  std::array<char, read_bytes> part;
  const ssize_t size = ::read(reader_.get(), part.data(), part.size());
  if (size <= 0) return false;
  const std::string_view bytes{part.data(), static_cast<std::size_t>(size)};
  auto whole = bytes.rfind('\n') + 1;  // 0 without one
  if (whole > 0) whole += waiting_.size();
  waiting_.append(bytes);
  if (whole == 0 && waiting_.size() >= longest_line) whole = waiting_.size();
  std::string_view lines = std::string_view{waiting_}.substr(0, whole);
  std::string out;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    append_printable(out, lines.substr(0, end));
    out += '\n';
    lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
  }
  if (!out.empty()) log::write_as_is(out);
  waiting_.erase(0, whole);
  return true;
}

void php_messages::forward() {
  const auto until = std::chrono::steady_clock::now() + most_in_a_row;
  for (int i = 0; i < reads_in_a_row && take() && std::chrono::steady_clock::now() < until; ++i) {}
}

void php_messages::forward_all() {
  const auto until = std::chrono::steady_clock::now() + most_at_the_end;
  while (take()) {
    if (std::chrono::steady_clock::now() < until) continue;
    log::warning("the last messages of PHP are lost: the log is read too slowly");
    return;
  }
  if (waiting_.empty()) return;
  log::write_as_is(printable(waiting_) + '\n');
  waiting_.clear();
}

}  // namespace httpd::init
