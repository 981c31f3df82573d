// Clients that go away at every stage: nothing crashes, no session and no descriptor stays, and PHP's places
// come back.
#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/fixture.hpp"

#include <filesystem>

using namespace httpd;
using namespace httpd::test;

namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}

struct stage {
  const char* name;
  std::string request;
};

std::vector<stage> stages() {
  const auto upload = post("/a.php", "0123456789");
  const auto chunked = post_chunked("/a.php", {"0123456789"});
  std::vector<stage> all{
      {"before the first byte", ""},
      {"in the method", "GE"},
      {"in a field", get("/small.txt").substr(0, 30)},
      {"after a head whose body is to come", upload.substr(0, upload.size() - 10)},
      {"in a counted body", upload.substr(0, upload.size() - 4)},
      {"in the size of a chunk", chunked.substr(0, chunked.find("\r\n\r\n") + 5)},
      {"in a chunk", chunked.substr(0, chunked.size() - 10)},
      {"before the last chunk", chunked.substr(0, chunked.size() - 3)},
      {"told to continue",
       "POST /a.php HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"},
      {"after the answer from a small file", get("/small.txt")},
      {"while a large file is sent", get("/large.bin")},
      {"while ranges of a large file are sent", get("/large.bin", "Range: bytes=0-250000,300000-550000\r\n")},
      {"with many requests in line", {}},
      {"while PHP answers", get("/a.php")},
      {"while PHP answers an upload", upload + get("/large.bin")},
      {"after a refusal", "nonsense\r\n\r\n"},
      {"after a body that was too large",
       "POST /a.php HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\nabc"},
  };
  for (int i = 0; i < 50; ++i) all[12].request += get(i % 3 ? "/small.txt" : "/large.bin");
  return all;
}

enum class way { closed, half_closed, reset };

// One client that leaves; true when the server is as it was before.
bool survives(const stage& what, way how, std::size_t pulled) {
  const auto before = open_descriptors();
  {
    test_server server;
    static const auto long_answer = plain_answer(pattern(2'000'000));
    server.php({{.parts = {long_answer}}});
    auto c = how == way::reset ? server.connect_tcp() : server.connect(1);
    c.send(what.request);
    server.settle();
    if (pulled > 0) c.pull(pulled);
    if (how == way::closed) c.close();
    if (how == way::reset) c.close_with_reset();
    if (how == way::half_closed) c.end_sending();
    const auto quiet = [&] { return c.ended(); };
    if (how == way::half_closed && !server.run_until(quiet, {&c})) return false;
    server.settle();
    auto other = server.connect();
    other.send(get("/small.txt"));
    if (!server.run_until([&] { return other.has(1); }, {&other})) return false;
    if (!server.run_until([&] { return server.peer->all_closed(); })) return false;
    if (!server.finish()) return false;
  }
  return open_descriptors() == before;
}

}  // namespace

TEST_CASE("a client may leave at every stage, in every way") {
  const captured_log log;
  for (const auto& what : stages())
    for (const auto how : {way::closed, way::half_closed, way::reset})
      for (const std::size_t pulled : {std::size_t{0}, std::size_t{5000}}) {
        CAPTURE(what.name, int(how), pulled);
        CHECK(survives(what, how, pulled));
      }
}

TEST_CASE("case 42: a cut upload runs no script") {
  test_server server;
  auto& php = server.php_answers("never");
  const auto request = GENERATE(post("/a.php", "0123456789"), post_chunked("/a.php", {"0123456789"}));
  const bool by_reset = GENERATE(false, true);
  for (auto size = request.find("\r\n\r\n") + 4; size < request.size(); ++size) {
    auto c = server.connect_tcp();
    c.send(std::string_view{request}.substr(0, size));
    server.settle();
    if (by_reset) {
      c.close_with_reset();
    } else {
      c.end_sending();
      REQUIRE(server.run_until([&] { return c.ended(); }, {&c}));
    }
    server.settle();
  }
  CHECK(php.connections() == 0);
  CHECK(server.finish());
}

