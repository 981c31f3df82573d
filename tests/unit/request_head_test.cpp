// http/request_head: what is accepted, and what is refused with which status.
// Pieces are in partial_head_test, bodies and connections in framing_test.
#include "http/request_head.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace httpd;
using namespace httpd::http;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

const head_limits limits;

unsigned parse(std::string_view bytes, request_head& head, const head_limits& with = limits) {
  std::size_t scanned = 0;
  REQUIRE(head_length(bytes, scanned) == bytes.size());
  return parse_head(bytes, with, head);
}

unsigned status_of(std::string_view bytes, const head_limits& with = limits) {
  request_head head;
  return parse(bytes, head, with);
}

// The status of a request with these lines, each with its CRLF, below a good request line and Host.
unsigned with_fields(std::string_view lines) {
  return status_of(concat("POST / HTTP/1.1\r\nHost: a\r\n", lines, "\r\n"));
}

constexpr std::string_view curl =
    "GET /env.php?x=1 HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n";

}  // namespace

TEST_CASE("a request is split into its parts") {
  request_head head;
  REQUIRE(parse(curl, head) == 0);
  CHECK(head.method == "GET");
  CHECK(head.target == "/env.php?x=1");
  CHECK(head.minor_version == 1);
  CHECK(head.host == "127.0.0.1:3000");
  REQUIRE(head.fields.size() == 3);
  CHECK(head.fields[1].name == "User-Agent");
  CHECK(head.fields[1].value == "curl/7.88.1");
  CHECK(head.find("accept") == "*/*");
  CHECK(head.find("cookie") == "");
  CHECK(head.has("ACCEPT"));
  CHECK_FALSE(head.has("cookie"));
  CHECK(head.keep_alive);
  CHECK_FALSE(head.has_body());
  CHECK_FALSE(head.content_length);
  CHECK(head.target.data() == curl.data() + 4);  // views, not copies
}

TEST_CASE("a head object is reused without a trace of the request before") {
  request_head head;
  REQUIRE(parse("POST /a HTTP/1.0\r\nHost: h\r\nContent-Length: 3\r\nConnection: close\r\n\r\n", head) == 0);
  REQUIRE(parse("PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
                head) == 0);
  CHECK(head.chunked);
  CHECK(head.expect_continue);
  CHECK(head.keep_alive);
  CHECK_FALSE(head.content_length);
  const auto* storage = head.fields.data();
  REQUIRE(parse("GET / HTTP/1.0\r\n\r\n", head) == 0);
  CHECK(head.fields.empty());
  CHECK(head.host.empty());
  CHECK_FALSE(head.chunked);
  CHECK_FALSE(head.expect_continue);
  CHECK(head.minor_version == 0);
  CHECK(head.fields.data() == storage);
}

TEST_CASE("values lose the white space around them and keep the one inside") {
  request_head head;
  REQUIRE(parse("GET / HTTP/1.1\r\nHost:a\r\nX: \t a \tb\t \r\nY:\r\nZ:   \r\nU: caf\xc3\xa9 \xff\r\n\r\n",
      head) == 0);
  CHECK(head.host == "a");
  CHECK(head.find("x") == "a \tb");
  CHECK(head.find("y") == "");
  CHECK(head.has("y"));
  CHECK(head.find("z") == "");
  CHECK(head.find("u") == "caf\xc3\xa9 \xff");
}

