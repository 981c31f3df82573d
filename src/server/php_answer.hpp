// What PHP sends back, turned into the answer of an exchange as it arrives.
#pragma once

#include "fastcgi/cgi_head.hpp"
#include "fastcgi/response.hpp"
#include "http/response_head.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace httpd::server {

class exchange;

class php_answer {
public:
  // The head of a script's answer may have so many bytes.
  php_answer(exchange& to, std::size_t head_limit_bytes) : to_{to}, head_{head_limit_bytes} {}

  enum class status {
    more,
    ended,        // END_REQUEST came; see needs_file()
    bad,          // not FastCGI or not CGI: reason()
    client_left,
  };
  // Bytes from the connection. Begins the answer as soon as its head is there and sends content at once.
  status feed(std::string_view bytes);
  // The connection ended or broke: what is still in hand (an unfinished line of STDERR).
  void connection_ended();
  std::string_view reason() const noexcept { return reason_; }

  // After `ended`: the script named a file to send instead of its content (X-Accel-Redirect, X-Sendfile).
  bool needs_file() const noexcept { return !accel_redirect_.empty() || !sendfile_.empty(); }
  const std::string& accel_redirect() const noexcept { return accel_redirect_; }
  const std::string& sendfile() const noexcept { return sendfile_; }
  const http::response_head& head() const noexcept { return out_head_; }

private:
  bool take_stdout(std::string_view data);
  void take_stderr(std::string_view data);
  void make_head();
  bool deliver(bool ended);
  void log_line(std::string_view line) const;

  exchange& to_;
  fastcgi::response_parser records_;
  fastcgi::cgi_head head_;
  bool head_complete_ = false;
  std::vector<std::string_view> content_;  // of one feed()
  http::response_head out_head_;
  std::string accel_redirect_;
  std::string sendfile_;
  std::string stderr_line_;
  std::string_view reason_;
};

}  // namespace httpd::server
