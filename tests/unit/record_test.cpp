// FastCGI records as written, byte for byte.
#include "catch.hpp"

#include "fastcgi/record.hpp"

#include <string>

using namespace httpd::fastcgi;

namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(char(value));
  return out;
}

std::size_t content_length(const std::string& out, std::size_t at) {
  const auto byte = [&](std::size_t i) { return std::size_t(static_cast<unsigned char>(out.at(i))); };
  return byte(at + 4) << 8 | byte(at + 5);
}

}  // namespace

TEST_CASE("a record header holds version, type, id and length, and asks for no padding") {
  std::string out = "kept";
  append_header(out, record_type::stdin_, 0);
  append_header(out, record_type::params, 65535);
  append_header(out, record_type::stdin_, 258);
  CHECK(out == "kept" + bytes({1, 5, 0, 1, 0, 0, 0, 0}) + bytes({1, 4, 0, 1, 255, 255, 0, 0}) +
                   bytes({1, 5, 0, 1, 1, 2, 0, 0}));
}

TEST_CASE("a request begins as responder, kept or not") {
  std::string out;
  append_begin_request(out, false);
  append_begin_request(out, true);
  CHECK(out == bytes({1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}) +
                   bytes({1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0}));
}

TEST_CASE("case 45: a body of any size is cut into records and comes out whole") {
  for (const std::size_t size : {0u, 1u, 65534u, 65535u, 65536u, 131070u, 131071u, 1000000u}) {
    std::string body(size, ' ');
    for (std::size_t i = 0; i < size; ++i) body[i] = char(i * 31 >> 3 & 0xff);
    std::string out, read;
    append_stdin(out, body);
    std::size_t records = 0;
    for (std::size_t at = 0; at < out.size(); ++records) {
      CHECK(out.substr(at, 4) == bytes({1, 5, 0, 1}));
      const auto length = content_length(out, at);
      REQUIRE(length > 0);  // an empty one would end the stream
      read += out.substr(at + header_bytes, length);
      at += header_bytes + length;
    }
    CHECK((read == body));
    CHECK(records == (size + max_content_bytes - 1) / max_content_bytes);
  }
}
