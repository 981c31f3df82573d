// Records of an application, whole and cut at every byte; what is not FastCGI (case 34).
#include "catch.hpp"

#include "fastcgi/response.hpp"

#include <string>
#include <vector>

using namespace httpd::fastcgi;
using event = response_parser::event;

namespace {

std::string record(int type, std::string_view content, std::size_t padding = 0, int id = 1, int version = 1) {
  std::string out{char(version), char(type), char(id >> 8), char(id & 0xff), char(content.size() >> 8),
                  char(content.size() & 0xff), char(padding), 0};
  out.append(content).append(padding, 'P');
  return out;
}
std::string out_record(std::string_view content, std::size_t padding = 0) {
  return record(6, content, padding);
}
std::string err_record(std::string_view content, std::size_t padding = 0) {
  return record(7, content, padding);
}
std::string end_record(unsigned app = 0, int protocol = 0, std::size_t padding = 0) {
  const std::string body{char(app >> 24), char(app >> 16 & 0xff), char(app >> 8 & 0xff), char(app & 0xff),
                         char(protocol), 0, 0, 0};
  return record(3, body, padding);
}

struct outcome {
  event last = event::more;
  std::string out, err;
  std::size_t consumed = 0;
  std::uint32_t app = 0;
  unsigned protocol = 0;
  bool operator==(const outcome&) const = default;
};

// Feeds the pieces as a connection would deliver them and checks the contract of each step.
outcome run(const std::vector<std::string_view>& pieces) {
  response_parser parser;
  outcome result;
  for (auto piece : pieces) {
    do {
      const auto step = parser.next(piece);
      REQUIRE(step.consumed <= piece.size());
      result.last = step.what;
      result.consumed += step.consumed;
      const bool data = step.what == event::out || step.what == event::err;
      REQUIRE(data != step.data.empty());
      if (data) REQUIRE(step.data.data() >= piece.data());
      if (data) REQUIRE(step.data.data() + step.data.size() <= piece.data() + step.consumed);
      if (step.what == event::out) result.out += step.data;
      if (step.what == event::err) result.err += step.data;
      piece.remove_prefix(step.consumed);
      if (step.what == event::more) REQUIRE(piece.empty());
      if (!data) break;
    } while (true);
    if (result.last == event::end || result.last == event::bad) break;
  }
  result.app = parser.app_status();
  result.protocol = parser.protocol_status();
  return result;
}

// The outcome of the whole, after checking that every cut in two and single bytes give the same.
outcome run_every_way(std::string_view all) {
  const auto whole = run({all});
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    INFO("cut at " << cut);
    CHECK((run({all.substr(0, cut), all.substr(cut)}) == whole));
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < all.size(); ++i) bytes.push_back(all.substr(i, 1));
  if (!all.empty()) CHECK((run(bytes) == whole));
  return whole;
}

}  // namespace

TEST_CASE("an answer comes out whole, its padding and what follows its end do not") {
  const auto answer = out_record("Content-Type: a/b\r\n\r\n", 3) + out_record("body") + out_record("", 5) +
                      err_record("") + end_record(0x01020304, 0, 7);
  const auto result = run_every_way(answer + "next answer");
  CHECK(result.last == event::end);
  CHECK(result.out == "Content-Type: a/b\r\n\r\nbody");
  CHECK(result.err.empty());
  CHECK(result.consumed == answer.size());
  CHECK(result.app == 0x01020304);
  CHECK(result.protocol == 0);
}

TEST_CASE("case 34: errors mixed with the answer stay apart from it") {
  const auto result = run_every_way(
      err_record("first ", 2) + out_record("Content-ty") + err_record("middle ") +
      out_record("pe: text/plain\r\n\r\nok") + err_record("after") + end_record());
  CHECK(result.last == event::end);
  CHECK(result.out == "Content-type: text/plain\r\n\r\nok");
  CHECK(result.err == "first middle after");
}

