// A php-fpm that breaks, lies, stalls or is not there: what the client sees, and that the place comes back.
#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/fixture.hpp"

#include <algorithm>

using namespace httpd;
using namespace httpd::test;
using ending = php_script::ending;

namespace {

// One worker: an answer for the second request shows that the first one's place came back.
struct one_worker {
  explicit one_worker(php_script first, const test_server::change& modify = {})
      : server{[&](config::configuration& to) {
          to.php.workers = 1;
          if (modify) modify(to);
        }},
        php{server.php({std::move(first), {.parts = {plain_answer("next")}}})}, c{server.connect()} {
    c.send(get("/a.php"));
  }

  // What the first client got before its connection ended or the answer was whole.
  answer first() {
    REQUIRE(server.run_until([&] { return c.ended() || c.has(1); }, {&c}));
    const auto answers = c.answers();
    REQUIRE(answers.size() == 1);
    return answers[0];
  }
  void check_next() {
    auto other = server.connect();
    other.send(get("/b.php"));
    REQUIRE(server.run_until([&] { return other.has(1); }, {&other}));
    CHECK(other.answers()[0].content == "next");
    CHECK(server.finish());
  }

  captured_log log;
  test_server server;
  php_peer& php;
  client c;
};

std::string head_and(std::string_view content) {
  return stdout_record(concat("Content-Type: text/plain\r\n\r\n", content));
}

}  // namespace

TEST_CASE("case 35: a php-fpm that ends or resets before its answer gives 502") {
  const auto end = GENERATE(ending::close, ending::reset, ending::as_php_fpm);
  using parts_of = std::vector<std::string>;
  const auto parts = GENERATE(parts_of{}, parts_of{stdout_record("Content-Ty")},
                              parts_of{stdout_record("Content-Type: a/b\r\n").substr(0, 20)},
                              parts_of{stderr_record("dying")}, parts_of{end_record()});
  one_worker test{{.parts = parts, .end = end}};
  CHECK(test.first().status == 502);
  CHECK(test.log.contains("php-fpm failed: "));
  test.check_next();
}

TEST_CASE("case 35: an answer that breaks off is seen as cut by the client, however it was framed") {
  const auto end = GENERATE(ending::close, ending::reset);
  using parts_of = std::vector<std::string>;
  const auto parts = GENERATE(parts_of{head_and("half")}, parts_of{head_and("")},
                              parts_of{head_and("half").substr(0, 38)},
                              parts_of{head_and("half"), end_record().substr(0, 12)},
                              parts_of{stdout_record("Content-Length: 9\r\n\r\nhalf")});
  one_worker test{{.parts = parts, .end = end}};
  const auto got = test.first();
  CHECK(got.status == 200);
  CHECK_FALSE(got.complete);
  CHECK(test.c.ended());
  test.check_next();
}

TEST_CASE("case 35: a client of HTTP/1.0 sees a broken answer by the reset of its connection") {
  const captured_log log;
  test_server server;
  server.php({{.parts = {head_and("half")}, .end = ending::close}});
  auto c = server.connect_tcp();
  c.send("GET /a.php HTTP/1.0\r\n\r\n");
  REQUIRE(server.run_until([&] { return c.ended(); }, {&c}));
  CHECK(c.was_reset());
  CHECK(server.finish());
}

TEST_CASE("what is no FastCGI or no CGI head gives 502, never its bytes") {
  // Another protocol, another request's record, nothing, an END_REQUEST that is short, and one that refuses.
  const auto bytes = GENERATE(std::string{"HTTP/1.1 200 OK\r\n\r\nI am a web server"},
                              std::string{"\1\6\0\2\0\1\0\0x", 9}, std::string(100, '\0'),
                              std::string{"\1\3\0\1\0\4\0\0\0\0\0\0", 12},
                              std::string{"\1\3\0\1\0\10\0\0\0\0\0\0\2\0\0\0", 16},
                              stdout_record("no colon here\r\n\r\nsecret") + end_record(),
                              stdout_record("Status: 99\r\n\r\nsecret") + end_record(),
                              stdout_record("Status: abc\r\n\r\nsecret") + end_record(),
                              stdout_record("Bad Name: x\r\n\r\nsecret") + end_record(),
                              stdout_record("Status: 200\r\nStatus: 404\r\n\r\nsecret") + end_record());
  one_worker test{{.parts = {bytes}}};
  const auto got = test.first();
  CHECK(got.status == 502);
  CHECK(got.content.find("secret") == std::string::npos);
  CHECK(got.content.find("web server") == std::string::npos);
  test.check_next();
}

TEST_CASE("garbage after the head cuts the answer") {
  one_worker test{{.parts = {head_and("half"), "garbage, not records"}}};
  const auto got = test.first();
  CHECK_FALSE(got.complete);
  CHECK(got.content == "half");
  test.check_next();
}

TEST_CASE("case 32: a head that is too large gives 502 and a line that names the limit") {
  const auto head = "X-Large: " + std::string(2'000'000, 'x');
  one_worker test{{.parts = {stdout_record(head + "\r\n\r\nok"), end_record()}}};
  CHECK(test.first().status == 502);
  CHECK(test.log.contains("--max-php-head"));
  test.check_next();
}

