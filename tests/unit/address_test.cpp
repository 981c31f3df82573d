// base/address: addresses, blocks and endpoints as users and peers write them.
#include "base/address.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace httpd;
using namespace std::string_view_literals;

namespace {

std::string round_trip(std::string_view text) {
  const auto address = ip_address::parse(text);
  return address ? address->to_string() : "none";
}

bool holds(std::string_view block, std::string_view address) {
  const auto parsed = address_block::parse(block);
  REQUIRE(parsed);
  return parsed->contains(ip_address::parse(address).value());
}

// "HOST:PORT" as to_string() writes it, or the reason.
std::string read(std::string_view text, std::string_view default_host = "", bool zero = false) {
  std::string reason;
  const auto result = parse_endpoint(text, default_host, zero, reason);
  CHECK(result.has_value() == reason.empty());
  return result ? result->to_string() : reason;
}

}  // namespace

TEST_CASE("addresses are read and written back in one spelling") {
  CHECK(round_trip("192.0.2.1") == "192.0.2.1");
  CHECK(round_trip("2001:DB8:0::1") == "2001:db8::1");
  CHECK(round_trip("[2001:db8::1]") == "2001:db8::1");
  CHECK(round_trip("::") == "::");
  CHECK(round_trip("::ffff:192.0.2.1") == "192.0.2.1");
  CHECK(round_trip("::FFFF:c000:201") == "192.0.2.1");
  CHECK(ip_address::parse("::ffff:192.0.2.1") == ip_address::parse("192.0.2.1"));
}

TEST_CASE("what is not exactly an address is none") {
  for (const std::string_view bad :
       {std::string_view{}, ""sv, " "sv, "1.2.3"sv, "1.2.3.4.5"sv, "1.2.3.256"sv, "01.2.3.4"sv, "1.2.3.4 "sv, "0x1.2.3.4"sv,
           "1"sv,
        "[1.2.3.4]"sv, "[]"sv, "["sv, "]"sv, "[::1"sv, "::1]"sv, "[[::1]]"sv, ":::"sv, "1:2:3"sv, "::g"sv,
        "fe80::1%eth0"sv, "1.2.3.4\0"sv, "::1\0"sv, "unknown"sv, "1.2.3.4:80"sv, "::ffff:1.2.3.400"sv,
        "0000:0000:0000:0000:0000:0000:255.255.255.255.255.255"sv}) {
    CAPTURE(bad);
    CHECK_FALSE(ip_address::parse(bad));
  }
}

