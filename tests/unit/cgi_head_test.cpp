// The head of a CGI answer, whole and cut at every byte; the tables of cases 27, 28, 29 and 32.
#include "catch.hpp"

#include "fastcgi/cgi_head.hpp"

#include <string>
#include <vector>

using namespace httpd::fastcgi;
using status = cgi_head::status;

namespace {

struct outcome {
  status what = status::more;
  std::size_t consumed = 0;  // of all that was fed
  unsigned code = 0;
  std::string reason;
  std::string fields;  // "name=value|" each
  std::optional<std::uint64_t> length;
  bool operator==(const outcome&) const = default;
};

outcome run(const std::vector<std::string_view>& pieces, std::size_t limit) {
  cgi_head head{limit};
  outcome result;
  for (const auto piece : pieces) {
    std::size_t consumed = 0;
    result.what = head.feed(piece, consumed);
    REQUIRE(consumed <= piece.size());
    result.consumed += consumed;
    if (result.what == status::more) CHECK(consumed == piece.size());
    else break;
  }
  if (result.what != status::complete) {
    result.consumed = 0;
    return result;
  }
  result.code = head.code();
  result.reason = head.reason();
  result.length = head.content_length();
  for (const auto& field : head.fields())
    result.fields.append(field.name).append("=").append(field.value).append("|");
  return result;
}

// The outcome of the whole, after checking that every cut in two and single bytes give the same.
outcome read(std::string_view all, std::size_t limit = 65536) {
  const auto whole = run({all}, limit);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    INFO("cut at " << cut);
    CHECK((run({all.substr(0, cut), all.substr(cut)}, limit) == whole));
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < all.size(); ++i) bytes.push_back(all.substr(i, 1));
  if (!all.empty()) CHECK((run(bytes, limit) == whole));
  return whole;
}

std::string with_status(std::string_view value) {
  return std::string("Status: ").append(value).append("\r\nA: 1\r\n\r\n");
}

}  // namespace

TEST_CASE("a head ends at its empty line, and the body is not taken") {
  const std::string head = "X-Powered-By: PHP/8.2\r\nContent-type: text/html; charset=UTF-8\r\n\r\n";
  const auto result = read(head + "body\r\n\r\nmore");
  CHECK(result.what == status::complete);
  CHECK(result.consumed == head.size());
  CHECK(result.code == 200);
  CHECK(result.reason.empty());
  CHECK(result.fields == "X-Powered-By=PHP/8.2|Content-type=text/html; charset=UTF-8|");
  CHECK_FALSE(result.length);
}

TEST_CASE("case 28: lines may end in LF alone, or in both ways mixed") {
  CHECK(read("A: 1\nB: 2\n\nbody").fields == "A=1|B=2|");
  CHECK(read("A: 1\r\nB: 2\n\r\nbody").fields == "A=1|B=2|");
  CHECK(read("A: 1\nB: 2\r\n\nbody").fields == "A=1|B=2|");
  CHECK(read("A: 1\n\nbody").consumed == 6);
}

TEST_CASE("a script that removed all its fields sends an empty line only") {
  const auto result = read("\r\nbody");
  CHECK(result.what == status::complete);
  CHECK(result.consumed == 2);
  CHECK(result.code == 200);
  CHECK(result.fields.empty());
  CHECK(read("\nbody").consumed == 1);
}

TEST_CASE("a head that is not over needs more") {
  for (const auto* part : {"", "A", "A: 1", "A: 1\r", "A: 1\r\n", "A: 1\r\n\r", "\r", "A: 1\n", "A: 1\n\r",
                           "\r\r"}) {
    INFO(part);
    CHECK(read(part).what == status::more);
  }
}

TEST_CASE("case 28: repeats stay apart and in order, values keep their colons, empty ones are fine") {
  const auto result = read(
      "Set-Cookie: a=1\r\nset-cookie: b=2\r\nLink: <x>\r\nLink: <y>\r\nVary: A\r\nVary: B\r\n"
      "X-T: 12:30:00: z\r\nX-Empty:\r\nX-Blank: \t \r\nX-Tab:\ta\tb \r\nX-Bytes: \xe4\xff\r\n\r\n");
  CHECK(result.what == status::complete);
  CHECK(result.fields ==
        "Set-Cookie=a=1|set-cookie=b=2|Link=<x>|Link=<y>|Vary=A|Vary=B|X-T=12:30:00: z|X-Empty=|X-Blank=|"
        "X-Tab=a\tb|X-Bytes=\xe4\xff|");
}

TEST_CASE("case 27: the status line is taken from Status and never passed on") {
  const struct {
    const char* value;
    unsigned code;
    const char* reason;
  } good[] = {{"418 Custom Words", 418, "Custom Words"}, {"404: Not Found", 404, "Not Found"},
              {"200", 200, ""}, {"200 ", 200, ""}, {"204 No Content", 204, "No Content"},
              {"304 Not Modified", 304, "Not Modified"}, {"599 x", 599, "x"},
              {"500\tTabbed", 500, "Tabbed"}, {"404:", 404, ""}, {"404 : a", 404, ": a"}};
  for (const auto& row : good) {
    INFO(row.value);
    const auto result = read(with_status(row.value));
    CHECK(result.what == status::complete);
    CHECK(result.code == row.code);
    CHECK(result.reason == row.reason);
    CHECK(result.fields == "A=1|");
  }
}

