// Answers of a scripted php-fpm that are whole and right, in any pieces: what the client must get.
#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/fixture.hpp"

using namespace httpd;
using namespace httpd::test;

namespace {

// What a client gets for one GET of a script that sends these parts.
std::vector<answer> ask(test_server& server, php_script script, std::string_view request = {}) {
  server.php({std::move(script)});
  auto c = server.connect();
  c.send(request.empty() ? get("/a.php") : request);
  REQUIRE(server.run_until([&] { return c.has(1) || c.ended(); }, {&c}));
  CHECK(server.run_until([&] { return server.peer->all_closed(); }));
  return c.answers();
}

answer ask_for_one(test_server& server, php_script script, std::string_view request = {}) {
  const auto answers = ask(server, std::move(script), request);
  REQUIRE(answers.size() == 1);
  return answers[0];
}

void check_every_cut(test_server& server, const std::string& bytes) {
  const auto whole = summary(ask(server, {.parts = {bytes}}));
  CAPTURE(whole);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    CAPTURE(cut);
    REQUIRE(summary(ask(server, {.parts = {bytes.substr(0, cut), bytes.substr(cut)}})) == whole);
  }
  std::vector<std::string> single;
  for (const char byte : bytes) single.emplace_back(1, byte);
  REQUIRE(summary(ask(server, {.parts = single})) == whole);
}

}  // namespace

TEST_CASE("an answer from PHP, cut at every byte, reaches the client as the whole one") {
  const captured_log log;
  test_server server;
  const auto content = "content with \r\n\r\n in it and more to come";
  SECTION("in one record") { check_every_cut(server, plain_answer(content)); }
  SECTION("in many records with padding, and messages between them") {
    check_every_cut(server,
                    stderr_record("before\n") + stdout_record("Status: 404 Not Here\r\nX-Na", 3) +
                        stderr_record("between ") + stdout_record("me: va") + stderr_record("them\n") +
                        stdout_record("lue\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\ncon", 20) +
                        stdout_record("tent", 1) + stderr_record("after") + end_record());
  }
  SECTION("with a length of its own") {
    check_every_cut(server, stdout_record("Content-Length: 4\r\n\r\nfour") + end_record());
  }
  CHECK(server.finish());
}

TEST_CASE("an answer that is there at once has a length, one that comes in parts is chunked") {
  test_server server;
  const auto at_once = ask_for_one(server, {.parts = {plain_answer("all of it")}});
  CHECK(at_once.field("content-length") == "9");
  CHECK_FALSE(at_once.chunked);
  const php_script parts{.parts = {stdout_record("A: b\r\n\r\nall "), stdout_record("of it"), end_record()}};
  const auto in_parts = ask_for_one(server, parts);
  CHECK(in_parts.chunked);
  CHECK(in_parts.content == "all of it");
  CHECK(server.finish());
}

TEST_CASE("case 34: messages on STDERR are logged with their request and never shown") {
  const captured_log log;
  test_server server;
  const std::string megabytes(2'000'000, 'E');
  const auto parts = GENERATE_REF(
      std::vector<std::string>{stderr_record("PHP message\n"), plain_answer("ok")},
      std::vector<std::string>{stdout_record("Content-ty"), stderr_record("PHP message\n"),
                               stdout_record("pe: text/plain\r\n\r\nok"), end_record()},
      std::vector<std::string>{stdout_record("Content-Type: text/plain\r\n\r\nok"),
                               stderr_record("PHP message"), end_record()},
      std::vector<std::string>{stderr_record("PHP message\n" + megabytes), plain_answer("ok")});
  const auto got = ask_for_one(server, {.parts = parts});
  CHECK(got.status == 200);
  CHECK(got.field("content-type") == "text/plain");
  CHECK(got.content == "ok");
  CHECK(log.contains("php: PHP message (GET /a.php)"));
  CHECK(server.finish());
}

TEST_CASE("case 34: messages alone are no answer") {
  const captured_log log;
  test_server server;
  const auto got = ask_for_one(server, {.parts = {stderr_record("only this"), end_record()}});
  CHECK(got.status == 502);
  CHECK(log.contains("php: only this (GET /a.php)"));
  CHECK(server.finish());
}

