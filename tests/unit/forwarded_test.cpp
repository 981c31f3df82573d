// http/forwarded: case 69, who the client is behind trusted proxies.
#include "http/forwarded.hpp"

#include "base/text.hpp"
#include "catch.hpp"
#include "http/request_head.hpp"

using namespace httpd;
using namespace httpd::http;

namespace {

const std::vector<address_block> trusted{*address_block::parse("127.0.0.1"),
    *address_block::parse("10.0.0.0/8"),
                                         *address_block::parse("2001:db8:ffff::/48")};

request_head with(std::initializer_list<field> fields) {
  request_head head;
  head.fields = fields;
  return head;
}

// The client of these X-Forwarded-For lines; "peer" when it is the peer itself.
std::string client(std::initializer_list<std::string_view> lines) {
  request_head head;
  for (const std::string_view line : lines) {
    head.fields.push_back({"X-Forwarded-For", line});
    head.fields.push_back({"X-Other", "198.51.100.1"});
  }
  const auto found = read_forwarded(head, trusted).client;
  return found ? found->to_string() : "peer";
}

}  // namespace

TEST_CASE("trust is by block and Unix peers are trusted by name") {
  CHECK(is_trusted(ip_address::parse("127.0.0.1"), trusted));
  CHECK(is_trusted(ip_address::parse("10.200.0.1"), trusted));
  CHECK(is_trusted(ip_address::parse("::ffff:10.0.0.1"), trusted));
  CHECK_FALSE(is_trusted(ip_address::parse("127.0.0.2"), trusted));
  CHECK_FALSE(is_trusted(std::nullopt, trusted));
  CHECK_FALSE(is_trusted(ip_address::parse("127.0.0.1"), {}));
  const std::vector<address_block> local{*address_block::parse("unix")};
  CHECK(is_trusted(std::nullopt, local));
  CHECK_FALSE(is_trusted(ip_address::parse("127.0.0.1"), local));
}

TEST_CASE("case 69: the client is the first untrusted address from the right") {
  CHECK(client({"6.6.6.6, 203.0.113.7, 10.0.0.2"}) == "203.0.113.7");
  CHECK(client({"203.0.113.7"}) == "203.0.113.7");
  CHECK(client({"10.0.0.9, 10.0.0.2"}) == "10.0.0.9");  // all trusted: the left-most
  CHECK(client({"203.0.113.7,10.0.0.3,\t10.0.0.2"}) == "203.0.113.7");
  CHECK(client({}) == "peer");
}

TEST_CASE("case 69: several lines are one list in their order") {
  CHECK(client({"6.6.6.6, 203.0.113.7", "10.0.0.2"}) == "203.0.113.7");
  CHECK(client({"203.0.113.7", "6.6.6.6"}) == "6.6.6.6");
  CHECK(client({"203.0.113.7", "10.0.0.3, 10.0.0.2", "10.0.0.4"}) == "203.0.113.7");
}

TEST_CASE("case 69: brackets and ports are removed") {
  CHECK(client({"[2001:db8::1]:4711"}) == "2001:db8::1");
  CHECK(client({"[2001:db8::1]"}) == "2001:db8::1");
  CHECK(client({"2001:db8::1"}) == "2001:db8::1");
  CHECK(client({"203.0.113.7:4711"}) == "203.0.113.7");
  CHECK(client({"203.0.113.7, [2001:db8:ffff::1]:80, 10.0.0.1:1"}) == "203.0.113.7");
  CHECK(client({"::ffff:203.0.113.7"}) == "203.0.113.7");
}

TEST_CASE("case 69: junk stops the walk at the last good address") {
  CHECK(client({"203.0.113.7, unknown, 10.0.0.2"}) == "10.0.0.2");
  CHECK(client({"203.0.113.7, , 10.0.0.2"}) == "10.0.0.2");
  CHECK(client({"203.0.113.7", "", "10.0.0.2"}) == "10.0.0.2");
  for (const char* junk : {"unknown", "", ",", "_hidden", "203.0.113.7:", "203.0.113.7:x",
      "203.0.113.7:99999", "[203.0.113.7]:80", "[::1", "::1]:80",
                           "203.0.113.7 6.6.6.6", "\"203.0.113.7\"", "for=203.0.113.7", "203.0.113.7,",
                           "1.2.3", ":80", ":"}) {
    CAPTURE(junk);
    CHECK(client({junk}) == "peer");
  }
}

TEST_CASE("the scheme is the last one said") {
  const auto https = [](std::initializer_list<field> fields) { return read_forwarded(with(fields),
      trusted).https; };
  CHECK(https({{"X-Forwarded-Proto", "https"}}) == true);
  CHECK(https({{"x-forwarded-proto", "HTTPS"}}) == true);
  CHECK(https({{"X-Forwarded-Proto", "http"}}) == false);
  CHECK(https({{"X-Forwarded-Proto", "https,http"}}) == false);
  CHECK(https({{"X-Forwarded-Proto", "http, https"}}) == true);
  CHECK(https({{"X-Forwarded-Proto", "http"}, {"X-Forwarded-Proto", "https"}}) == true);
  CHECK(https({{"X-Forwarded-Proto", ""}}) == std::nullopt);
  CHECK(https({{"X-Forwarded-Proto", "httpsx"}}) == std::nullopt);
  CHECK(https({{"X_Forwarded_Proto", "https"}}) == std::nullopt);
  CHECK(https({}) == std::nullopt);
}

TEST_CASE("the host is the last one said when it is valid") {
  const auto host = [](std::initializer_list<field> fields) {
    return std::string{read_forwarded(with(fields), trusted).host};
  };
  CHECK(host({{"X-Forwarded-Host", "shop.example:8443"}}) == "shop.example:8443");
  CHECK(host({{"X-Forwarded-Host", "a, b"}}) == "b");
  CHECK(host({{"X-Forwarded-Host", "a"}, {"X-Forwarded-Host", "b"}}) == "b");
  CHECK(host({{"X-Forwarded-Host", "a/b"}}) == "");
  CHECK(host({{"X-Forwarded-Host", "a, b c"}}) == "");
  CHECK(host({{"X-Forwarded-Host", ""}}) == "");
  CHECK(host({}) == "");
}
