// One request on its way to PHP: BEGIN_REQUEST, PARAMS and STDIN, in one write where the body is in memory.
#pragma once

#include "io/asio.hpp"
#include "io/spool.hpp"

#include <cstdint>
#include <string>

namespace httpd::server {

class worker;
struct request;
struct route;

class php_request {
public:
  // `body` outlives this object, and so does `spare`: memory that is taken while there is something to send.
  php_request(const io::spool& body, std::string& spare) noexcept : body_{body}, spare_{spare} {}

  // False: a header field or the target is too large for FastCGI.
  [[nodiscard]] bool compose(const request&, const route&, const worker&);

  // Sends as much as PHP takes now; would_block when it takes no more for the moment.
  io::error_code push(io::stream& to);
  bool is_sent() const noexcept { return done_; }
  void give_up() noexcept { done_ = true; }

private:
  io::error_code push_bytes(io::stream& to);
  io::error_code push_file(io::stream& to);
  void start_record();

  const io::spool& body_;
  std::string& spare_;
  std::string bytes_;           // what goes next; everything when the body is in memory
  std::size_t sent_ = 0;        // of bytes_
  std::uint64_t file_sent_ = 0; // of a spooled body
  std::uint64_t record_end_ = 0;
  bool ending_ = false;         // bytes_ holds the end of STDIN
  bool done_ = false;
};

}  // namespace httpd::server