TEST_CASE("a script that sends nothing for the time-out gives 504, and its place when it has ended") {
  one_worker test{{.parts = {plain_answer("too late")}, .held = true},
                  [](config::configuration& c) { c.limits.php_timeout = 50ms; }};
  CHECK(test.first().status == 504);
  CHECK(test.log.contains("--php-timeout"));
  auto other = test.server.connect();
  other.send(get("/b.php"));
  CHECK_FALSE(test.server.run_until([&] { return test.php.connections() > 1; }, {&other}, 100ms));
  test.php.connection(0).script.held = false;
  REQUIRE(test.server.run_until([&] { return other.has(1); }, {&other}));
  CHECK(other.answers()[0].content == "next");
  CHECK(test.php.connection(0).write_failed);
  CHECK(test.php.connection(0).closed);
  CHECK(test.server.finish());
}

TEST_CASE("a script that stops in the middle for the time-out is cut, and its place comes back") {
  one_worker test{{.parts = {head_and("half")}, .end = ending::stay},
                  [](config::configuration& c) { c.limits.php_timeout = 50ms; }};
  CHECK_FALSE(test.first().complete);
  test.php.connection(0).script.end = ending::as_php_fpm;
  test.check_next();
}

TEST_CASE("the death of a worker that was given up gives its place back") {
  one_worker test{{.held = true}, [](config::configuration& c) { c.limits.php_timeout = 50ms; }};
  CHECK(test.first().status == 504);
  test.php.connection(0).script.end = GENERATE(ending::close, ending::reset);
  test.php.connection(0).script.held = false;
  test.check_next();
}

TEST_CASE("a php-fpm that takes a large body too slowly gets 504") {
  const captured_log log;
  test_server server{[](config::configuration& c) { c.limits.php_timeout = 50ms; }};
  server.php({{.end = ending::stay, .reads = false}});
  auto c = server.connect();
  const auto request = post("/a.php", std::string(2'000'000, 'x'));
  std::size_t sent = 0;
  REQUIRE(server.run_until(
      [&] {
        sent += c.send(std::string_view{request}.substr(sent));
        return c.has(1);
      },
      {&c}));
  CHECK(c.answers()[0].status == 504);
  CHECK(server.finish());
}

TEST_CASE("a php-fpm that is not there gives 502 at once and is found when it comes") {
  const captured_log log;
  test_server server;
  auto c = server.connect();
  c.send(get("/a.php"));
  REQUIRE(server.run_until([&] { return c.has(1); }, {&c}));
  CHECK(c.answers()[0].status == 502);
  server.php_answers("here now");
  c.send(get("/a.php"));
  REQUIRE(server.run_until([&] { return c.has(2); }, {&c}));
  CHECK(c.answers()[1].content == "here now");
  CHECK(server.finish());
}

TEST_CASE("a full queue and a wait that is too long give 503 with Retry-After") {
  const captured_log log;
  test_server server{[](config::configuration& c) {
    c.php.workers = 1;
    c.php.queue_length = 1;
    c.limits.queue_timeout = 50ms;
  }};
  auto& php = server.php({{.parts = {plain_answer("first")}, .held = true}});
  auto inside = server.connect(), waiting = server.connect(), refused = server.connect();
  for (auto* one : {&inside, &waiting, &refused}) {
    one->send(get("/a.php"));
    server.step();
  }
  REQUIRE(server.run_until([&] { return refused.has(1) && waiting.has(1); }, {&refused, &waiting}));
  for (const auto* one : {&waiting, &refused}) {
    CHECK(one->answers()[0].status == 503);
    CHECK(one->answers()[0].has("retry-after"));
  }
  php.connection(0).script.held = false;
  REQUIRE(server.run_until([&] { return inside.has(1); }, {&inside}));
  CHECK(inside.answers()[0].content == "first");
  CHECK(php.connections() == 1);
  CHECK(server.finish());
}

TEST_CASE("case 48: a full backlog is waited out, and 503 comes when it stays full") {
  const captured_log log;
  test_server server{[](config::configuration& c) {
    c.php.workers = 0;
    c.limits.queue_timeout = 100ms;
  }};
  auto& php = server.php({{.parts = {plain_answer("ok")}}}, 0);
  php.accept_no_more();
  std::vector<client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(server.connect());
  for (auto& one : clients) one.send(get("/a.php"));
  const bool in_time = GENERATE(true, false);
  if (in_time) {
    server.settle();
    php.accept_again();
  } else {
    REQUIRE(server.run_until([&] { return clients[3].has(1); }, {&clients[3]}));
    php.accept_again();
  }
  std::vector<client*> all;
  for (auto& one : clients) all.push_back(&one);
  const auto answered = [](const client* one) { return one->has(1); };
  REQUIRE(server.run_until([&] { return std::all_of(all.begin(), all.end(), answered); }, all));
  CHECK(clients[0].answers()[0].status == 200);
  CHECK(clients[3].answers()[0].status == (in_time ? 200 : 503));
  CHECK(server.finish());
}