TEST_CASE("a client that leaves while it waits for PHP is dropped unrun, and the next one has its turn") {
  test_server server{[](config::configuration& c) { c.php.workers = 1; }};
  auto& php = server.php({{.parts = {plain_answer("first")}, .held = true},
                          {.parts = {plain_answer("next")}}});
  auto first = server.connect(), gone = server.connect(), last = server.connect();
  first.send(get("/a.php"));
  server.settle();
  gone.send(post("/a.php?gone", "x"));
  server.settle();
  last.send(get("/b.php?last"));
  server.settle();
  REQUIRE(php.connections() == 1);
  gone.close();
  php.connection(0).script.held = false;
  REQUIRE(server.run_until([&] { return first.has(1) && last.has(1); }, {&first, &last}));
  CHECK(first.answers()[0].content == "first");
  CHECK(last.answers()[0].content == "next");
  REQUIRE(php.connections() == 2);
  CHECK(php.connection(1).params["QUERY_STRING"] == "last");
  CHECK(server.finish());
}

TEST_CASE("when the client of a streaming script leaves, PHP's next write fails and its place comes back") {
  test_server server{[](config::configuration& c) { c.php.workers = 1; }};
  std::vector<std::string> parts{stdout_record("X-A: b\r\n\r\n")};
  for (int i = 0; i < 20; ++i) parts.push_back(stdout_record("data: something\n\n"));
  parts.push_back(end_record());
  auto& php = server.php({{.parts = parts}, {.parts = {plain_answer("next")}}});
  auto c = server.connect();
  c.send(get("/a.php"));
  REQUIRE(server.run_until([&] { return c.pull() && !c.answers().empty(); }));
  c.close();
  auto other = server.connect();
  other.send(get("/b.php"));
  REQUIRE(server.run_until([&] { return other.has(1); }, {&other}));
  CHECK(php.connection(0).write_failed);
  CHECK(php.connection(0).closed);
  CHECK(other.answers()[0].content == "next");
  CHECK(server.finish());
}

TEST_CASE("the place of a script whose client has left comes back only when its worker is free") {
  test_server server{[](config::configuration& c) { c.php.workers = 1; }};
  auto& php = server.php({{.parts = {stdout_record("X-A: b\r\n\r\nsome")}, .end = php_script::ending::stay},
                          {.parts = {plain_answer("next")}}});
  auto c = server.connect();
  c.send(get("/a.php"));
  REQUIRE(server.run_until([&] { return c.pull() && !c.answers().empty(); }));
  c.close();
  auto& busy = php.connection(0).script;
  busy.parts.push_back(stdout_record("more"));  // tells the server that the client has gone
  auto other = server.connect();
  other.send(get("/b.php"));
  CHECK_FALSE(server.run_until([&] { return php.connections() > 1; }, {&other}, 300ms));
  busy.end = php_script::ending::as_php_fpm;
  REQUIRE(server.run_until([&] { return other.has(1); }, {&other}));
  CHECK(server.finish());
}

TEST_CASE("a drain finishes what runs, closes what is idle and takes the request that was just coming") {
  test_server server;
  auto& php = server.php({{.parts = {plain_answer("in time")}, .held = true}});
  auto busy = server.connect(), idle = server.connect(), coming = server.connect();
  busy.send(get("/a.php"));
  idle.send(get("/small.txt"));
  REQUIRE(server.run_until([&] { return idle.has(1) && php.connections() == 1; }, {&idle}));
  coming.send(get("/small.txt"));
  server.worker->drain(true);
  server.finished = true;
  REQUIRE(server.run_until([&] { return idle.ended() && coming.ended(); }, {&idle, &coming}));
  CHECK(coming.has(1));
  CHECK(coming.answers()[0].field("connection") == "close");
  CHECK_FALSE(server.worker->context.stopped());
  php.connection(0).script.held = false;
  REQUIRE(server.run_until([&] { return busy.ended(); }, {&busy}));
  CHECK(busy.answers()[0].content == "in time");
  CHECK(server.run_until([&] { return server.worker->context.stopped(); }));
  CHECK_FALSE(server.process->was_cut);
}
