// server/http1 over a socket pair: requests in any pieces, their order, bodies, and answers without content.
#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/fixture.hpp"

#include <thread>

using namespace httpd;
using namespace httpd::test;

namespace {

// Sends the pieces, each seen by the server before the next, and returns what came back.
std::string ask_in_pieces(test_server& server, const std::vector<std::string_view>& pieces) {
  auto c = server.connect();
  for (const auto piece : pieces) {
    REQUIRE(c.send(piece) == piece.size());
    server.settle();
  }
  REQUIRE(server.run_until([&] { return c.has(1); }, {&c}));
  return summary(c.answers());
}

void check_every_cut(test_server& server, std::string_view request) {
  const auto whole = ask_in_pieces(server, {request});
  CAPTURE(request, whole);
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    CAPTURE(cut);
    REQUIRE(ask_in_pieces(server, {request.substr(0, cut), request.substr(cut)}) == whole);
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < request.size(); ++i) bytes.push_back(request.substr(i, 1));
  REQUIRE(ask_in_pieces(server, bytes) == whole);
}

}  // namespace

TEST_CASE("a request for a file, cut at every byte, is answered as the whole one") {
  test_server server;
  check_every_cut(server, get("/small.txt"));
  check_every_cut(server, get("/missing", "Accept: */*\r\n"));
  check_every_cut(server, get("/small.txt", "Range: bytes=2-6\r\n"));
  CHECK(server.finish());
}

