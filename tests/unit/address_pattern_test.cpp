// config/address_pattern: every form of Unit's address patterns, and its errors.
#include "config/address_pattern.hpp"

#include "catch.hpp"

#include <string>
#include <vector>

using namespace httpd;
using namespace httpd::config;

namespace {

socket_end end_of(std::string_view address, std::uint16_t port = 0) {
  if (address == "unix") return {};
  return {ip_address::parse(address).value(), port};
}

bool matches(std::string_view text, std::string_view address, std::uint16_t port = 12345) {
  std::string error;
  const auto pattern = address_pattern::parse(text, error);
  INFO(text << ": " << error);
  REQUIRE(pattern);
  return pattern->matches(end_of(address, port));
}

std::string fault(std::string_view text) {
  std::string error;
  const auto pattern = address_pattern::parse(text, error);
  CHECK(pattern.has_value() == error.empty());
  return error;
}

address_patterns list(const std::vector<std::string>& texts) {
  address_patterns result;
  std::string error;
  for (const auto& text : texts) REQUIRE(result.add(text, error));
  return result;
}

struct row {
  std::string_view pattern, address;
  std::uint16_t port;
  bool matches;
};

}  // namespace

TEST_CASE("an address pattern is one address, a block or a range") {
  for (const row& r : std::vector<row>{
           {"192.0.2.1", "192.0.2.1", 1, true}, {"192.0.2.1", "192.0.2.2", 1, false},
           {"192.0.2.1", "::ffff:192.0.2.1", 1, true}, {"192.0.2.1", "::1", 1, false},
           {"10.0.0.0/8", "10.255.0.1", 1, true}, {"10.0.0.0/8", "11.0.0.1", 1, false},
           {"10.1.2.3/8", "10.9.9.9", 1, true}, {"0.0.0.0/0", "1.2.3.4", 1, true},
           {"0.0.0.0/0", "::1", 1, false}, {"192.0.2.1/32", "192.0.2.1", 1, true},
           {"192.0.2.9-192.0.2.20", "192.0.2.9", 1, true}, {"192.0.2.9-192.0.2.20", "192.0.2.20", 1, true},
           {"192.0.2.9-192.0.2.20", "192.0.2.10", 1, true}, {"192.0.2.9-192.0.2.20", "192.0.2.8", 1, false},
           {"192.0.2.9-192.0.2.20", "192.0.2.21", 1, false}, {"10.0.0.250-10.0.1.5", "10.0.1.0", 1, true},
           {"10.0.0.1-10.0.0.1", "10.0.0.1", 1, true}, {"1.0.0.0-9.0.0.0", "::5", 1, false},
           {"2001:db8::1", "2001:db8::1", 1, true}, {"2001:db8::1", "2001:db8::2", 1, false},
           {"2001:db8::/32", "2001:db8:ffff::1", 1, true}, {"2001:db8::/32", "2001:db9::", 1, false},
           {"::/0", "2001:db8::", 1, true}, {"::/0", "1.2.3.4", 1, false}, {"::1/128", "::1", 1, true},
           {"2001:db8::1-2001:db8::ff", "2001:db8::80", 1, true},
           {"2001:db8::1-2001:db8::ff", "2001:db8::100", 1, false}, {"::1", "::1", 1, true}}) {
    CAPTURE(r.pattern, r.address);
    CHECK(matches(r.pattern, r.address, r.port) == r.matches);
  }
}

TEST_CASE("an address pattern may have a port or a range of ports") {
  for (const row& r : std::vector<row>{
           {"192.0.2.1:80", "192.0.2.1", 80, true}, {"192.0.2.1:80", "192.0.2.1", 81, false},
           {"192.0.2.1:80-90", "192.0.2.1", 80, true}, {"192.0.2.1:80-90", "192.0.2.1", 90, true},
           {"192.0.2.1:80-90", "192.0.2.1", 79, false}, {"192.0.2.1:80-90", "192.0.2.1", 91, false},
           {"192.0.2.1:80-90", "192.0.2.2", 85, false}, {"192.0.2.0/24:443", "192.0.2.77", 443, true},
           {"192.0.2.0/24:443", "192.0.2.77", 444, false},
           {"192.0.2.1-192.0.2.3:8000-8010", "192.0.2.2", 8005, true},
           {"*:80", "192.0.2.1", 80, true}, {"*:80", "2001:db8::1", 80, true},
           {"*:80", "192.0.2.1", 8080, false},
           {"*:0-65535", "192.0.2.1", 65535, true}, {"*:0", "192.0.2.1", 0, true},
           {"[2001:db8::1]:80", "2001:db8::1", 80, true}, {"[2001:db8::1]:80", "2001:db8::1", 81, false},
           {"[2001:db8::/32]:80-81", "2001:db8::9", 81, true},
           {"[2001:db8::1-2001:db8::5]:80", "2001:db8::3", 80, true},
           {"[2001:db8::1-2001:db8::5]:80", "2001:db8::6", 80, false},
           {"192.0.2.1", "192.0.2.1", 65535, true}}) {
    CAPTURE(r.pattern, r.address, r.port);
    CHECK(matches(r.pattern, r.address, r.port) == r.matches);
  }
}

