// Writing the PARAMS stream in place: lengths first, then bytes copied once.
#include "fastcgi/params.hpp"

#include "fastcgi/record.hpp"

#include <algorithm>

namespace httpd::fastcgi {
namespace {

constexpr std::size_t room_bytes = 1024;

constexpr std::size_t length_bytes(std::size_t length) noexcept { return length < 128 ? 1 : 4; }

char* put_length(char* at, std::size_t length) noexcept {
  if (length < 128) {
    *at++ = char(length);
    return at;
  }
  *at++ = char(length >> 24 | 0x80);
  *at++ = char(length >> 16 & 0xff);
  *at++ = char(length >> 8 & 0xff);
  *at++ = char(length & 0xff);
  return at;
}

char* put(char* at, std::string_view text) noexcept { return std::copy(text.begin(), text.end(), at); }

}  // namespace

params_writer::params_writer(std::string& out) : out_{out}, end_{out.size()}, record_start_{end_} {
  open_record();
}

bool params_writer::add(std::string_view name, std::string_view value) {
  char* const at = open_pair(name.size(), value.size());
  if (!at) return false;
  put(put(at, name), value);
  return true;
}

bool params_writer::add(std::string_view name, std::string_view value1, std::string_view value2) {
  char* const at = open_pair(name.size(), value1.size() + value2.size());
  if (!at) return false;
  put(put(put(at, name), value1), value2);
  return true;
}

bool params_writer::add_header(std::string_view field_name, std::string_view value) {
  constexpr std::string_view prefix = "HTTP_";
  char* at = open_pair(prefix.size() + field_name.size(), value.size());
  if (!at) return false;
  at = put(at, prefix);
  for (const char c : field_name) {
    if (c == '-') *at++ = '_';
    else *at++ = c >= 'a' && c <= 'z' ? char(c - 32) : c;
  }
  put(at, value);
  return true;
}

void params_writer::finish() {
  close_record();
  const bool was_empty = end_ == record_start_ + header_bytes;
  if (!was_empty) open_record();  // an empty open record is the end itself
  out_.resize(end_);
}

// Makes room and writes the lengths; returns where the name goes, null when the pair fits no record.
char* params_writer::open_pair(std::size_t name_bytes, std::size_t value_bytes) {
  if (name_bytes > max_content_bytes || value_bytes > max_content_bytes) return nullptr;
  const auto pair = length_bytes(name_bytes) + length_bytes(value_bytes) + name_bytes + value_bytes;
  if (pair > max_content_bytes) return nullptr;
  if (end_ - record_start_ - header_bytes + pair > max_content_bytes) {
    close_record();
    open_record();
  }
  make_room(pair);
  char* const at = out_.data() + end_;
  end_ += pair;
  return put_length(put_length(at, name_bytes), value_bytes);
}

// A lot at once: a string that grows pair by pair takes a third of the time of writing the pairs.
void params_writer::make_room(std::size_t bytes) {
  if (out_.size() - end_ < bytes) out_.resize(end_ + bytes + room_bytes);
}

void params_writer::open_record() {
  out_.resize(end_);
  append_header(out_, record_type::params, 0);
  record_start_ = end_;
  end_ = out_.size();
}

void params_writer::close_record() noexcept {
  const auto content = end_ - record_start_ - header_bytes;
  out_[record_start_ + 4] = char(content >> 8);
  out_[record_start_ + 5] = char(content & 0xff);
}

}  // namespace httpd::fastcgi
