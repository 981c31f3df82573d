// Writing the PARAMS stream in place: lengths first, then bytes copied once.
#include "fastcgi/params.hpp"

#include "fastcgi/record.hpp"

#include <algorithm>

namespace httpd::fastcgi {
namespace {

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

params_writer::params_writer(std::string& out) : out_{out}, record_start_{out.size()} {
  append_header(out_, record_type::params, 0);
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
  const bool was_empty = out_.size() == record_start_ + header_bytes;
  if (!was_empty) append_header(out_, record_type::params, 0);  // an empty open record is the end itself
}

// Makes room and writes the lengths; returns where the name goes, null when the pair fits no record.
char* params_writer::open_pair(std::size_t name_bytes, std::size_t value_bytes) {
  if (name_bytes > max_content_bytes || value_bytes > max_content_bytes) return nullptr;
  const auto pair = length_bytes(name_bytes) + length_bytes(value_bytes) + name_bytes + value_bytes;
  if (pair > max_content_bytes) return nullptr;
  if (out_.size() - record_start_ - header_bytes + pair > max_content_bytes) {
    close_record();
    record_start_ = out_.size();
    append_header(out_, record_type::params, 0);
  }
  const auto offset = out_.size();
  out_.resize(offset + pair);
  return put_length(put_length(out_.data() + offset, name_bytes), value_bytes);
}

void params_writer::close_record() {
  const auto content = out_.size() - record_start_ - header_bytes;
  out_[record_start_ + 4] = char(content >> 8);
  out_[record_start_ + 5] = char(content & 0xff);
}

}  // namespace httpd::fastcgi
