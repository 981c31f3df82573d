// What a FastCGI application sends back: records taken apart as bytes arrive (FastCGI 1.0 3.3, 5.3-5.5,
// 6.2). No I/O, no copies.
#pragma once

#include "fastcgi/record.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace httpd::fastcgi {

class response_parser {
public:
  enum class event { more, out, err, end, bad };

  struct step {
    event what;
    std::size_t consumed;   // bytes of the input that are used up
    std::string_view data;  // out, err: a view into the input
  };

  // Call again with the rest after `consumed` until `more`, `end` or `bad`.
  //  out, err  a part of the stream (never empty)
  //  end       END_REQUEST with protocol status REQUEST_COMPLETE; see app_status()
  //  bad       not FastCGI version 1, another request's id, an END_REQUEST that is too short or says
  //            CANT_MPX_CONN, OVERLOADED or UNKNOWN_ROLE (see protocol_status())
  // Padding, empty stream records and unknown management records are skipped.
  step next(std::string_view input) noexcept;

  std::uint32_t app_status() const noexcept;
  unsigned protocol_status() const noexcept;  // of the END_REQUEST, 0 before it

private:
  bool open_record() noexcept;
  event take_content(std::string_view bytes) noexcept;
  void close_record() noexcept;
  record_type type() const noexcept { return record_type{header_[1]}; }

  std::array<unsigned char, header_bytes> header_{};
  std::array<unsigned char, 8> end_body_{};
  unsigned header_filled_ = 0;
  unsigned end_filled_ = 0;
  std::size_t content_left_ = 0;
  std::size_t padding_left_ = 0;
  bool finished_ = false;
  bool bad_ = false;
};

}  // namespace httpd::fastcgi
