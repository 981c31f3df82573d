// The relay of php-fpm's messages.
#include "init/php_messages.hpp"

#include "base/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace httpd::init {
namespace {

constexpr std::size_t longest_line = 1024 * 1024;  // as log_limit of fpm_config()
constexpr int reads_in_a_row = 16;

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
  std::array<char, 64 * 1024> part;
  const ssize_t size = ::read(reader_.get(), part.data(), part.size());
  if (size <= 0) return false;
  waiting_.append(part.data(), static_cast<std::size_t>(size));
  auto whole = waiting_.rfind('\n') + 1;  // 0 without one
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
  for (int i = 0; i < reads_in_a_row && take(); ++i) {}
}

void php_messages::forward_all() {
  while (take()) {}
  if (waiting_.empty()) return;
  log::write_as_is(printable(waiting_) + '\n');
  waiting_.clear();
}

}  // namespace httpd::init
