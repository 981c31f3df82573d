// Writing a request to PHP.
#include "server/php_request.hpp"

#include "fastcgi/record.hpp"
#include "io/output.hpp"
#include "server/php_params.hpp"
#include "server/request.hpp"
#include "server/routing.hpp"
#include "server/worker.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace httpd::server {

namespace {

// A multiple of 8, so that records need no padding to stay aligned.
constexpr std::uint64_t stdin_record_bytes = 65528;
// More than this is not kept for the next request.
constexpr std::size_t spare_bytes = 16 * 1024;

}  // namespace

bool php_request::compose(const request& asked, const route& where, const worker& w) {
  const config::php& php = w.all.pools[where.application].config;
  const script_environment about{
      php.root.empty() ? std::string_view{w.root.real_path()} : php.root,
      asked.from->local_text, body_.size()};
  bytes_.swap(spare_);
  bytes_.clear();
  bytes_.reserve(2048 + body_.in_memory().size());
  fastcgi::append_begin_request(bytes_, false);
  if (!append_params(bytes_, asked, where, about)) return false;
  if (body_.is_file()) {
    start_record();
  } else {
    fastcgi::append_stdin(bytes_, body_.in_memory());
    fastcgi::append_header(bytes_, fastcgi::record_type::stdin_, 0);
    ending_ = true;
  }
  return true;
}

// The header of the next part of a spooled body, or the record that ends STDIN.
void php_request::start_record() {
  const auto size = std::min(body_.size() - file_sent_, stdin_record_bytes);
  fastcgi::append_header(bytes_, fastcgi::record_type::stdin_, static_cast<std::size_t>(size));
  record_end_ = file_sent_ + size;
  ending_ = size == 0;
}

io::error_code php_request::push(io::stream& to) {
  for (;;) {
    if (const auto error = push_bytes(to)) return error;
    if (ending_) {
      done_ = true;
      if (bytes_.capacity() <= spare_bytes) bytes_.swap(spare_);
      return {};
    }
    if (const auto error = push_file(to)) return error;
    start_record();
  }
}

io::error_code php_request::push_bytes(io::stream& to) {
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (ending_ ? 0 : MSG_MORE);
  while (sent_ < bytes_.size()) {
    const auto n = ::send(to.native_handle(), bytes_.data() + sent_, bytes_.size() - sent_, flags);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io::last_error();
    sent_ += static_cast<std::size_t>(n);
  }
  bytes_.clear();
  sent_ = 0;
  return {};
}

io::error_code php_request::push_file(io::stream& to) {
  while (file_sent_ < record_end_) {
    const auto before = file_sent_;
    if (const auto error = io::send_file_now(to, body_.file(), file_sent_, record_end_)) return error;
    if (file_sent_ == before) return boost::system::errc::make_error_code(boost::system::errc::io_error);
  }
  return {};
}

}  // namespace httpd::server