TEST_CASE("case 27: a status that no answer can have is bad") {
  for (const auto* value : {"", "0", "abc", "99", "100", "199", "600", "999", "1000", "2000", "20", "20x",
                            "200x", "2 00", "+200", "-200", "0x200", "200.5", "200,", "HTTP/1.1 200 OK", "OK",
                            "200 a\x01"}) {
    INFO(value);
    CHECK(read(with_status(value)).what == status::bad);
  }
  CHECK(read("Status: 200 OK\r\nStatus: 404 Not Found\r\n\r\n").what == status::bad);
  CHECK(read("Status: 404\r\nstatus: 404 Not Found\r\n\r\n").code == 404);
}

TEST_CASE("case 27: Location alone is a redirect, Status has the last word") {
  CHECK(read("Location: /a.txt\r\n\r\n").code == 302);
  CHECK(read("location: //h/p\r\n\r\n").fields == "location=//h/p|");
  CHECK(read("Location: /x\r\nStatus: 201 Created\r\n\r\n").code == 201);
  CHECK(read("Status: 200 OK\r\nLocation: /x\r\n\r\n").code == 200);
  CHECK(read("Location:\r\n\r\n").code == 200);
}

TEST_CASE("case 29: the length is read and not passed on") {
  const auto result = read("Content-Length: 3\r\nA: 1\r\n\r\nabcdef");
  CHECK(result.length == 3u);
  CHECK(result.fields == "A=1|");
  CHECK(read("content-length: 18446744073709551615\r\n\r\n").length == 18446744073709551615u);
  CHECK(read("Content-Length: 7\r\nContent-Length: 7\r\n\r\n").length == 7u);
  CHECK(read("Content-Length: 7\r\nContent-Length: 8\r\n\r\n").what == status::bad);
  for (const auto* value : {"", "-1", "+1", "0x5", "5 5", "5, 5", "5.0", "18446744073709551616", "five"}) {
    INFO(value);
    CHECK(read(std::string("Content-Length: ") + value + "\r\n\r\n").what == status::bad);
  }
}

TEST_CASE("hop-by-hop fields are the server's own") {
  const auto result = read(
      "Connection: close\r\nkeep-alive: 5\r\nProxy-Connection: x\r\nTransfer-Encoding: chunked\r\n"
      "Upgrade: h2c\r\nTE: x\r\nTrailer: y\r\nX-Trailer: stays\r\nContent-Encoding: gzip\r\n\r\n");
  CHECK(result.fields == "X-Trailer=stays|Content-Encoding=gzip|");
}

TEST_CASE("a line that is no field is bad") {
  for (const std::string& line : std::vector<std::string>{
           "no colon", ": v", " A: 1", "\tfolded", "A : 1", "A B: 1", "A\x01: 1", "\xe4: 1", "A(: 1",
           "A: a\rb", "A: \x01", "A: \x7f", "A: a\x1b[0m", std::string("A: a\0b", 6),
           std::string("A\0: b", 5), "\r", "A: 1\r", "HTTP/1.1 200 OK", "<br />", "A: \v", "\"A\": 1"}) {
    INFO(line);
    CHECK(read(line + "\r\n\r\n").what == status::bad);
    CHECK(read("X: 1\r\n" + line + "\r\nY: 2\r\n\r\n").what == status::bad);
  }
}

TEST_CASE("case 32: large heads arrive intact in any pieces, up to the limit and not beyond") {
  std::string head;
  for (int i = 0; i < 40; ++i) head += "X-" + std::to_string(i) + ": " + std::string(1000, 'h') + "\r\n";
  head += "Big: " + std::string(64000, 'b') + "\r\n\r\n";
  for (const std::size_t piece : {1u, 7u, 1000u, 65535u}) {
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < head.size(); at += piece)
      pieces.push_back(std::string_view{head}.substr(at, piece));
    CHECK(run(pieces, head.size()).what == status::complete);
    CHECK(run(pieces, head.size()).consumed == head.size());
    CHECK(run(pieces, head.size() - 1).what == status::too_large);
  }
  const std::string endless(2000000, 'x');
  CHECK(run({endless}, 1 << 20).what == status::too_large);
}

TEST_CASE("the limit counts the head and not the body behind it") {
  CHECK(read("A: 1\r\n\r\n" + std::string(100, 'b'), 8).what == status::complete);
  CHECK(read("A: 1\r\n\r\n" + std::string(100, 'b'), 7).what == status::too_large);
  CHECK(read("A: 12345", 7).what == status::too_large);
  CHECK(read("A: 1234", 7).what == status::more);
}

TEST_CASE("a field is found by its name in any case, the first of several") {
  cgi_head head{1000};
  std::size_t consumed = 0;
  REQUIRE(head.feed("X-Sendfile: /a\r\nx-sendfile: /b\r\nStatus: 200\r\n\r\n", consumed) == status::complete);
  CHECK(head.find("x-SENDFILE") == "/a");
  CHECK(head.find("Status").empty());
  CHECK(head.find("X").empty());
}
