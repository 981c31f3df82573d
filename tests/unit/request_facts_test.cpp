// config/request_facts: what is compared of a host, and the lists inside a request.
#include "config/request_facts.hpp"

#include "base/text.hpp"
#include "catch.hpp"

#include <string>
#include <vector>

using namespace httpd;
using namespace httpd::config;

namespace {

using pairs = std::vector<std::string>;

template <class Reader>
pairs all_of(Reader reader) {
  pairs result;
  for (field pair; reader.next(pair);) result.push_back(concat(pair.name, '|', pair.value));
  return result;
}

pairs arguments(std::string_view query) { return all_of(argument_reader{query}); }
pairs cookies(const std::vector<field>& headers) { return all_of(cookie_reader{headers}); }

std::string decoded(std::string_view text) {
  std::string buffer = "left over";
  return std::string{decode_argument(text, buffer)};
}

std::string host(std::string_view text) {
  std::string buffer;
  return std::string{host_to_match(text, buffer)};
}

}  // namespace

TEST_CASE("a host is compared without its case, its port and a last dot") {
  CHECK(host("example.com") == "example.com");
  CHECK(host("Example.COM:8080") == "example.com");
  CHECK(host("example.com.") == "example.com");
  CHECK(host("EXAMPLE.com.:80") == "example.com");
  CHECK(host("example.com..") == "example.com.");
  CHECK(host("[::1]:80") == "[::1]");
  CHECK(host("[2001:DB8::1]") == "[2001:db8::1]");
  CHECK(host("192.0.2.1:80") == "192.0.2.1");
  CHECK(host("").empty());
  CHECK(host(":80").empty());
  CHECK(host("[::1") == "[::1");  // never gets here, and harms nobody
}

TEST_CASE("a host that is lower-case already is not copied") {
  const std::string_view text = "www.example.com.:80";
  std::string buffer;
  CHECK(host_to_match(text, buffer).data() == text.data());
  CHECK(buffer.empty());
}

TEST_CASE("a query is a list of pairs, the empty ones left out") {
  CHECK(arguments("").empty());
  CHECK(arguments("a=1&b=2") == pairs{"a|1", "b|2"});
  CHECK(arguments("a") == pairs{"a|"});
  CHECK(arguments("a=") == pairs{"a|"});
  CHECK(arguments("=1") == pairs{"|1"});
  CHECK(arguments("&&a=1&&=&b&") == pairs{"a|1", "b|"});
  CHECK(arguments("a=1=2") == pairs{"a|1=2"});
  CHECK(arguments("a=1;b=2") == pairs{"a|1;b=2"});
  CHECK(arguments("a%26b=1%3D2") == pairs{"a%26b|1%3D2"});
  CHECK(arguments("a=1&a=2&a") == pairs{"a|1", "a|2", "a|"});
}

TEST_CASE("an argument is decoded, and a broken escape stands for itself") {
  CHECK(decoded("abc") == "abc");
  CHECK(decoded("a+b%20c") == "a b c");
  CHECK(decoded("%2B%26%3d") == "+&=");
  CHECK(decoded("%") == "%");
  CHECK(decoded("100%+x%2") == "100% x%2");
  CHECK(decoded("%zz%41%4") == "%zzA%4");
  CHECK(decoded("%%41") == "%A");
  CHECK(decoded("").empty());
  const std::string_view plain = "nothing-to-do";
  std::string buffer;
  CHECK(decode_argument(plain, buffer).data() == plain.data());
}

TEST_CASE("a name is compared with what it decodes to") {
  CHECK(decodes_to("a", "a"));
  CHECK(decodes_to("a%62+c", "ab c"));
  CHECK(decodes_to("", ""));
  CHECK(decodes_to("%", "%"));
  CHECK_FALSE(decodes_to("a", "A"));
  CHECK_FALSE(decodes_to("ab", "a"));
  CHECK_FALSE(decodes_to("a", "ab"));
  CHECK_FALSE(decodes_to("a%62", "a%62"));
}

TEST_CASE("cookies come from every Cookie field") {
  CHECK(cookies({}).empty());
  CHECK(cookies({{"Host", "a=1"}}).empty());
  CHECK(cookies({{"Cookie", "a=1; b=2"}}) == pairs{"a|1", "b|2"});
  CHECK(cookies({{"cookie", "a=1"}, {"X", "y=z"}, {"COOKIE", "b=2;c=3"}}) == pairs{"a|1", "b|2", "c|3"});
  CHECK(cookies({{"Cookie", ";; a ; =x; b = c = d ;e="}}) == pairs{"|x", "b|c = d", "e|"});
  CHECK(cookies({{"Cookie", "a=%20+"}}) == pairs{"a|%20+"});
  CHECK(cookies({{"Cookie", ""}, {"Cookie", "novalue"}, {"Cookie", "a=1"}}) == pairs{"a|1"});
}

TEST_CASE("a variable takes the last argument, the first cookie, the first field") {
  std::string out = "|";
  CHECK(append_argument("a=1&b=2&%61=3+4", "a", out));
  CHECK(out == "|3 4");
  CHECK(append_argument("a=1&a", "a", out));
  CHECK(out == "|3 4");  // an empty value is one
  CHECK_FALSE(append_argument("a=1", "b", out));
  CHECK_FALSE(append_argument("", "b", out));
  const std::vector<field> headers{
      {"X-Forwarded-For", "one"}, {"x_forwarded_for", "two"}, {"Cookie", "a=1; a=2"}};
  CHECK(append_header(headers, "x-forwarded-for", out));
  CHECK(append_header(headers, "X_Forwarded_For", out));
  CHECK(out == "|3 4oneone");
  CHECK_FALSE(append_header(headers, "x-forwarded", out));
  CHECK(append_cookie(headers, "a", out));
  CHECK_FALSE(append_cookie(headers, "A", out));
  CHECK(out == "|3 4oneone1");
}
