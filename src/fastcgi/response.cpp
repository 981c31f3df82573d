// Taking apart what a FastCGI application sends. Never copies the streams, never allocates.
#include "fastcgi/response.hpp"

#include <algorithm>

namespace httpd::fastcgi {
namespace {

constexpr std::size_t padding_offset = 6;

constexpr bool is_answer(record_type type) noexcept {
  return type == record_type::stdout_ || type == record_type::stderr_ || type == record_type::end_request;
}

// Moves as much of `input` as there is room for into the array; returns how many bytes.
template <std::size_t N>
std::size_t fill(std::array<unsigned char, N>& to, unsigned& filled, std::string_view input) noexcept {
  const auto bytes = std::min(input.size(), N - filled);
  std::copy_n(input.data(), bytes, to.data() + filled);
  filled += unsigned(bytes);
  return bytes;
}

}  // namespace

// A record is open from its whole header until its padding is used up.
response_parser::step response_parser::next(std::string_view input) noexcept {
  std::size_t at = 0;
  while (!bad_ && !finished_) {
    if (header_filled_ < header_bytes) {
      at += fill(header_, header_filled_, input.substr(at));
      if (header_filled_ < header_bytes) return {event::more, at, {}};
      bad_ = !open_record();
      continue;
    }
    const auto rest = input.substr(at);
    if (content_left_ > 0) {
      if (rest.empty()) return {event::more, at, {}};
      const auto bytes = std::min(rest.size(), content_left_);
      const auto kind = take_content(rest.substr(0, bytes));
      at += bytes;
      if (kind != event::more) return {kind, at, rest.substr(0, bytes)};
      continue;
    }
    const auto bytes = std::min(rest.size(), padding_left_);
    padding_left_ -= bytes;
    at += bytes;
    if (padding_left_ > 0) return {event::more, at, {}};
    close_record();
  }
  return {bad_ ? event::bad : event::end, at, {}};
}

bool response_parser::open_record() noexcept {
  const auto id = unsigned(header_[2]) << 8 | header_[3];
  content_left_ = std::size_t(header_[4]) << 8 | header_[5];
  padding_left_ = header_[padding_offset];
  if (header_[0] != 1) return false;
  // Management records have the id 0, answers ours; nothing else has a place here.
  if (is_answer(type()) ? id != request_id : id != 0) return false;
  return type() != record_type::end_request || content_left_ >= end_body_.size();
}

// out or err for bytes of a stream, more for what is used up here.
response_parser::event response_parser::take_content(std::string_view bytes) noexcept {
  content_left_ -= bytes.size();
  if (type() == record_type::stdout_) return event::out;
  if (type() == record_type::stderr_) return event::err;
  if (type() == record_type::end_request) fill(end_body_, end_filled_, bytes);
  return event::more;
}

void response_parser::close_record() noexcept {
  header_filled_ = 0;
  if (type() != record_type::end_request) return;
  finished_ = protocol_status() == 0;
  bad_ = !finished_;
}

std::uint32_t response_parser::app_status() const noexcept {
  return std::uint32_t(end_body_[0]) << 24 | std::uint32_t(end_body_[1]) << 16 |
         std::uint32_t(end_body_[2]) << 8 | std::uint32_t(end_body_[3]);
}

unsigned response_parser::protocol_status() const noexcept { return end_body_[4]; }

}  // namespace httpd::fastcgi