TEST_CASE("case 34: only errors, and two megabytes of them") {
  const auto few = run_every_way(err_record("Primary script unknown") + end_record());
  CHECK(few.last == event::end);
  CHECK(few.out.empty());
  std::string many;
  for (int i = 0; i < 2048; ++i) many += err_record(std::string(1015, 'E'), 1);
  many += out_record("ok") + end_record();
  const auto result = run({many});
  CHECK(result.last == event::end);
  CHECK(result.err.size() == 2048 * 1015);
  CHECK(result.out == "ok");
}

TEST_CASE("a record of the largest size with the most padding") {
  const auto answer = out_record(std::string(65535, 'x'), 255) + out_record("y") + end_record(255);
  const auto result = run({answer});
  CHECK(result.last == event::end);
  CHECK(result.out.size() == 65536);
  CHECK(result.app == 255);
}

TEST_CASE("case 35: an answer that stops anywhere is never ended") {
  const auto answer = err_record("e", 2) + out_record("abc", 3) + end_record(0, 0, 2);
  for (std::size_t cut = 0; cut < answer.size(); ++cut) {
    INFO("cut at " << cut);
    CHECK(run({std::string_view{answer}.substr(0, cut)}).last == event::more);
  }
}

TEST_CASE("management records of no request are skipped") {
  const auto result = run_every_way(
      record(10, "\x0f\x01" "FCGI_MPXS_CONNS0", 1, 0) + record(11, "12345678", 0, 0) +
      record(200, "what", 4, 0) + out_record("ok") + end_record());
  CHECK(result.last == event::end);
  CHECK(result.out == "ok");
}

TEST_CASE("an end with more than its eight bytes is an end") {
  const auto result = run_every_way(out_record("ok") + record(3, std::string(8, '\0') + "more", 2) + "x");
  CHECK(result.last == event::end);
  CHECK(result.app == 0);
}

TEST_CASE("an end that refuses the request says why") {
  for (const int protocol : {1, 2, 3, 200}) {
    const auto result = run_every_way(end_record(7, protocol, 1));
    CHECK(result.last == event::bad);
    CHECK(result.protocol == unsigned(protocol));
  }
}

TEST_CASE("what is not an answer to our request is bad") {
  const std::string hostile[] = {
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      "SSH-2.0-x\r\n",
      std::string(8, '\0'),
      record(6, "x", 0, 1, 0),
      record(6, "x", 0, 1, 2),
      record(6, "x", 0, 2),
      record(6, "x", 0, 256),
      record(6, "x", 0, 257),
      record(6, "x", 0, 0),
      record(7, "x", 0, 2),
      record(3, std::string(8, '\0'), 0, 0),
      record(3, std::string(8, '\0'), 0, 3),
      record(3, std::string(7, '\0')),
      record(3, ""),
      record(1, std::string(8, '\0')),
      record(4, ""),
      record(5, "x"),
      record(0, "x"),
      record(200, "x"),
      record(10, "x", 0, 2),
  };
  for (const auto& bytes : hostile) {
    INFO(int(bytes[1]));
    CHECK(run_every_way(bytes).last == event::bad);
    const auto late = run_every_way(out_record("ok") + bytes + end_record());
    CHECK(late.last == event::bad);
    CHECK(late.out == "ok");
  }
}

TEST_CASE("after its end or something bad the parser stays there") {
  response_parser ended;
  REQUIRE(ended.next(end_record()).what == event::end);
  CHECK(ended.next(out_record("x")).what == event::end);
  CHECK(ended.next(out_record("x")).consumed == 0);
  CHECK(ended.next({}).what == event::end);
  response_parser broken;
  REQUIRE(broken.next("GET / HTTP").what == event::bad);
  CHECK(broken.next(end_record()).what == event::bad);
  response_parser fresh;
  CHECK(fresh.next({}).what == event::more);
  CHECK(fresh.app_status() == 0);
}
