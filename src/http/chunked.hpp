// The chunked transfer coding (RFC 9112 7.1): a push decoder and the writer's framing. No I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace httpd::http {

class chunked_decoder {
public:
  enum class status { more, data, done, bad };

  struct step {
    status what;
    std::size_t consumed;    // bytes of the input that are used up
    std::string_view data;   // status::data: a part of the body, a view into the input
  };

  // Call again with the rest of the input after `consumed` until `more` (input used up),
  // `done` (the last chunk and its trailers are read; what follows is the next request) or `bad`
  // (malformed: 400 and close). After done or bad the decoder stays there.
  // Strict: CRLF only, hex digits without sign or 0x and at most 16, no white space around them,
  // extensions and trailer fields checked for shape and dropped; extensions of one body 16 KiB more than
  // the chunks before them have bytes, trailers with their line ends 16 KiB in all.
  step next(std::string_view input) noexcept;

private:
  enum class state : unsigned char;
  state advance(char c) noexcept;
  state advance_extension(char c) const noexcept;
  state after_size_line() const noexcept;

  state state_{};
  std::uint64_t left_ = 0;   // bytes of the current chunk still to come
  unsigned digits_ = 0;
  std::size_t overhead_ = 0; // extension and trailer bytes so far
};

// "1a2b\r\n" for a chunk of that many bytes (> 0); lives as long as the object.
class chunk_header {
public:
  explicit chunk_header(std::size_t bytes) noexcept;
  std::string_view text() const noexcept { return {text_.data(), size_}; }

private:
  std::array<char, 18> text_;
  std::size_t size_;
};
inline constexpr std::string_view chunk_end = "\r\n";
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

}  // namespace httpd::http