TEST_CASE("the loopback is 127/8 and one IPv6 address") {
  for (const char* text : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"})
    CHECK(ip_address::parse(text)->is_loopback());
  for (const char* text : {"128.0.0.1", "1.0.0.127", "::", "::2", "1::1", "::7f00:1"})
    CHECK_FALSE(ip_address::parse(text)->is_loopback());
}

TEST_CASE("a block holds exactly the addresses with its prefix") {
  CHECK(holds("10.0.0.0/8", "10.255.255.255"));
  CHECK_FALSE(holds("10.0.0.0/8", "11.0.0.0"));
  CHECK(holds("192.0.2.128/25", "192.0.2.255"));
  CHECK_FALSE(holds("192.0.2.128/25", "192.0.2.127"));
  CHECK(holds("192.0.2.200/31", "192.0.2.201"));
  CHECK_FALSE(holds("192.0.2.200/31", "192.0.2.202"));
  CHECK(holds("0.0.0.0/0", "203.0.113.7"));
  CHECK(holds("192.0.2.1", "192.0.2.1"));
  CHECK_FALSE(holds("192.0.2.1", "192.0.2.0"));
  CHECK(holds("2001:db8::/33", "2001:db8:7fff::1"));
  CHECK_FALSE(holds("2001:db8::/33", "2001:db8:8000::1"));
  CHECK(holds("::1", "::1"));
  CHECK(holds("::/0", "2001:db8::1"));
}

TEST_CASE("IPv4 and IPv6 blocks do not mix but both spellings of IPv4 do") {
  CHECK_FALSE(holds("::/0", "1.2.3.4"));
  CHECK_FALSE(holds("0.0.0.0/0", "::1"));
  CHECK_FALSE(holds("0.0.0.0/0", "::"));
  CHECK(holds("10.0.0.0/8", "::ffff:10.1.2.3"));
  CHECK(holds("::ffff:10.0.0.0/104", "10.1.2.3"));
  CHECK(holds("::ffff:10.0.0.1", "10.0.0.1"));
}

TEST_CASE("blocks are written with their host bits cleared") {
  CHECK(address_block::parse("10.1.2.3/8")->to_string() == "10.0.0.0/8");
  CHECK(address_block::parse("10.1.2.255/27")->to_string() == "10.1.2.224/27");
  CHECK(address_block::parse("10.1.2.3/32")->to_string() == "10.1.2.3");
  CHECK(address_block::parse("2001:db8::1/32")->to_string() == "2001:db8::/32");
  CHECK(address_block::parse("::1")->to_string() == "::1");
  CHECK(address_block::parse("::ffff:10.0.0.0/104")->to_string() == "10.0.0.0/8");
  CHECK(address_block::parse("1.2.3.4/0")->to_string() == "0.0.0.0/0");
}

TEST_CASE("the block called unix holds no address") {
  const auto block = address_block::parse("unix");
  REQUIRE(block);
  CHECK(block->is_unix());
  CHECK(block->to_string() == "unix");
  CHECK_FALSE(block->contains(*ip_address::parse("0.0.0.0")));
  CHECK_FALSE(address_block::parse("10.0.0.0/8")->is_unix());
}

TEST_CASE("a block that is malformed is none") {
  for (const char* bad : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
      "::/129",
                          "10/8", "localhost", "unix/8", "UNIX", "::ffff:10.0.0.0/95", "10.0.0.0 /8",
                          "10.0.0.0/99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(address_block::parse(bad));
  }
}

TEST_CASE("endpoints are read in all their spellings") {
  CHECK(read("127.0.0.1:80") == "127.0.0.1:80");
  CHECK(read("php:9000") == "php:9000");
  CHECK(read("my-php_1.example.:9000") == "my-php_1.example.:9000");
  CHECK(read("*:8080") == "*:8080");
  CHECK(read("[::1]:80") == "[::1]:80");
  CHECK(read("[0:0::1]:80") == "[::1]:80");
  CHECK(read("8080", "127.0.0.1") == "127.0.0.1:8080");
  CHECK(read("8080", "::1") == "[::1]:8080");
  CHECK(read("a:65535") == "a:65535");
  CHECK(read("unix:/run/php.sock") == "unix:/run/php.sock");
  CHECK(read("unix:@name") == "unix:@name");
  CHECK(read("a:0", "", true) == "a:0");
  CHECK(read("0", "a", true) == "a:0");
}

TEST_CASE("an endpoint knows whether only this machine reaches it") {
  std::string reason;
  for (const auto* text : {"127.0.0.1:80", "127.9.9.9:80", "[::1]:80", "localhost:80",
                           "[::ffff:127.0.0.1]:80", "80"})
    CHECK(httpd::parse_endpoint(text, "127.0.0.1", false, reason).value().is_loopback());
  for (const auto* text : {"0.0.0.0:80", "[::]:80", "*:80", "10.0.0.1:80", "example.com:80", "unix:/run/s"})
    CHECK_FALSE(httpd::parse_endpoint(text, "127.0.0.1", false, reason).value().is_loopback());
}

TEST_CASE("a Unix endpoint keeps any path of a socket to the longest") {
  const std::string longest = "/" + std::string(106, 'p');
  CHECK(read("unix:" + longest) == "unix:" + longest);
  CHECK(read("unix:" + longest + "p").find("107") != std::string::npos);
  CHECK(read("unix:/a b:c") == "unix:/a b:c");
}

TEST_CASE("an endpoint that is malformed says why") {
  struct {
    std::string_view text, part_of_reason;
  } const table[] = {
      {"", "empty"},
      {"8080", "no port"},
      {"localhost", "no port"},
      {"a:", "no port"},
      {":80", "no host"},
      {"a:0", "port 0"},
      {"a:65536", "65535"},
      {"a:-1", "65535"},
      {"a:+80", "65535"},
      {"a:8o", "65535"},
      {"a: 80", "65535"},
      {"::1:80", "brackets"},
      {"a:b:80", "brackets"},
      {"[::1]", "no port"},
      {"[::1]80", "no port"},
      {"[::1]:", "no port"},
      {"[::1:80", "]"},
      {"[]:80", "IPv6"},
      {"[127.0.0.1]:80", "IPv6"},
      {"[x]:80", "IPv6"},
      {"256.0.0.1:80", "IPv4"},
      {"1.2.3:80", "IPv4"},
      {"a b:80", "host name"},
      {"a/b:80", "host name"},
      {"http://a:80", "brackets"},
      {"/run/php.sock", "unix:PATH"},
      {"@x", "unix:PATH"},
      {"unix:", "unix:/PATH"},
      {"unix:php.sock", "unix:/PATH"},
      {"unix:/", "no name"},
      {"unix:@", "no name"},
      {"unix:/a\0b"sv, "NUL"},
  };
  for (const auto& [text, part] : table) {
    CAPTURE(text, part, read(text));
    CHECK(read(text).find(part) != std::string::npos);
  }
  CHECK(read("localhost", "127.0.0.1").find("no port") != std::string::npos);
  CHECK(read(std::string(254, 'a') + ":80").find("too long") != std::string::npos);
}
