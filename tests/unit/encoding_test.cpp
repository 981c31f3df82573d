// Accept-Encoding: weights, "*", identity, and what does not parse (case 64).
#include "catch.hpp"

#include "http/encoding.hpp"
#include "http/request_head.hpp"

#include <initializer_list>

using namespace httpd::http;

namespace {

constexpr auto br = bit(coding::br), zstd = bit(coding::zstd), gzip = bit(coding::gzip);
constexpr auto all = br | zstd | gzip;

request_head accepting(std::initializer_list<std::string_view> values) {
  request_head head;
  for (const auto value : values) head.fields.push_back({"Accept-Encoding", value});
  return head;
}

coding chosen(std::string_view value, coding_set available = all) {
  return choose_coding(accepting({value}), available);
}
coding_set accepted(std::string_view value) { return accepted_codings(accepting({value})); }

}  // namespace

TEST_CASE("without the field, and with an empty one, the plain file is sent") {
  CHECK(accepted_codings({}) == 0);
  CHECK(choose_coding({}, all) == coding::identity);
  CHECK(accepted("") == 0);
  CHECK(chosen("") == coding::identity);
}

TEST_CASE("case 64: the best of what is there and accepted is chosen") {
  CHECK(accepted("gzip") == gzip);
  CHECK(chosen("gzip") == coding::gzip);
  CHECK(chosen("gzip, deflate, br, zstd") == coding::br);
  CHECK(chosen("gzip, zstd") == coding::zstd);
  CHECK(chosen("gzip, br", gzip) == coding::gzip);
  CHECK(chosen("gzip, br", gzip | bit(coding::identity)) == coding::gzip);
  CHECK(chosen("gzip, br", 0) == coding::identity);
  CHECK(chosen("deflate") == coding::identity);
  CHECK(chosen("x-gzip") == coding::gzip);
  CHECK(chosen("GZIP;Q=1") == coding::gzip);
}

TEST_CASE("case 64: a weight of nothing refuses a coding") {
  CHECK(accepted("gzip;q=0, br") == br);
  CHECK(chosen("gzip;q=0, br", gzip) == coding::identity);
  CHECK(chosen("gzip;q=0, br") == coding::br);
  CHECK(chosen("gzip;q=0.000") == coding::identity);
  CHECK(accepted("gzip;q=0.001") == gzip);
}

TEST_CASE("the highest weight wins, then our order") {
  CHECK(chosen("gzip;q=1, br;q=0.9, zstd;q=0.999") == coding::gzip);
  CHECK(chosen("gzip;q=0.5, br;q=0.5, zstd;q=0.5") == coding::br);
  CHECK(chosen("gzip;q=0.5, br;q=0.4, zstd;q=0.5") == coding::zstd);
  CHECK(chosen("gzip ; q=0.2,\tzstd\t;\tq=0.3") == coding::zstd);
}

TEST_CASE("identity wins only by weight") {
  CHECK(chosen("identity, gzip") == coding::gzip);
  CHECK(chosen("identity, gzip;q=0.5") == coding::identity);
  CHECK(chosen("identity;q=0.5, gzip;q=0.5") == coding::gzip);
  CHECK(chosen("gzip;q=0.001") == coding::gzip);
  CHECK(chosen("identity;q=0") == coding::identity);
  CHECK(chosen("identity;q=0, gzip;q=0.1") == coding::gzip);
  CHECK(chosen("identity;q=0, br", gzip) == coding::identity);
}

TEST_CASE("a star stands for everything that is not named, identity too") {
  CHECK(accepted("*") == all);
  CHECK(chosen("*") == coding::br);
  CHECK(chosen("*", gzip) == coding::gzip);
  CHECK(accepted("*;q=0") == 0);
  CHECK(chosen("*;q=0") == coding::identity);
  CHECK(accepted("br;q=0, *") == (gzip | zstd));
  CHECK(chosen("gzip;q=0.3, *;q=0.5", gzip) == coding::identity);
  CHECK(chosen("gzip, *;q=0") == coding::gzip);
}

TEST_CASE("several fields are one list, and the first mention of a coding counts") {
  CHECK(accepted_codings(accepting({"gzip", "br"})) == (gzip | br));
  CHECK(choose_coding(accepting({"gzip", "br;q=0.5"}), all) == coding::gzip);
  CHECK(accepted("gzip;q=0, gzip") == 0);
  CHECK(accepted(",, gzip ,,") == gzip);
}

TEST_CASE("a weight that does not parse is nothing") {
  for (const auto* value :
       {"gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=-1", "gzip;q=.5", "gzip;q=0x1",
        "gzip;q", "gzip;", "gzip;level=9", "gzip;q=1;x=2", "gzip q=1", "gzip;q =1",
        "gzip;q=\"1\"", "gzip;q=00", "gzip;q=10", "gzip;q=1e3", "gzip/1", "gzipp", "gzi", "*gzip"}) {
    INFO(value);
    CHECK(chosen(value) == coding::identity);
  }
  CHECK(accepted("gzip;q=1.000") == gzip);
  CHECK(accepted("gzip;q=1.") == gzip);
  CHECK(accepted("gzip;q=0.5") == gzip);
}
