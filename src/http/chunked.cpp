// The chunked transfer coding: one state per place between two bytes where the input may be cut.
#include "http/chunked.hpp"

#include "http/bytes.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace httpd::http {
namespace {

constexpr unsigned most_digits = 16;
constexpr std::size_t most_overhead = 16 * 1024;

// The value of a hexadecimal digit, or 16.
constexpr unsigned hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

constexpr bool is_text(char c) noexcept { return c == '\t' || !is_control(c); }

}  // namespace

enum class chunked_decoder::state : unsigned char {
  size,           // the first value: where a new decoder stands
  ext_start,        // behind ";"
  ext_name,
  ext_name_blank,   // white space behind a name
  ext_value_start,  // behind "="
  ext_token,
  ext_quoted,
  ext_escaped,      // behind a "\" in quotes
  ext_value_end,    // behind a quoted value
  ext_value_blank,  // white space behind a value
  size_lf,
  data,
  data_cr,
  data_lf,
  trailer_start,  // at the beginning of a trailer line or of the final empty line
  trailer_name,
  trailer_value,
  trailer_lf,
  final_lf,
  done,
  bad,
};

chunked_decoder::state chunked_decoder::after_size_line() const noexcept {
  return left_ > 0 ? state::data : state::trailer_start;
}

// In an extension (RFC 9112 7.1.1): names and values are tokens, a value may be quoted, white space stands
// beside ";" and "=" only.
chunked_decoder::state chunked_decoder::advance_extension(char c) const noexcept {
  const bool blank = c == ' ' || c == '\t';
  const bool token = is_in(token_bytes, c);
  switch (state_) {
    case state::ext_start: return blank ? state_ : token ? state::ext_name : state::bad;
    case state::ext_value_start:
      return blank ? state_ : c == '"' ? state::ext_quoted : token ? state::ext_token : state::bad;
    case state::ext_quoted:
      if (c == '"') return state::ext_value_end;
      return c == '\\' ? state::ext_escaped : is_text(c) ? state_ : state::bad;
    case state::ext_escaped: return is_text(c) ? state::ext_quoted : state::bad;
    default: break;
  }
  // Behind a name or a value: more of it, or what may follow it.
  const bool in_name = state_ == state::ext_name || state_ == state::ext_name_blank;
  const bool after_blank = state_ == state::ext_name_blank || state_ == state::ext_value_blank;
  if (token && (state_ == state::ext_name || state_ == state::ext_token)) return state_;
  if (blank) return in_name ? state::ext_name_blank : state::ext_value_blank;
  if (c == ';') return state::ext_start;
  if (c == '=' && in_name) return state::ext_value_start;
  return c == '\r' && !after_blank ? state::size_lf : state::bad;
}

// The state after `c`, a byte of the framing (any state but data, done and bad).
chunked_decoder::state chunked_decoder::advance(char c) noexcept {
  const auto counted = [this](bool allowed, state next) {
    return allowed && ++overhead_ <= most_overhead ? next : state::bad;
  };
  const auto expected = [](bool allowed, state next) { return allowed ? next : state::bad; };
  if (state_ >= state::ext_start && state_ <= state::ext_value_blank) {
    const auto next = advance_extension(c);
    return next == state::size_lf ? next : counted(true, next);
  }
  switch (state_) {
    case state::size:
      if (const unsigned digit = hex_value(c); digit < 16 && digits_ < most_digits) {
        left_ = left_ << 4 | digit;
        ++digits_;
        return state::size;
      }
      if (digits_ == 0) return state::bad;
      return c == ';' ? counted(true, state::ext_start) : expected(c == '\r', state::size_lf);
    case state::size_lf:
      digits_ = 0;
      // The trailers have an allowance of their own; a chunk pays for as many bytes of extensions as it has.
      overhead_ = left_ == 0 ? 0 : overhead_ - std::min<std::uint64_t>(overhead_, left_);
      return expected(c == '\n', after_size_line());
    case state::data_cr: return expected(c == '\r', state::data_lf);
    case state::data_lf: return expected(c == '\n', state::size);
    case state::trailer_start:
      if (c == '\r') return state::final_lf;
      return counted(is_in(token_bytes, c), state::trailer_name);
    case state::trailer_name:
      return c == ':' ? counted(true, state::trailer_value)
                      : counted(is_in(token_bytes, c), state::trailer_name);
    case state::trailer_value:
      return c == '\r' ? counted(true, state::trailer_lf) : counted(is_text(c), state::trailer_value);
    case state::trailer_lf: return counted(c == '\n', state::trailer_start);
    case state::final_lf: return expected(c == '\n', state::done);
    case state::data:
    case state::done:
    case state::bad:
    default: break;
  }
  return state::bad;
}

chunked_decoder::step chunked_decoder::next(std::string_view input) noexcept {
  std::size_t used = 0;
  while (true) {
    if (state_ == state::done) return {status::done, used, {}};
    if (state_ == state::bad) return {status::bad, used, {}};
    if (used == input.size()) return {status::more, used, {}};
    if (state_ == state::data) {
      const auto most = std::min<std::uint64_t>(left_, std::numeric_limits<std::size_t>::max());
      const std::string_view data = input.substr(used, static_cast<std::size_t>(most));
      left_ -= data.size();
      if (left_ == 0) state_ = state::data_cr;
      return {status::data, used + data.size(), data};
    }
    state_ = advance(input[used]);
    if (state_ != state::bad) ++used;
  }
}

chunk_header::chunk_header(std::size_t bytes) noexcept {
  char* const digits_end = std::to_chars(text_.data(), text_.data() + 16, bytes, 16).ptr;
  digits_end[0] = '\r';
  digits_end[1] = '\n';
  size_ = static_cast<std::size_t>(digits_end + 2 - text_.data());
}

}  // namespace httpd::http
