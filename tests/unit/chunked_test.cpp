// http/chunked: bodies cut at every byte, malformed framing, limits, and the writer read back.
#include "http/chunked.hpp"

#include "base/text.hpp"
#include "catch.hpp"

#include <limits>
#include <vector>

using namespace httpd;
using namespace httpd::http;
using namespace std::string_view_literals;

namespace {

using status = chunked_decoder::status;

struct outcome {
  status end = status::more;
  std::string body;
  std::size_t consumed = 0;  // of all parts together
  bool operator==(const outcome&) const = default;
};

// Feeds the parts one after the other, as a reader of a connection would.
outcome decode(const std::vector<std::string_view>& parts) {
  chunked_decoder decoder;
  outcome result;
  for (std::string_view part : parts) {
    while (true) {
      const auto step = decoder.next(part);
      REQUIRE(step.consumed <= part.size());
      result.consumed += step.consumed;
      part.remove_prefix(step.consumed);
      result.body += step.data;
      result.end = step.what;
      if (step.what == status::data) REQUIRE_FALSE(step.data.empty());
      else REQUIRE(step.data.empty());
      if (step.what == status::more) REQUIRE(part.empty());
      if (step.what != status::data) break;
    }
    if (result.end != status::more) break;
  }
  return result;
}

std::vector<std::string_view> bytes_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t i = 0; i < text.size(); ++i) parts.push_back(text.substr(i, 1));
  return parts;
}

// The same outcome whole, in two parts with every cut, and byte by byte.
outcome decode_every_way(std::string_view text) {
  const outcome whole = decode({text});
  CAPTURE(escaped(text.substr(0, 200)));
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    REQUIRE(decode({text.substr(0, cut), text.substr(cut)}) == whole);
  }
  REQUIRE(decode(bytes_of(text)) == whole);
  return whole;
}

}  // namespace

