// One request and its answer, whatever the HTTP version: what every handler works with.
//
// A handler may read the body, then begins one answer, sends content and finishes it. The exchange
// does the framing, drops content that may not be sent (HEAD, 204, 304), and keeps a Content-Length
// true. A handler never closes a connection: it returns, and says abort() when an answer that it has
// begun cannot be completed.
#pragma once

#include "http/response_head.hpp"
#include "io/asio.hpp"
#include "server/request.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace httpd::server {

using io::awaitable;
using io::error_code;

// A part of a request body. `status` != 0: it cannot be read (400, 408, 413), or 499 when the client has
// left.
struct body_part {
  unsigned status = 0;
  std::string_view bytes;  // empty = the end; valid until the next suspension
};

// What the access log tells of a request beside the request itself.
struct timings {
  std::chrono::steady_clock::time_point started;
  std::chrono::microseconds queued{-1};  // waited for a PHP worker; -1 = no script ran
};

class exchange {
public:
  const server::request& request() const noexcept { return *request_; }
  server::timings& timings() noexcept { return timings_; }

  virtual awaitable<body_part> read_body() = 0;

  // Once. Nothing is sent before the first send(), finish() or flush().
  virtual void begin(const http::response_head&) = 0;
  virtual bool begun() const noexcept = 0;
  // Content: sent as far as the client takes it now, the rest is kept: see has_room(). Content beyond
  // Content-Length is dropped. An error means that the client has left.
  virtual error_code send(std::string_view content) = 0;
  // A file part; waits until the client has it. Fails when the file is shorter than promised, too.
  virtual awaitable<error_code> send_file(int file, std::uint64_t first, std::uint64_t size) = 0;
  // The end of the content.
  virtual error_code finish() = 0;

  // Content bytes dropped because they were beyond Content-Length.
  virtual std::uint64_t excess() const noexcept = 0;
  // Content bytes that Content-Length promised and that were not sent yet.
  virtual std::uint64_t missing() const noexcept = 0;
  // Waits until the client has everything.
  virtual awaitable<error_code> flush() = 0;
  // True: the client has everything so far, and whoever waits for more of it may wait for that alone; else
  // wait_for(). Asked just before the wait.
  virtual bool has_all() = 0;
  // Waits until `source` can be read or the client takes more of what is pending (and sends that).
  // An error is the client's: it has left or takes nothing for the send time-out.
  virtual awaitable<error_code> wait_for(io::stream& source) = 0;
  // False: the memory and the file for what the client has not taken are used up, and nothing should be sent
  // before wait_for_room().
  virtual bool has_room() = 0;
  // Waits until the client takes some or, for a moment, for others to give back theirs; ask has_room() again.
  // An error as for wait_for().
  virtual awaitable<error_code> wait_for_room() = 0;
  // Whether the client has closed its end; asks the socket now.
  virtual bool client_left() noexcept = 0;
  // The answer stays incomplete and the client must see that.
  virtual void abort() noexcept = 0;

  // A whole answer at once.
  error_code answer(const http::response_head& head, std::string_view content) {
    begin(head);
    if (const auto error = send(content)) return error;
    return finish();
  }

protected:
  ~exchange() = default;
  server::request* request_ = nullptr;
  server::timings timings_;
};

}  // namespace httpd::server