TEST_CASE("case 29: content beyond Content-Length is cut off and logged, and the next answer is in step") {
  const captured_log log;
  test_server server;
  server.php(
      {{.parts = {stdout_record("Content-Length: 3\r\n\r\nsix by"), stdout_record("tes"), end_record()}}});
  auto c = server.connect();
  c.send(get("/a.php") + get("/small.txt"));
  REQUIRE(server.run_until([&] { return c.has(2); }, {&c}));
  CHECK(c.answers()[0].content == "six");
  CHECK(c.answers()[1].content == "a small file\n");
  CHECK(log.contains("Content-Length is smaller"));
  CHECK(server.finish());
}

TEST_CASE("content short of Content-Length is seen by the client as cut") {
  const captured_log log;
  test_server server;
  const auto record = stdout_record("Content-Length: 100\r\n\r\nshort");
  const auto got = ask_for_one(server, {.parts = {record + end_record()}});
  CHECK_FALSE(got.complete);
  CHECK(got.content == "short");
  CHECK(log.contains("Content-Length is larger"));
  CHECK(server.finish());
}

TEST_CASE("case 32: a head of 200 KB in many records is passed on whole") {
  test_server server;
  std::string head, cookies;
  for (int i = 0; i < 20; ++i) head += "Set-Cookie: " + std::to_string(i) + std::string(10'000, 'c') + "\r\n";
  const auto got = ask_for_one(server, {.parts = {stdout_record(head + "\r\nok"), end_record()}});
  CHECK(got.status == 200);
  CHECK(got.field("set-cookie").size() > 200'000);
  CHECK(got.content == "ok");
  CHECK(server.finish());
}

TEST_CASE("a peer that answers without reading the request is understood") {
  test_server server;
  const auto size = GENERATE(std::size_t{3}, std::size_t{60'000}, std::size_t{2'000'000});
  server.php({{.parts = {plain_answer("I know without asking")}, .reads = false}});
  auto c = server.connect();
  const auto request = post("/a.php", std::string(size, 'x'));
  std::size_t sent = 0;
  REQUIRE(server.run_until(
      [&] {
        sent += c.send(std::string_view{request}.substr(sent));
        return c.has(1);
      },
      {&c}));
  CHECK(c.answers()[0].status == 200);
  CHECK(c.answers()[0].content == "I know without asking");
  CHECK(server.run_until([&] { return server.peer->all_closed(); }));
  CHECK(server.finish());
}

TEST_CASE("a script may name a file below the document root, which is sent in its stead") {
  test_server server;
  const bool by_uri = GENERATE(true, false);
  const auto named = [&](std::string_view path) {
    return by_uri ? concat("X-Accel-Redirect: ", path)
                  : concat("X-Sendfile: ", server.config.document_root, path);
  };
  const auto script = [&](std::string_view path) {
    const auto record = stdout_record(concat(named(path), "\r\nX-Own: kept\r\n\r\nunwanted"));
    return php_script{.parts = {record, end_record()}};
  };
  const auto small = ask_for_one(server, script("/small.txt"));
  CHECK(small.status == 200);
  CHECK(small.content == "a small file\n");
  CHECK(small.field("x-own") == "kept");
  CHECK_FALSE(small.has("x-sendfile"));
  CHECK_FALSE(small.has("x-accel-redirect"));
  const auto part = ask_for_one(server, script("/large.bin"), get("/a.php", "Range: bytes=10-19\r\n"));
  CHECK(part.status == 206);
  CHECK(part.content == server.large.substr(10, 10));
  CHECK((ask_for_one(server, script("/large.bin")).content == server.large));

  const captured_log log;
  for (const auto* path : {"/missing.txt", "/../php.sock", "/a.php", "/.hidden", "/"})
    CHECK(ask_for_one(server, script(path)).status == 404);
  CHECK(log.contains("wants a file sent"));
  CHECK(server.finish());
}

TEST_CASE("a client that asks with HEAD for a script that names a file gets its length alone") {
  test_server server;
  server.php({{.parts = {stdout_record("X-Accel-Redirect: /large.bin\r\n\r\n") + end_record()}}});
  auto c = server.connect();
  c.send("HEAD /a.php HTTP/1.1\r\nHost: h\r\n\r\n" + get("/small.txt"));
  REQUIRE(server.run_until([&] { return c.has(2, {"HEAD", "GET"}); }, {&c}));
  CHECK(c.answers({"HEAD", "GET"})[0].field("content-length") == std::to_string(server.large.size()));
  CHECK(server.finish());
}