TEST_CASE("a malformed request, cut at every byte, is refused as the whole one") {
  test_server server;
  check_every_cut(server, "GET /small.txt HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  CHECK(server.finish());
}

TEST_CASE("a HEAD request that is refused gets no content either") {
  test_server server;
  auto c = server.connect();
  c.send("\r\nHEAD / HTTP/1.1\r\n\r\n");
  REQUIRE(server.run_until([&] { return c.ended() || c.received().ends_with("\r\n\r\n"); }, {&c}));
  server.settle();
  c.pull();
  CHECK(c.received().starts_with("HTTP/1.1 400 "));
  CHECK(c.received().ends_with("\r\n\r\n"));
  c.close();
  CHECK(server.finish());
}

TEST_CASE("a request with a counted body, cut at every byte, reaches PHP whole") {
  test_server server;
  auto& php = server.php_answers("from PHP");
  check_every_cut(server, post("/a.php/info?q=1", "name=value&other=thing"));
  for (std::size_t i = 0; i < php.connections(); ++i) {
    REQUIRE(php.connection(i).stdin_bytes == "name=value&other=thing");
    REQUIRE(php.connection(i).params["CONTENT_LENGTH"] == "22");
    REQUIRE(php.connection(i).params["PATH_INFO"] == "/info");
  }
  CHECK(server.finish());
}

TEST_CASE("a request with a chunked body, cut at every byte, reaches PHP whole and with a length") {
  test_server server;
  auto& php = server.php_answers("from PHP");
  check_every_cut(server, post_chunked("/a.php", {"a", "chunked", "body!"}));
  for (std::size_t i = 0; i < php.connections(); ++i) {
    REQUIRE(php.connection(i).stdin_bytes == "achunkedbody!");
    REQUIRE(php.connection(i).params["CONTENT_LENGTH"] == "13");
  }
  CHECK(server.finish());
}

TEST_CASE("pipelined requests are answered in order, however they are cut") {
  test_server server;
  auto& php = server.php_answers("from PHP");
  const auto all = get("/small.txt") + post("/a.php", "abc") + get("/large.bin", "Range: bytes=5-14\r\n") +
                   post_chunked("/b.php", {"chunk"}) + get("/missing") + get("/empty.txt") + get("/a.php");
  const auto wanted = [](const client& c) { return c.has(7); };
  std::string whole;
  for (std::size_t cut = 0; cut < all.size(); cut += cut < 20 ? 1 : 7) {
    CAPTURE(cut);
    auto c = server.connect();
    c.send(std::string_view{all}.substr(0, cut));
    server.settle();
    c.send(std::string_view{all}.substr(cut));
    REQUIRE(server.run_until([&] { return wanted(c); }, {&c}));
    const auto answers = c.answers();
    if (cut == 0) whole = summary(answers);
    REQUIRE(summary(answers) == whole);
    REQUIRE(answers.size() == 7);
  }
  const auto count = php.connections();
  CHECK(php.connection(count - 3).stdin_bytes == "abc");
  CHECK(php.connection(count - 2).stdin_bytes == "chunk");
  CHECK(php.connection(count - 1).params["CONTENT_LENGTH"].empty());
  CHECK(whole.starts_with("200\n"));
  CHECK(whole.find("from PHP") < whole.find("206\n"));
  CHECK(whole.find("206\n") < whole.find("404\n"));
  CHECK(server.finish());
}

TEST_CASE("HEAD has the fields of GET and no content, and the next answer is in step") {
  test_server server;
  server.php({{.parts = {stdout_record("Content-Length: 5\r\n\r\nhello") + end_record()}},
              {.parts = {stdout_record("X-A: b\r\n\r\n") + end_record()}}});
  auto c = server.connect();
  const std::vector<std::string> methods{"HEAD", "HEAD", "HEAD", "HEAD", "GET"};
  for (const auto* target : {"/small.txt", "/large.bin", "/a.php", "/b.php"})
    c.send(concat("HEAD ", std::string_view{target}, " HTTP/1.1\r\nHost: h\r\n\r\n"));
  c.send(get("/small.txt"));
  REQUIRE(server.run_until([&] { return c.has(5, methods); }, {&c}));
  const auto answers = c.answers(methods);
  REQUIRE(answers.size() == 5);
  CHECK(answers[0].field("content-length") == "13");
  CHECK(answers[1].field("content-length") == std::to_string(server.large.size()));
  CHECK(answers[2].field("content-length") == "5");
  CHECK_FALSE(answers[3].has("content-length"));  // case 26: none is invented
  CHECK_FALSE(answers[3].has("transfer-encoding"));
  CHECK(answers[4].content == "a small file\n");
  CHECK(server.finish());
}

TEST_CASE("case 25: 204, 304 and 205 with content from PHP have none, and the next answer is in step") {
  test_server server;
  const auto with_status = [](std::string_view status) {
    return php_script{.parts = {stdout_record(concat("Status: ", status, "\r\n\r\nunwanted")), end_record()}};
  };
  server.php(
      {with_status("204 No Content"), with_status("304 Not Modified"), with_status("205 Reset Content")});
  auto c = server.connect();
  c.send(get("/a.php") + get("/a.php") + get("/a.php") + get("/small.txt"));
  REQUIRE(server.run_until([&] { return c.has(4); }, {&c}));
  const auto answers = c.answers();
  REQUIRE(answers.size() == 4);
  CHECK(answers[0].status == 204);
  CHECK_FALSE(answers[0].has("content-length"));
  CHECK(answers[1].status == 304);
  CHECK(answers[2].status == 205);
  CHECK(answers[2].field("content-length") == "0");
  for (std::size_t i = 0; i < 3; ++i) CHECK_FALSE(answers[i].has("transfer-encoding"));
  CHECK(answers[3].content == "a small file\n");
  CHECK(server.finish());
}

TEST_CASE("case 43: 100 Continue is said when the body is wanted, once, and not when it is already coming") {
  test_server server;
  auto& php = server.php_answers("thanks");
  const std::string head =
      "POST /a.php HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n";
  auto waiting = server.connect();
  waiting.send(head);
  server.settle();
  waiting.pull();
  REQUIRE(waiting.received() == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(php.connections() == 0);
  waiting.send("bo");
  server.settle();
  waiting.send("dy");
  REQUIRE(server.run_until([&] { return waiting.has(1); }, {&waiting}));
  CHECK(waiting.answers().size() == 2);
  CHECK(php.connection(0).stdin_bytes == "body");

  auto hasty = server.connect();
  hasty.send(head + "body");
  REQUIRE(server.run_until([&] { return hasty.has(1); }, {&hasty}));
  CHECK(hasty.answers().front().status == 200);
  CHECK(server.finish());
}

TEST_CASE("case 43: a body above the limit gets 413 that the client can read, whatever it goes on sending") {
  test_server server{[](config::configuration& c) { c.limits.max_body_bytes = 100'000; }};
  auto& php = server.php_answers("never");
  const std::string block(1'000'000, 'b');
  const auto kind = GENERATE("counted", "chunked", "expected", "for a file");
  CAPTURE(kind);
  const std::string_view what = kind;
  auto c = server.connect_tcp();  // a reset destroys what was not read yet only there
  std::string fields = "Content-Length: 5000000\r\n";
  if (what == "chunked") fields = "Transfer-Encoding: chunked\r\n";
  if (what == "expected") fields += "Expect: 100-continue\r\n";
  const std::string_view target = what == "for a file" ? "/small.txt" : "/a.php";
  c.send(concat("POST ", target, " HTTP/1.1\r\nHost: h\r\n", fields, "\r\n"));
  if (what == "chunked") c.send("4c4b40\r\n");
  std::size_t sent = 0;
  while (what != "expected" && sent < 5'000'000) {
    const auto n = c.send(std::string_view{block}.substr(0, std::min(block.size(), 5'000'000 - sent)));
    sent += n;
    server.step();
    if (n == 0) server.worker->context.run_one_for(1ms);
  }
  server.settle();
  c.end_sending();
  REQUIRE(server.run_until([&] { return c.ended(); }, {&c}));
  CHECK_FALSE(c.was_reset());
  const auto answers = c.answers();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].status == (what == "for a file" ? 405 : 413));
  CHECK(answers[0].complete);
  CHECK(answers[0].field("connection") == "close");
  CHECK(php.connections() == 0);
  CHECK(server.finish());
}

TEST_CASE("case 41: a small body that nobody reads is used up, and the next request is in step") {
  test_server server;
  auto c = server.connect();
  c.send(post("/small.txt", "ignored") + get("/small.txt"));
  REQUIRE(server.run_until([&] { return c.has(2); }, {&c}));
  CHECK(c.answers()[0].status == 405);
  CHECK(c.answers()[1].content == "a small file\n");
  CHECK(server.finish());
}

TEST_CASE("HTTP/1.0 gets no chunks, and the end of the connection ends the answer") {
  test_server server;
  server.php({{.parts = {stdout_record("X-A: b\r\n\r\nfirst "), stdout_record("second") + end_record()}}});
  auto c = server.connect();
  c.send("GET /a.php HTTP/1.0\r\n\r\n");
  REQUIRE(server.run_until([&] { return c.ended(); }, {&c}));
  REQUIRE(c.answers().size() == 1);
  CHECK_FALSE(c.answers()[0].chunked);
  CHECK(c.answers()[0].content == "first second");
  CHECK_FALSE(c.was_reset());
  CHECK(server.finish());
}

TEST_CASE("a body larger than memory reaches PHP from its file, byte for byte") {
  test_server server;
  auto& php = server.php_answers("thanks");
  const auto body = pattern(700'000);
  const auto request = post("/a.php", body);
  auto c = server.connect();
  std::size_t sent = 0;
  REQUIRE(server.run_until(
      [&] {
        sent += c.send(std::string_view{request}.substr(sent));
        return c.has(1);
      },
      {&c}));
  CHECK(php.connection(0).params["CONTENT_LENGTH"] == "700000");
  CHECK(php.connection(0).stdin_bytes == body);
  CHECK(server.finish());
}

TEST_CASE("a head that never ends is refused with 408 after its time, and an idle connection just ends") {
  test_server server{[](config::configuration& to) {
    to.limits.header_timeout = to.limits.idle_timeout = 50ms;
  }};
  auto slow = server.connect(), idle = server.connect();
  idle.send(get("/small.txt"));
  REQUIRE(server.run_until([&] { return idle.has(1); }, {&idle}));
  slow.send("GET /small");
  REQUIRE(server.run_until([&] { return slow.has(1) && idle.ended(); }, {&slow, &idle}));
  CHECK(slow.answers()[0].status == 408);
  CHECK(idle.answers().size() == 1);
  slow.close();
  CHECK(server.finish());
}

TEST_CASE("a byte in the moment when the time for a head is over buys no more of it") {
  test_server server{[](config::configuration& to) { to.limits.header_timeout = 1ms; }};
  auto slow = server.connect();
  slow.send("GET /small");
  server.settle();
  std::this_thread::sleep_for(20ms);  // past the limit; the tick below is what ends it
  slow.send("x");
  server.worker->deadlines.tick();
  REQUIRE(server.run_until([&] { return slow.has(1); }, {&slow}));
  CHECK(slow.answers()[0].status == 408);
  slow.close();
  CHECK(server.finish());
}

TEST_CASE("a body that stops coming is refused with 408 after its time, and the script does not run") {
  test_server server{[](config::configuration& c) { c.limits.body_timeout = 50ms; }};
  auto& php = server.php_answers("never");
  auto c = server.connect();
  c.send("POST /a.php HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
  REQUIRE(server.run_until([&] { return c.has(1); }, {&c}));
  CHECK(c.answers()[0].status == 408);
  CHECK(php.connections() == 0);
  c.close();
  CHECK(server.finish());
}