TEST_CASE("every control byte at every place of a head is refused") {
  for (int c = 0; c < 256; ++c) {
    if ((c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n') continue;
    for (std::size_t at = 0; at < curl.size(); ++at) {
      std::string bytes{curl};
      if (bytes[at] == '\r' || bytes[at] == '\n') continue;
      bytes[at] = static_cast<char>(c);
      CAPTURE(c, at);
      REQUIRE(status_of(bytes) == 400);
    }
  }
}

TEST_CASE("every carriage return or line feed that is taken away is missed") {
  for (std::size_t at = 0; at < curl.size() - 3; ++at) {
    if (curl[at] != '\r' && curl[at] != '\n') continue;
    std::string bytes{curl};
    bytes.erase(at, 1);
    CAPTURE(at);
    CHECK(status_of(bytes) == 400);
  }
  CHECK(status_of("GET / HTTP/1.1\nHost: a\n\n") == 400);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\n\n") == 400);
}

TEST_CASE("case 24: request lines") {
  const auto line = [](std::string_view text) { return status_of(concat(text, "\r\nHost: a\r\n\r\n")); };
  CHECK(line("GET / HTTP/1.1") == 0);
  CHECK(line("GET / HTTP/1.0") == 0);
  CHECK(line("GET / HTTP/1.9") == 0);
  CHECK(line("X-y!#$%&'*+.^_`|~0 / HTTP/1.1") == 0);
  CHECK(line("GET /\xff HTTP/1.1") == 0);
  CHECK(line("OPTIONS * HTTP/1.1") == 0);
  CHECK(line("GET / HTTP/2.0") == 505);
  CHECK(line("GET / HTTP/0.9") == 505);
  CHECK(line("PRI * HTTP/2.0") == 505);
  CHECK(line(std::string(64, 'M') + " / HTTP/1.1") == 0);
  CHECK(line(std::string(65, 'M') + " / HTTP/1.1") == 501);
  for (const char* bad :
       {"GET  /a.txt HTTP/1.1", "GET /a.txt  HTTP/1.1", "GET /a b HTTP/1.1", " GET / HTTP/1.1",
           "GET / HTTP/1.1 ",
        "GET /", "GET", "GET ", "GET / ", "GET / http/1.1", "GET / HTTP/1", "GET / HTTP/1.",
        "GET / HTTP/1.10",
        "GET / HTTP/11.1", "GET / HTTP/a.1", "GET / HTTP/1.x", "GET / HTTP/1,1", "GET / HTP/1.1",
        "GE(T / HTTP/1.1",
        "G\xc3\x89T / HTTP/1.1", "GET\t/ HTTP/1.1", "GET /\t HTTP/1.1", "GET /\x7f HTTP/1.1",
        ": / HTTP/1.1"}) {
    CAPTURE(bad);
    CHECK(line(bad) == 400);
  }
}

TEST_CASE("a version above 1.1 is treated as 1.1") {
  request_head head;
  REQUIRE(parse("GET / HTTP/1.9\r\nHost: a\r\n\r\n", head) == 0);
  CHECK(head.minor_version == 1);
  CHECK(head.keep_alive);
}

TEST_CASE("case 24: field lines") {
  for (const std::string_view bad :
       {"X-Foo: a\r\n b\r\n"sv, "X-Foo: a\r\n\tb\r\n"sv, "Host : x\r\n"sv, ": v\r\n"sv, "no colon\r\n"sv,
           "nocolon\r\n"sv,
        "X: a\0b\r\n"sv, "X: a\rb\r\n"sv, "X: a\nb\r\n"sv, "X: a\r\r\n"sv, "X\t: a\r\n"sv, "X(: a\r\n"sv,
        "X\xc3\xa9: a\r\n"sv,
        "X\r: a\r\n"sv, "\0: a\r\n"sv, "X: a\x7f\r\n"sv, "X: a\x0b\r\n"sv, "X\0Y: a\r\n"sv, "\"X\": a\r\n"sv,
        " X: a\r\n"sv}) {
    CAPTURE(escaped(bad));
    CHECK(with_fields(bad) == 400);
  }
  CHECK(status_of("GET / HTTP/1.1\r\n Host: a\r\n\r\n") == 400);  // white space before the first field
  CHECK(with_fields("X_Foo: a\r\nX: :a:\r\nx!#$%&'*+-.^_`|~9: \"(),/:;<=>?@[\\]{}\r\n") == 0);
}

TEST_CASE("case 24: the Host field") {
  CHECK(status_of("GET / HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.1\r\nX: a\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.0\r\n\r\n") == 0);
  CHECK(status_of("GET / HTTP/1.0\r\nHost: a\r\n\r\n") == 0);
  CHECK(status_of("GET / HTTP/1.1\r\nHost:\r\n\r\n") == 0);
  CHECK(status_of("GET / HTTP/1.1\r\nHOST: a\r\n\r\n") == 0);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.0\r\nHost: a/b\r\n\r\n") == 400);
}

TEST_CASE("hosts of names and addresses and ports are valid") {
  for (const char* good : {"", "a", "shop.example", "shop.example:8443", "shop.example:", "192.0.2.1:80",
                           "[2001:db8::1]:8080", "[::1]", "[::1]:", "a_b-c.d~", "a!$&'()*+,;=b", "x:0",
                           "x:65535"}) {
    CAPTURE(good);
    CHECK(is_valid_host(good));
  }
  for (const std::string_view bad :
       {"a/b"sv, "a@b"sv, "a b"sv, ":80"sv, "a:b"sv, "a:80:80"sv, "a:-1"sv, "a:65536"sv, "[::1"sv, "::1"sv,
           "[::1]x"sv,
        "[::1]80"sv, "[1.2.3.4]"sv, "[]"sv, "["sv, "[v1.x]"sv, "[fe80::1%25e]"sv, "a]"sv, "a\\b"sv, "a\"b"sv,
        "a<b"sv,
        "a%41"sv, "a?b"sv, "a#b"sv, "\xc3\xa9"sv, "a\0b"sv, "a:99999999999999999999"sv}) {
    CAPTURE(bad);
    CHECK_FALSE(is_valid_host(bad));
  }
}

TEST_CASE("limits have their own statuses and hold exactly") {
  const head_limits small{.target_bytes = 10, .head_bytes = 100, .fields = 3};
  const auto target = [&](std::size_t size) {
    return status_of(concat("GET /", std::string(size - 1, 'a'), " HTTP/1.0\r\n\r\n"), small);
  };
  CHECK(target(10) == 0);
  CHECK(target(11) == 414);
  CHECK(target(500) == 414);

  const std::string start = "GET / HTTP/1.0\r\nX: ";
  const auto head = [&](std::size_t size) {
    return status_of(concat(start, std::string(size - start.size() - 4, 'a'), "\r\n\r\n"), small);
  };
  CHECK(head(100) == 0);
  CHECK(head(101) == 431);

  CHECK(status_of("GET / HTTP/1.0\r\na:\r\nb:\r\nc:\r\n\r\n", small) == 0);
  CHECK(status_of("GET / HTTP/1.0\r\na:\r\nb:\r\nc:\r\nd:\r\n\r\n", small) == 431);
}

TEST_CASE("case 24: empty lines before the request are skipped up to eight") {
  std::string bytes{curl};
  for (int lines = 1; lines <= 8; ++lines) {
    bytes.insert(0, "\r\n");
    request_head head;
    CHECK(parse(bytes, head) == 0);
    CHECK(head.method == "GET");
  }
  CHECK(status_of("\r\n" + bytes) == 400);
  CHECK(status_of("\n" + std::string{curl}) == 400);
  CHECK(status_of("\r" + std::string{curl}) == 400);
}

TEST_CASE("tokens are not empty and have no separators") {
  CHECK(is_token("chunked"));
  CHECK(is_token("!#$%&'*+-.^_`|~09azAZ"));
  for (const std::string_view bad : {""sv, "a b"sv, "a,"sv, "a:"sv, "\"a\""sv, "a/b"sv, "\xc3"sv, "a\0"sv,
      "[a]"sv, "{a}"sv})
    CHECK_FALSE(is_token(bad));
}

TEST_CASE("HEAD is known however malformed the rest is") {
  for (const std::string_view data : {"HEAD ", "HEAD  / x", "\r\n\r\nHEAD /a\r\n",
                                      "\nHEAD / HTTP/9.9\r\n\r\n"})
    CHECK(begins_with_head_method(data));
  for (const std::string_view data : {"", "\r\n", "HEAD", "HEAD\t/", "HEADS /", "head /", " HEAD /",
                                      "GET /HEAD "})
    CHECK_FALSE(begins_with_head_method(data));
}
