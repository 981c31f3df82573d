// http/request_head: the fields that say how long the body is and what becomes of the connection.
#include "http/request_head.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace httpd;
using namespace httpd::http;

namespace {

unsigned parse(std::string_view bytes, request_head& head) { return parse_head(bytes, {}, head); }

unsigned status_of(std::string_view bytes) {
  request_head head;
  return parse(bytes, head);
}

// The status of a request with these lines, each with its CRLF, below a good request line and Host.
unsigned with_fields(std::string_view lines) {
  return status_of(concat("POST / HTTP/1.1\r\nHost: a\r\n", lines, "\r\n"));
}

}  // namespace

TEST_CASE("case 22: framing that could be read in two ways is refused") {
  struct {
    std::string_view lines;
    unsigned status;
  } const table[] = {
      {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400},
      {"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", 400},
      {"Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n", 400},
      {"Transfer-Encoding: xchunked\r\n", 501},
      {"Transfer-Encoding: gzip, chunked\r\n", 501},
      {"Transfer-Encoding: gzip;q=1\r\n", 501},
      {"Transfer-Encoding: identity\r\n", 501},
      {"Transfer-Encoding: chunked, identity\r\n", 400},
      {"Transfer-Encoding: chunked, chunked\r\n", 400},
      {"Transfer-Encoding: chunked,\r\n", 400},
      {"Transfer-Encoding: , chunked\r\n", 400},
      {"Transfer-Encoding:\r\n", 400},
      {"Transfer-Encoding: \x0b" "chunked\r\n", 400},
      {"Transfer-Encoding: chunked;a=b\r\n", 400},
      {"Transfer-Encoding: \"chunked\"\r\n", 400},
      {"Transfer-Encoding: chunk ed\r\n", 400},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400},
      {"Transfer-Encoding : chunked\r\n", 400},
      {"Transfer-Encoding: chunked\r\n", 0},
      {"tRANSFER-eNCODING: CHUNKED\r\n", 0},
      {"Content-Length: 5\r\n", 0},
      {"Content-Length: 5, 5\r\n", 0},
      {"Content-Length: 5\r\nContent-Length: 5\r\n", 0},
      {"Content-Length: 5, 6\r\n", 400},
      {"Content-Length: 5\r\nContent-Length: 6\r\n", 400},
      {"Content-Length: 5,\r\n", 400},
      {"Content-Length: ,5\r\n", 400},
      {"Content-Length:\r\n", 400},
      {"Content-Length: +5\r\n", 400},
      {"Content-Length: -1\r\n", 400},
      {"Content-Length: 0x5\r\n", 400},
      {"Content-Length: 5 5\r\n", 400},
      {"Content-Length: 5.0\r\n", 400},
      {"Content-Length: 18446744073709551621\r\n", 400},
      {"Content-Length: 18446744073709551615\r\n", 0},
      {"Content_Length: 99\r\n", 0},
  };
  for (const auto& [lines, status] : table) {
    CAPTURE(escaped(lines));
    CHECK(with_fields(lines) == status);
  }
  CHECK(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == 400);
  CHECK(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: gzip\r\n\r\n") == 400);
}

TEST_CASE("the body that framing announces") {
  request_head head;
  REQUIRE(parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 05\r\n\r\n", head) == 0);
  CHECK(head.content_length == 5u);
  CHECK(head.has_body());
  REQUIRE(parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", head) == 0);
  CHECK(head.content_length == 0u);
  CHECK_FALSE(head.has_body());
  REQUIRE(parse("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n", head) == 0);
  CHECK(head.chunked);
  CHECK(head.has_body());
  REQUIRE(parse("POST / HTTP/1.1\r\nHost: a\r\nContent_Length: 99\r\n\r\n", head) == 0);
  CHECK_FALSE(head.content_length);
}

TEST_CASE("case 72: whether the connection is kept") {
  const auto kept = [](std::string_view version, std::string_view lines) {
    request_head head;
    REQUIRE(parse(concat("GET / ", version, "\r\nHost: a\r\n", lines, "\r\n"), head) == 0);
    return head.keep_alive;
  };
  CHECK(kept("HTTP/1.1", ""));
  CHECK(kept("HTTP/1.1", "Connection: keep-alive\r\n"));
  CHECK(kept("HTTP/1.1", "Connection: upgrade\r\n"));
  CHECK(kept("HTTP/1.1", "Connection: closed\r\n"));
  CHECK_FALSE(kept("HTTP/1.1", "Connection: close\r\n"));
  CHECK_FALSE(kept("HTTP/1.1", "Connection: x, CLOSE ,y\r\n"));
  CHECK_FALSE(kept("HTTP/1.1", "Connection: close\r\nConnection: keep-alive\r\n"));
  CHECK_FALSE(kept("HTTP/1.0", ""));
  CHECK(kept("HTTP/1.0", "Connection: Keep-Alive\r\n"));
  CHECK_FALSE(kept("HTTP/1.0", "Connection: keep-alive, close\r\n"));
}

TEST_CASE("expectations are met or refused and do not exist in HTTP 1.0") {
  request_head head;
  REQUIRE(parse("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n", head) == 0);
  CHECK(head.expect_continue);
  REQUIRE(parse("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n", head) == 0);
  CHECK_FALSE(head.expect_continue);
  CHECK(with_fields("Expect: foo\r\n") == 417);
  CHECK(with_fields("Expect: 100-continue, foo\r\n") == 417);
  CHECK(with_fields("Expect: foo\r\nContent-Length: x\r\n") == 400);  // the graver fault wins
}