TEST_CASE("a chunked body is the same however it arrives and ends where it ends") {
  struct {
    std::string_view coded, body;
  } const table[] = {
      {"0\r\n\r\n", ""},
      {"b\r\nhello world\r\n0\r\n\r\n", "hello world"},
      {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"},
      {"1A\r\nabcdefghijklmnopqrstuvwxyz\r\n00\r\n\r\n", "abcdefghijklmnopqrstuvwxyz"},
      {"000000000000000a\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
      {"4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"},
      {"3;ext\r\nabc\r\n0;last=\"q\t\xc3\xa9;\"\r\n\r\n", "abc"},
      {"3;a;b=c;d=\"\"\r\nabc\r\n0;e=\"\\\"\\\\;x=\"\r\n\r\n", "abc"},
      {"3; a\t= b ;\tc = \"d\" ; e\r\nabc\r\n0\r\n\r\n", "abc"},
      {"3\r\nabc\r\n0\r\nX: y\r\nContent-Length: 5\r\nE:\r\n\r\n", "abc"},
  };
  for (const auto& [coded, body] : table) {
    const outcome all = decode_every_way(coded);
    CAPTURE(coded);
    CHECK(all.end == status::done);
    CHECK(all.body == body);
    const outcome with_next = decode_every_way(concat(coded, "GET / HTTP/1.1\r\n"));
    CHECK(with_next.end == status::done);
    CHECK(with_next.consumed == coded.size());
    for (std::size_t cut = 0; cut < coded.size(); ++cut) CHECK(decode({coded.substr(0,
        cut)}).end == status::more);
  }
}

TEST_CASE("malformed framing of a chunked body is bad however it arrives") {
  for (const std::string_view bad :
       {"\r\n"sv, ";a\r\n"sv, "g\r\n"sv, "-1\r\n"sv, "+1\r\na"sv, "0x1\r\na"sv, " 1\r\na"sv, "1 \r\na"sv,
           "1 ;a\r\na"sv, "1\t\r\na"sv,
        "1\na\r\n"sv, "1\r\r\na"sv, "1\ra"sv, "00000000000000001\r\na"sv, "10000000000000000\r\n"sv,
        "1;a\nb\r\na"sv, "1;\r\na"sv, "1;;a\r\na"sv, "1;a;\r\na"sv, "1;=b\r\na"sv, "1;a=\r\na"sv,
        "1;a=;b\r\na"sv, "1;a=b=c\r\na"sv, "1;a \r\na"sv, "1;a=b \r\na"sv, "1;a=\"b\" \r\na"sv,
        "1;a b\r\na"sv, "1;a=b c\r\na"sv, "1;a=\"b\r\na"sv, "1;a=\"b\\\r\na"sv, "1;a=\"b\"c\r\na"sv,
        "1;a=b\"\r\na"sv, "1;a\"b\"\r\na"sv, "1;\"a\"\r\na"sv, "1;a=\"\nb\"\r\na"sv, "1;a(\r\na"sv,
        "1;a=\xc3\xa9\r\na"sv,
        "1;a\0\r\na"sv, "1;a\x7f\r\n"sv, "1;a\x0b\r\n"sv, "1;a\rb\r\n"sv, "1\r\nab\r\n"sv, "1\r\na\n"sv,
        "1\r\na\rx"sv, "1\r\naX"sv,
        "1\r\na\r\n\r\n"sv, "0\r\n\n"sv, "0\r\n\rx"sv, "0\r\n X: y\r\n"sv, "0\r\nX : y\r\n"sv,
        "0\r\n: y\r\n"sv, "0\r\nX\r\n"sv,
        "0\r\nX: y\r\n z\r\n"sv, "0\r\nX: y\n\r\n"sv, "0\r\nX: y\rz\r\n"sv, "0\r\nX: \0\r\n"sv,
        "0\r\nX(: y\r\n"sv, "0\nX"sv,
        "1,\r\na"sv, "\0"sv}) {
    CAPTURE(escaped(bad));
    CHECK(decode_every_way(bad).end == status::bad);
  }
}

TEST_CASE("a decoder that is done or bad stays so and takes nothing more") {
  chunked_decoder done;
  CHECK(done.next("0\r\n\r\nX").what == status::done);
  const auto after_done = done.next("5\r\nhello");
  CHECK(after_done.what == status::done);
  CHECK(after_done.consumed == 0);
  CHECK(done.next("").what == status::done);

  chunked_decoder bad;
  CHECK(bad.next("x").what == status::bad);
  const auto after_bad = bad.next("0\r\n\r\n");
  CHECK(after_bad.what == status::bad);
  CHECK(after_bad.consumed == 0);
}

TEST_CASE("data is a view into the input and never more than the chunk") {
  chunked_decoder decoder;
  const std::string_view input = "5\r\nhelloGARBAGE";
  const auto step = decoder.next(input);
  CHECK(step.what == status::data);
  CHECK(step.data == "hello");
  CHECK(step.data.data() == input.data() + 3);
  CHECK(step.consumed == 8);
  CHECK(decoder.next(input.substr(8)).what == status::bad);
}

TEST_CASE("the largest chunk size is read without wrapping") {
  chunked_decoder decoder;
  const auto step = decoder.next("ffffffffffffffff\r\nabc");
  CHECK(step.what == status::data);
  CHECK(step.data == "abc");
  CHECK(decoder.next("def").data == "def");
}

TEST_CASE("extensions have 16 KiB more than the chunks, trailers 16 KiB in all") {
  const std::string kib(1024, 'e');
  const auto extensions = [&](int count, std::size_t last) {
    std::string coded;
    for (int i = 0; i < count; ++i) coded += concat("1;", kib, "\r\na\r\n");
    return decode({concat(coded, "0", last > 0 ? ";" : "", kib.substr(0, last > 0 ? last - 1 : 0),
        "\r\n\r\n")}).end;
  };
  CHECK(extensions(15, 1024) == status::done);
  CHECK(extensions(15, 1025) == status::bad);

  // A large upload with a signature in each chunk: what it carries pays for them.
  std::string upload;
  for (int i = 0; i < 1000; ++i)
    upload += concat("400;chunk-signature=", kib.substr(0, 64), "\r\n", kib, "\r\n");
  CHECK(decode({upload + "0\r\n\r\n"}).end == status::done);

  const auto trailers = [&](std::size_t bytes) {
    return decode({concat("1;", kib, "\r\na\r\n0;", kib, "\r\nX:", std::string(bytes - 4, 't'),
        "\r\n\r\n")}).end;
  };
  CHECK(trailers(16 * 1024) == status::done);
  CHECK(trailers(16 * 1024 + 1) == status::bad);
  const auto short_trailers = [](std::size_t count) {
    std::string coded = "0\r\n";
    for (std::size_t i = 0; i < count; ++i) coded += "a:\r\n";
    return decode({coded += "\r\n"}).end;
  };
  CHECK(short_trailers(16 * 1024 / 4) == status::done);
  CHECK(short_trailers(16 * 1024 / 4 + 1) == status::bad);
}

TEST_CASE("a trailer or an extension without an end stops at its limit") {
  chunked_decoder trailer;
  CHECK(trailer.next("0\r\nX:").what == status::more);
  CHECK(trailer.next(std::string(20'000, 'x')).what == status::bad);
  chunked_decoder extension;
  CHECK(extension.next("1;").what == status::more);
  CHECK(extension.next(std::string(20'000, 'x')).what == status::bad);
  chunked_decoder quoted;
  CHECK(quoted.next("1;x=\"").what == status::more);
  CHECK(quoted.next(std::string(20'000, ' ')).what == status::bad);
}

TEST_CASE("what the writer frames the decoder reads back") {
  for (const std::size_t size : {1u, 15u, 16u, 255u, 4096u, 65'537u}) {
    const std::string body(size, 'b');
    const chunk_header header{size};
    const std::string coded = concat(header.text(), body, chunk_end, last_chunk);
    const outcome all = decode({coded});
    CHECK(all.end == status::done);
    CHECK(all.body == body);
    CHECK(all.consumed == coded.size());
  }
  CHECK(chunk_header{0x1a2b}.text() == "1a2b\r\n");
  CHECK(chunk_header{std::numeric_limits<std::size_t>::max()}.text() == "ffffffffffffffff\r\n");
}
