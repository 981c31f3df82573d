// http/request_head: heads in pieces, when they are complete, and what is refused before that.
#include "http/request_head.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace httpd;
using namespace httpd::http;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

const head_limits limits;

constexpr std::string_view curl =
    "GET /env.php?x=1 HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n";

}  // namespace

TEST_CASE("the length of a head is found wherever the bytes are cut") {
  const std::string_view next = "GET /next HTTP/1.1\r\n\r\n";
  for (const std::string& head : {std::string{curl}, "\r\n\r\n" + std::string{curl}, "\n" + std::string{curl},
                                  "GET / HTTP/1.1\nHost: a\n\n"s, "GET / HTTP/1.1\r\nHost: a\n\r\n"s,
                                  "GET / HTTP/1.1\nHost: a\r\n\n"s, "x\n\n"s, "\n\r\nx\r\n\r\n"s,
                                  "\r\r\n\r\n"s}) {
    CAPTURE(escaped(head));
    const std::string stream = concat(head, next);
    std::size_t whole = 0;
    CHECK(head_length(stream, whole) == head.size());
    std::size_t by_byte = 0;
    for (std::size_t size = 0; size < head.size(); ++size) {
      REQUIRE(head_length(std::string_view{stream}.substr(0, size), by_byte) == 0);
      REQUIRE(by_byte == size);
      std::size_t two_parts = 0;
      REQUIRE(head_length(std::string_view{stream}.substr(0, size), two_parts) == 0);
      REQUIRE(head_length(stream, two_parts) == head.size());
    }
    CHECK(head_length(head, by_byte) == head.size());
  }
}

TEST_CASE("empty lines alone are not a head") {
  std::size_t scanned = 0;
  CHECK(head_length("", scanned) == 0);
  CHECK(head_length("\r\n\r\n\n\r\n", scanned) == 0);
}

TEST_CASE("no part of a good request is refused") {
  for (const std::string_view head : {curl, "\r\n\r\nPOST http://a/b?c HTTP/1.9\r\nHost: a\r\n\r\n"sv,
      "GET / HTTP/1.0\r\n\r\n"sv}) {
    for (std::size_t size = 0; size < head.size(); ++size) {
      CAPTURE(escaped(head.substr(0, size)));
      REQUIRE(refuse_partial_head(head.substr(0, size), limits) == 0);
    }
  }
}

TEST_CASE("what can never become a request is refused before its end") {
  CHECK(refuse_partial_head("\x16\x03\x01\x02", limits) == 400);  // TLS
  CHECK(refuse_partial_head("\r\n\x16", limits) == 400);
  CHECK(refuse_partial_head("\0"sv, limits) == 400);
  CHECK(refuse_partial_head(" ", limits) == 400);
  CHECK(refuse_partial_head("\n", limits) == 400);
  CHECK(refuse_partial_head("\rG", limits) == 400);
  CHECK(refuse_partial_head("GE\xff", limits) == 400);
  CHECK(refuse_partial_head("GET /\r\n", limits) == 400);  // HTTP/0.9 waits for its answer here
  CHECK(refuse_partial_head("GET / HTTP/1.1\n", limits) == 400);
  CHECK(refuse_partial_head("GET / HTTP/2.0\r\n", limits) == 505);
  CHECK(refuse_partial_head("PRI * HTTP/2.0\r\n\r\nSM\r\n", limits) == 505);
  CHECK(refuse_partial_head(std::string(64, 'M'), limits) == 0);
  CHECK(refuse_partial_head(std::string(65, 'M'), limits) == 501);
  std::string lines;
  for (int i = 0; i < 9; ++i) lines += "\r\n";
  CHECK(refuse_partial_head(lines, limits) == 400);
}

TEST_CASE("limits are seen before the end of a head") {
  const head_limits small{.target_bytes = 10, .head_bytes = 100, .fields = 3};
  CHECK(refuse_partial_head("GET /123456789", small) == 0);
  CHECK(refuse_partial_head("GET /1234567890", small) == 414);
  CHECK(refuse_partial_head("GET /123456789 HTTP/1.1", small) == 0);
  const std::string start = "GET / HTTP/1.1\r\nX: ";
  CHECK(refuse_partial_head(start + std::string(99 - start.size(), 'x'), small) == 0);
  CHECK(refuse_partial_head(start + std::string(100 - start.size(), 'x'), small) == 431);
}

TEST_CASE("a part is refused only with the status of the whole") {
  for (const std::string_view head :
       {"GET  / HTTP/1.1\r\n\r\n"sv, "GET / HTTP/3.0\r\n\r\n"sv, "GET /\x01 HTTP/1.1\r\n\r\n"sv,
           "\x16\x03\x01\n\n"sv,
        "G\rT / HTTP/1.1\r\n\r\n"sv,
        "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM / HTTP/1.1\r\n\r\n"sv,
        "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM\r / HTTP/1.1\r\n\r\n"sv,
        "GET /123456789012345678901234567890123456789\x01 HTTP/1.1\r\n\r\n"sv}) {
    const head_limits small{.target_bytes = 30, .head_bytes = 4096, .fields = 3};
    request_head parsed;
    const unsigned whole = parse_head(head, small, parsed);
    REQUIRE(whole != 0);
    for (std::size_t size = 0; size < head.size(); ++size) {
      const unsigned part = refuse_partial_head(head.substr(0, size), small);
      CAPTURE(escaped(head.substr(0, size)), part, whole);
      REQUIRE((part == 0 || part == whole));
    }
  }
}
