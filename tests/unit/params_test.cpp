// The PARAMS stream, decoded again: pairs come back whole and never straddle two records.
#include "catch.hpp"

#include "fastcgi/params.hpp"
#include "fastcgi/record.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace httpd::fastcgi;

namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

struct decoded {
  pairs all;
  std::vector<std::size_t> records;  // content bytes of each, the final empty one included
};

std::size_t byte_at(std::string_view text, std::size_t at) {
  REQUIRE(at < text.size());
  return static_cast<unsigned char>(text[at]);
}

std::string_view take(std::string_view& text, std::size_t count) {
  REQUIRE(text.size() >= count);
  const auto taken = text.substr(0, count);
  text.remove_prefix(count);
  return taken;
}

std::size_t take_length(std::string_view& text) {
  std::size_t length = byte_at(text, 0);
  const auto encoded = take(text, length < 128 ? 1 : 4);
  if (length < 128) return length;
  length &= 0x7f;
  for (std::size_t i = 1; i < 4; ++i) length = length << 8 | byte_at(encoded, i);
  return length;
}

// Requires that the text is a complete PARAMS stream and nothing more.
decoded decode(std::string_view text) {
  decoded result;
  do {
    const auto header = take(text, header_bytes);
    REQUIRE(header.substr(0, 4) == std::string_view("\x01\x04\x00\x01", 4));
    REQUIRE(byte_at(header, 6) == 0);
    const auto length = byte_at(header, 4) << 8 | byte_at(header, 5);
    result.records.push_back(length);
    for (auto content = take(text, length); !content.empty();) {
      const auto name_bytes = take_length(content);
      const auto value_bytes = take_length(content);
      const std::string name{take(content, name_bytes)};
      result.all.emplace_back(name, take(content, value_bytes));
    }
  } while (result.records.back() > 0);
  REQUIRE(text.empty());
  return result;
}

}  // namespace

TEST_CASE("no parameters are one empty record") {
  std::string out = "before";
  params_writer writer{out};
  writer.finish();
  REQUIRE(out.substr(0, 6) == "before");
  CHECK(decode(out.substr(6)).records == std::vector<std::size_t>{0});
}

TEST_CASE("pairs come back as they were written, behind what the buffer held") {
  std::string out;
  append_begin_request(out, false);
  const auto start = out.size();
  params_writer writer{out};
  REQUIRE(writer.add("SCRIPT_NAME", "/env.php"));
  REQUIRE(writer.add("SCRIPT_FILENAME", "/srv/www", "/env.php"));
  REQUIRE(writer.add("QUERY_STRING", ""));
  REQUIRE(writer.add("", "x"));
  REQUIRE(writer.add("BYTES", std::string_view("\0\xff\r\n", 4)));
  writer.finish();
  const auto result = decode(std::string_view{out}.substr(start));
  const pairs expected{{"SCRIPT_NAME", "/env.php"}, {"SCRIPT_FILENAME", "/srv/www/env.php"},
                       {"QUERY_STRING", ""}, {"", "x"}, {"BYTES", std::string("\0\xff\r\n", 4)}};
  CHECK((result.all == expected));
  CHECK(result.records.size() == 2);
}

TEST_CASE("a header field becomes an HTTP_ variable") {
  std::string out;
  params_writer writer{out};
  REQUIRE(writer.add_header("Accept-Language", "en"));
  REQUIRE(writer.add_header("x-a1-b", ""));
  REQUIRE(writer.add_header("HOST", "h:1"));
  REQUIRE(writer.add_header("azAZ09", std::string(20000, 'v')));
  writer.finish();
  const pairs expected{{"HTTP_ACCEPT_LANGUAGE", "en"}, {"HTTP_X_A1_B", ""}, {"HTTP_HOST", "h:1"},
                       {"HTTP_AZAZ09", std::string(20000, 'v')}};
  CHECK((decode(out).all == expected));
}

TEST_CASE("case 45: names and values of every length near the change of encoding") {
  for (const std::size_t name : {0u, 1u, 126u, 127u, 128u, 129u, 255u, 256u, 20000u})
    for (const std::size_t value : {0u, 1u, 126u, 127u, 128u, 129u, 255u, 256u, 20000u, 40000u}) {
      INFO(name << " and " << value);
      std::string out;
      params_writer writer{out};
      REQUIRE(writer.add(std::string(name, 'N'), std::string(value, 'v')));
      REQUIRE(writer.add("LAST", std::string(value / 2, 'a'), std::string(value - value / 2, 'b')));
      writer.finish();
      const auto result = decode(out);
      REQUIRE(result.all.size() == 2);
      CHECK((result.all[0] == std::pair{std::string(name, 'N'), std::string(value, 'v')}));
      CHECK((result.all[1].second == std::string(value / 2, 'a') + std::string(value - value / 2, 'b')));
    }
}

TEST_CASE("case 45: a record is closed early so that no pair straddles two") {
  std::string out;
  params_writer writer{out};
  const std::string query(33000, 'q');
  REQUIRE(writer.add("QUERY_STRING", query));
  REQUIRE(writer.add("REQUEST_URI", "/env.php?", query));
  for (int i = 0; i < 100; ++i) REQUIRE(writer.add_header("X-" + std::to_string(i), std::string(1024, 'h')));
  writer.finish();
  const auto result = decode(out);  // decodes each record on its own, so a straddling pair fails there
  REQUIRE(result.all.size() == 102);
  CHECK((result.all[1].second == "/env.php?" + query));
  CHECK(result.all[101].first == "HTTP_X_99");
  CHECK(result.records.size() == 5);
}

TEST_CASE("case 45: a pair may fill a record to the last byte") {
  constexpr std::size_t fits = max_content_bytes - 1 - 4 - 1;  // the two lengths and a name of one byte
  std::string out;
  params_writer writer{out};
  REQUIRE(writer.add("A", std::string(fits, 'a')));
  REQUIRE(writer.add("B", std::string(fits, 'b')));
  REQUIRE(writer.add("C", "c"));
  writer.finish();
  const auto result = decode(out);
  CHECK(result.records == std::vector<std::size_t>{65535, 65535, 4, 0});
  CHECK(result.all.size() == 3);
}

TEST_CASE("a record is filled to the last byte by several pairs") {
  std::string out;
  params_writer writer{out};
  REQUIRE(writer.add("A", std::string(30000, 'a')));
  REQUIRE(writer.add("B", std::string(65535 - 30006 - 6, 'b')));
  REQUIRE(writer.add("C", ""));
  writer.finish();
  CHECK(decode(out).records == std::vector<std::size_t>{65535, 3, 0});
}

TEST_CASE("case 45: a pair larger than a record is refused and nothing is written") {
  constexpr std::size_t fits = max_content_bytes - 1 - 4 - 1;
  std::string out;
  params_writer writer{out};
  REQUIRE(writer.add("A", "a"));
  const std::string before = out;
  CHECK_FALSE(writer.add("B", std::string(fits + 1, 'b')));
  CHECK_FALSE(writer.add("B", std::string(fits, 'b'), "b"));
  CHECK_FALSE(writer.add(std::string(65536, 'N'), ""));
  CHECK_FALSE(writer.add_header(std::string(65530, 'N'), ""));
  CHECK_FALSE(writer.add("B", std::string(1 << 24, 'b')));
  CHECK((out == before));
  REQUIRE(writer.add("C", "c"));
  writer.finish();
  CHECK((decode(out).all == pairs{{"A", "a"}, {"C", "c"}}));
}