TEST_CASE("only the word unix stands for a Unix socket") {
  CHECK(matches("unix", "unix"));
  CHECK_FALSE(matches("unix", "192.0.2.1"));
  for (const char* text : {"*:80", "*:0-65535", "0.0.0.0/0", "::/0", "0.0.0.0", "0.0.0.0-255.255.255.255"})
    CHECK_FALSE(matches(text, "unix"));
  std::string error;
  CHECK(address_pattern::parse("!unix", error).value().is_negated());
  CHECK(matches("!unix", "unix"));
}

TEST_CASE("address patterns that cannot be are refused in Unit's words") {
  for (const char* text : {"", "1", "*", "!", "!*"}) CHECK(fault(text) == "The \"address\" is too short.");
  for (const char* text :
       {"ab", "1.2.3", "1.2.3.256", "localhost", "1.2.3.4:", "*:", "*x", "[::1]", "[::1", "[]:80",
       "[1.2.3.4]:80",
        "[[::1]]:80", "::1]:80", "[::1]:", "1.2.3.4-", "-1.2.3.4", "1.2.3.4-5", "1.2.3.4-::1", "::1-1.2.3.4",
        "!!1.2.3.4", "1.2.3.4 ", "Unix", "unix:80", "unix:/x", "*.2.3.4", "::g", "a/8", "/8",
        "1.2.3.4-1.2.3.9/8", "1.2.3.4/-1",
        "::1%eth0"}) {
    CAPTURE(text);
    CHECK(fault(text) == "The \"address\" format is invalid.");
  }
  for (const char* text : {"1.2.3.4:x", "1.2.3.4:65536", "1.2.3.4:80-", "1.2.3.4:-80", "1.2.3.4:90-80",
      "*:80-65536",
                           "[::1]:x", "*:-", "*: 80", "1.2.3.4:1-2-3"}) {
    CAPTURE(text);
    CHECK(fault(text) == "The \"address\" port an invalid port.");
  }
  for (const char* text : {"1.2.3.4-1.2.3.3", "10.0.0.0-9.0.0.0:80", "::2-::1", "[::2-::1]:80"})
    CHECK(fault(text) == "The \"address\" range is overlapping.");
  for (const char* text : {"1.2.3.4/33", "1.2.3.4/", "1.2.3.4/x", "1.2.3.4/8/8", "::/129", "[::/x]:80",
                           "1.2.3.4/ 8:80"})
    CHECK(fault(text) == "The \"address\" has an invalid CIDR prefix.");
}

TEST_CASE("a list of addresses lets in whom one positive and no negated pattern matches") {
  const auto inside = list({"10.0.0.0/8", "!10.6.0.0/16", "unix", "!*:22"});
  CHECK(inside.matches(end_of("10.1.0.1", 80)));
  CHECK(inside.matches(end_of("unix")));
  CHECK_FALSE(inside.matches(end_of("10.6.0.1", 80)));
  CHECK_FALSE(inside.matches(end_of("10.1.0.1", 22)));
  CHECK_FALSE(inside.matches(end_of("192.0.2.1", 80)));
  const auto outside = list({"!10.0.0.0/8", "!unix"});
  CHECK(outside.matches(end_of("192.0.2.1")));
  CHECK(outside.matches(end_of("2001:db8::1")));
  CHECK_FALSE(outside.matches(end_of("10.0.0.1")));
  CHECK_FALSE(outside.matches(end_of("unix")));
  CHECK(list({"!10.0.0.0/8"}).matches(end_of("unix")));
  CHECK_FALSE(list({}).matches(end_of("10.0.0.1")));  // as in Unit: nobody is in an empty list
  CHECK_FALSE(list({}).matches(end_of("unix")));
}

TEST_CASE("a list of addresses keeps what it has when a pattern is refused") {
  auto patterns = list({"10.0.0.0/8"});
  std::string error;
  CHECK_FALSE(patterns.add("10.0.0.0/99", error));
  CHECK(error == "The \"address\" has an invalid CIDR prefix.");
  CHECK(patterns.matches(end_of("10.0.0.1")));
}
