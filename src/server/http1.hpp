// One HTTP/1 connection (RFC 9112): its requests one after the other, each an exchange.
#pragma once

#include "http/chunked.hpp"
#include "io/deadline.hpp"
#include "io/output.hpp"
#include "server/exchange.hpp"

#include <string>

namespace httpd::server {

class worker;
struct cached_file;

// Owns its socket; lives in the frame of its session. While it is idle there is nothing but this
// object, a small frame and the socket: received bytes sit in the thread's buffer and are copied
// (`carried_`) only when something has to wait.
class http1_connection final : public exchange {
public:
  // `extra`: beyond the limit of connections, for one answer: 503, but to who asks for health.
  http1_connection(worker&, io::stream, peer, bool extra = false);
  http1_connection(const http1_connection&) = delete;
  http1_connection& operator=(const http1_connection&) = delete;

  awaitable<> run();

  awaitable<body_part> read_body() override;
  void begin(const http::response_head&) override;
  bool begun() const noexcept override { return answer_.begun; }
  error_code send(std::string_view content) override;
  awaitable<error_code> send_file(int file, std::uint64_t first, std::uint64_t size) override;
  error_code finish() override;
  std::uint64_t excess() const noexcept override { return answer_.excess; }
  std::uint64_t missing() const noexcept override;
  awaitable<error_code> flush() override;
  bool has_all() override;
  awaitable<error_code> wait_for(io::stream& source) override;
  bool has_room() override { return out_.has_room(); }
  awaitable<error_code> wait_for_room() override;
  bool client_left() noexcept override;
  void abort() noexcept override { broken_ = true; }

private:
  enum class step { look, need_input, flush, serve, close };
  enum class received { bytes, nothing_yet, closed };
  received receive();
  void keep_input();
  void before_wait() noexcept;
  step after_wait(error_code);

  step look_at_input();
  step refuse(unsigned status);
  bool answer_now(const server::request&);
  bool send_whole(const cached_file&);
  awaitable<> serve();
  void start_request(server::request&);
  void request_done();
  step after_request() const noexcept;
  // Body
  body_part take_chunked();
  body_part take_counted();
  body_part fail_body(unsigned status) noexcept;
  bool body_is_worth_reading() const noexcept;
  awaitable<> discard_body();

  // Answer
  awaitable<error_code> wait_writable();
  void start_send_limit() noexcept;
  bool client_takes() noexcept;
  error_code send_on();
  error_code client_gone(error_code) noexcept;
  void add_connection_field(std::string&) const;
  awaitable<> close();

  worker& worker_;
  io::stream socket_;
  io::deadline deadline_;
  io::output out_;
  peer peer_;

  std::string_view input_;   // received and not used yet: in the thread's buffer or in carried_
  std::string carried_;
  std::size_t scanned_ = 0;  // of input_, by the search for the end of a head
  std::size_t head_bytes_ = 0;  // of the complete head at the start of input_
  unsigned requests_ = 0;
  const bool extra_;
  bool head_started_ = false;   // the limit for a whole head runs
  bool last_chance_ = false;    // a connection that shutdown found without its first request got a moment
  bool keep_alive_ = true;
  bool broken_ = false;      // the framing is lost or the client has gone: close without further words
  bool linger_ = false;      // unread bytes may be on their way: close gently
  bool stalled_ = false;     // the deadline for sending runs
  int unacknowledged_ = 0;   // bytes on their way to the client when it began to

  struct {
    bool expect_continue = false;
    bool chunked = false;
    bool done = true;
    std::uint64_t left = 0;
    std::uint64_t taken = 0;
    unsigned receives = 0;
    http::chunked_decoder decoder;
  } body_;

  struct {
    bool begun = false;
    bool finished = false;
    bool no_content = false;  // HEAD, 204, 304
    bool chunked = false;
    bool counted = false;     // Content-Length was sent
    bool until_close = false; // HTTP/1.0 and no length: the end of the connection is the end
    unsigned status = 0;
    std::uint64_t left = 0;
    std::uint64_t excess = 0;
    std::uint64_t content_sent = 0;
  } answer_;
};

}  // namespace httpd::server
