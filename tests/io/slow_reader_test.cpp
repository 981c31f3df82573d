// Clients that read slowly: every byte arrives, and neither PHP nor the other clients wait for them.
#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/fixture.hpp"

using namespace httpd;
using namespace httpd::test;

namespace {

constexpr int least_buffer = 1;  // the kernel rounds it up to its own least

// A request whose connection ends with the answer; read in small pieces up to the end.
answer read_slowly(test_server& server, client& c, std::size_t piece) {
  const auto give_up_at = std::chrono::steady_clock::now() + 20s;
  while (!c.ended() && std::chrono::steady_clock::now() < give_up_at) {
    server.settle();
    if (!c.pull(piece)) server.worker->context.run_one_for(1ms);
  }
  REQUIRE(c.ended());
  const auto answers = c.answers();
  REQUIRE(answers.size() == 1);
  return answers[0];
}

const std::string closing = "Connection: close\r\n";

}  // namespace

TEST_CASE("a slow reader of a large file gets every byte") {
  test_server server;
  const auto piece = GENERATE(std::size_t{1500}, std::size_t{100'000});
  auto c = server.connect(least_buffer);
  c.send(get("/large.bin", closing));
  const auto got = read_slowly(server, c, piece);
  CHECK(got.complete);
  CHECK((got.content == server.large));
  CHECK(server.finish());
}

TEST_CASE("a slow reader of ranges of a large file gets every byte of them") {
  test_server server;
  auto c = server.connect(least_buffer);
  c.send(get("/large.bin", closing + "Range: bytes=1000-300999,500000-500009\r\n"));
  const auto got = read_slowly(server, c, 3000);
  REQUIRE(got.status == 206);
  CHECK(got.complete);
  CHECK(got.content.find(server.large.substr(1000, 300'000)) != std::string::npos);
  CHECK(got.content.find("\r\n\r\n" + server.large.substr(500'000, 10) + "\r\n--") != std::string::npos);
  CHECK(server.finish());
}

TEST_CASE("a slow reader of a large answer from PHP gets every byte, chunked or counted") {
  test_server server;
  const auto content = pattern(3'000'000);
  const bool counted = GENERATE(false, true);
  const auto head = counted ? concat("Content-Length: ", content.size(), "\r\n\r\n") : "X-A: b\r\n\r\n";
  server.php({{.parts = {stdout_record(head + content), end_record()}}});
  auto c = server.connect(least_buffer);
  c.send(get("/a.php", closing));
  const auto got = read_slowly(server, c, 20'000);
  CHECK(got.complete);
  CHECK(got.chunked != counted);
  CHECK((got.content == content));
  CHECK(server.finish());
}

TEST_CASE("a slow reader does not hold the PHP worker: its answer is read ahead, in memory and into a file") {
  test_server server{[](config::configuration& c) { c.php.workers = 1; }};
  const auto content = pattern(GENERATE(std::size_t{100'000}, std::size_t{140'000}, std::size_t{10'000'000}));
  auto& php = server.php({{.parts = {plain_answer(content)}}, {.parts = {plain_answer("second")}}});
  auto slow = server.connect(least_buffer), other = server.connect();
  slow.send(get("/a.php", closing));
  REQUIRE(server.run_until([&] { return php.connections() == 1 && php.all_closed(); }));
  other.send(get("/b.php"));
  REQUIRE(server.run_until([&] { return other.has(1); }, {&other}));
  CHECK(other.answers()[0].content == "second");
  CHECK((read_slowly(server, slow, 50'000).content == content));
  CHECK(server.process->answer_bytes.left() == server.config.limits.php_spool_bytes);
  CHECK(server.finish());
}

TEST_CASE("a client that leaves gives back what was kept for it") {
  test_server server;
  auto& php = server.php({{.parts = {plain_answer(pattern(3'000'000))}}});
  auto c = server.connect(least_buffer);
  c.send(get("/a.php"));
  REQUIRE(server.run_until([&] { return php.connections() == 1 && php.all_closed(); }));
  const auto all = server.config.limits.php_spool_bytes;
  REQUIRE(server.process->answer_bytes.left() < all - 2'000'000);
  c.close();
  CHECK(server.run_until([&] { return server.process->answer_bytes.left() == all; }));
  CHECK(server.finish());
}

TEST_CASE("PHP waits for a client no longer than until others have given back their room") {
  const captured_log log;
  test_server server{[](config::configuration& c) { c.limits.php_spool_bytes = 4u << 20; }};
  const auto first = pattern(3'900'000), second = pattern(3'000'000);
  auto& php = server.php({{.parts = {plain_answer(first)}}, {.parts = {plain_answer(second)}}});
  auto one = server.connect(least_buffer), two = server.connect(least_buffer);
  one.send(get("/a.php", closing));
  REQUIRE(server.run_until([&] { return php.connections() == 1 && php.all_closed(); }));
  two.send(get("/b.php", closing));
  server.settle();
  REQUIRE(php.connections() == 2);
  REQUIRE_FALSE(php.connection(1).ended);
  CHECK((read_slowly(server, one, 100'000).content == first));
  // Nothing was taken of the second answer yet, nor is now.
  REQUIRE(server.run_until([&] { return php.all_closed(); }));
  CHECK((read_slowly(server, two, 100'000).content == second));
  CHECK(server.finish());
}

TEST_CASE("others are served while PHP waits for a slow client") {
  const captured_log log;
  test_server server{[](config::configuration& c) { c.limits.php_spool_bytes = 0; }};
  server.php({{.parts = {plain_answer(pattern(3'000'000))}}, {.parts = {plain_answer("second")}}});
  auto slow = server.connect(least_buffer), other = server.connect();
  slow.send(get("/a.php", closing));
  server.settle();
  for (const auto* target : {"/b.php", "/small.txt", "/large.bin"}) {
    other.send(get(target));
    CHECK(server.run_until([&] { return other.answers().size() > 0 && other.answers().back().complete; },
                           {&other}));
  }
  CHECK(server.run_until([&] { return other.has(3); }, {&other}));
  CHECK((read_slowly(server, slow, 100'000).content == pattern(3'000'000)));
  CHECK(server.finish());
}

TEST_CASE("what is read ahead of a slow reader is bounded: then PHP has to wait") {
  const captured_log log;
  test_server server{[](config::configuration& c) { c.limits.php_spool_bytes = 1u << 20; }};
  const auto content = pattern(5'000'000);
  auto& php = server.php({{.parts = {plain_answer(content)}}});
  auto c = server.connect(least_buffer);
  c.send(get("/a.php", closing));
  server.settle();
  REQUIRE(php.connections() == 1);
  CHECK_FALSE(php.connection(0).ended);
  CHECK(php.connection(0).part_sent < 2'500'000);
  CHECK((read_slowly(server, c, 200'000).content == content));
  CHECK(server.finish());
}

TEST_CASE("a client that takes nothing for the send time-out is cut, and PHP is let go") {
  const captured_log log;
  test_server server{[](config::configuration& c) {
    c.limits.send_timeout = 50ms;
    c.limits.php_spool_bytes = 1u << 20;
    c.php.workers = 1;
  }};
  const auto target = GENERATE("/large.bin", "/a.php", "/b.php");
  CAPTURE(target);
  // b.php is small enough to be read ahead to its end, a.php is not.
  const std::size_t size = std::string_view{target} == "/a.php" ? 4'000'000 : 500'000;
  auto& php = server.php({{.parts = {plain_answer(pattern(size))}}, {.parts = {plain_answer("next")}}});
  auto stuck = server.connect(least_buffer);
  stuck.send(get(target));
  const auto cut_by = std::chrono::steady_clock::now() + 600ms;
  server.run_until([&] { return std::chrono::steady_clock::now() > cut_by; });
  while (stuck.pull()) continue;
  CHECK(stuck.ended());
  if (!stuck.answers().empty()) CHECK_FALSE(stuck.answers()[0].complete);
  auto other = server.connect();
  other.send(get("/a.php"));
  REQUIRE(server.run_until([&] { return other.has(1); }, {&other}));
  CHECK(server.run_until([&] { return php.all_closed(); }));
  CHECK(server.finish());
}

TEST_CASE("a flushed part of an answer reaches the client while PHP goes on, after a long pause too") {
  test_server server;
  auto& php = server.php({{.parts = {stdout_record("Content-Type: text/event-stream\r\n\r\n"),
                                     stdout_record("data: 1\n\n")}, .end = php_script::ending::stay}});
  auto c = server.connect();
  c.send(get("/a.php"));
  server.settle();
  c.pull();
  REQUIRE(c.answers().size() == 1);
  CHECK(c.answers()[0].content == "data: 1\n\n");
  CHECK_FALSE(c.answers()[0].complete);
  auto& script = php.connection(0).script;
  script.parts.push_back(stdout_record("data: 2\n\n"));
  server.settle();
  c.pull();
  CHECK(c.answers()[0].content == "data: 1\n\ndata: 2\n\n");
  script.parts.push_back(end_record());
  script.end = php_script::ending::as_php_fpm;
  REQUIRE(server.run_until([&] { return c.has(1); }, {&c}));
  CHECK(server.finish());
}
