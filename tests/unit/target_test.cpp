// http/target: the forms of a target, and paths in every disguise.
#include "http/target.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace httpd;
using namespace httpd::http;
using namespace std::string_view_literals;

namespace {

target split(std::string_view raw, std::string_view method = "GET") {
  target out;
  CAPTURE(raw);
  REQUIRE(split_target(method, raw, out) == 0);
  return out;
}

std::string normal(std::string_view raw) {
  std::string out = "left over";
  return normalize_path(raw, out) == 0 ? out : "400";
}

std::string encoded(std::string_view path) {
  std::string out;
  append_encoded_path(out, path);
  return out;
}

}  // namespace

TEST_CASE("case 4: the origin form keeps URI and query byte for byte") {
  const target t = split("/blog/h%C3%A9llo?a=1&b=%20x&a=2");
  CHECK(t.form == target_form::origin);
  CHECK(t.uri == "/blog/h%C3%A9llo?a=1&b=%20x&a=2");
  CHECK(t.raw_path == "/blog/h%C3%A9llo");
  CHECK(t.query == "a=1&b=%20x&a=2");
  CHECK(t.has_query);
  CHECK(t.authority.empty());
  CHECK_FALSE(t.uri_needs_slash);

  CHECK(split("/blog?").uri == "/blog?");
  CHECK(split("/blog?").has_query);
  CHECK(split("/blog?").query == "");
  CHECK_FALSE(split("/blog").has_query);
  CHECK(split("/").raw_path == "/");
  CHECK(split("/a?b?c").query == "b?c");
  CHECK(split("/a?/../b").raw_path == "/a");
  CHECK(split("/\xc3\xa9").raw_path == "/\xc3\xa9");
}

TEST_CASE("two slashes at the start are a path and not a host") {
  const target t = split("//evil.example/x");
  CHECK(t.form == target_form::origin);
  CHECK(t.raw_path == "//evil.example/x");
  CHECK(t.authority.empty());
}

TEST_CASE("the absolute form replaces the host and leaves path and query") {
  const target t = split("http://shop.example:8080/a/b?c=d");
  CHECK(t.form == target_form::absolute);
  CHECK(t.scheme == "http");
  CHECK(t.authority == "shop.example:8080");
  CHECK(t.uri == "/a/b?c=d");
  CHECK(t.raw_path == "/a/b");
  CHECK(t.query == "c=d");

  CHECK(split("HTTPS://h/").scheme == "HTTPS");
  CHECK(split("http://[::1]:80/x").authority == "[::1]:80");
  CHECK(split("http://h").uri == "/");
  CHECK(split("http://h").raw_path == "/");
  CHECK(split("http://h/a?u=http://x@y").query == "u=http://x@y");
  const target bare = split("http://h?x=/y");
  CHECK(bare.authority == "h");
  CHECK(bare.uri == "?x=/y");
  CHECK(bare.uri_needs_slash);
  CHECK(bare.raw_path == "/");
  CHECK(bare.query == "x=/y");
}

TEST_CASE("the asterisk is for OPTIONS and the authority form for CONNECT") {
  const target all = split("*", "OPTIONS");
  CHECK(all.form == target_form::asterisk);
  CHECK(all.uri == "*");
  CHECK(all.raw_path == "/");
  const target tunnel = split("h:443", "CONNECT");
  CHECK(tunnel.form == target_form::authority);
  CHECK(tunnel.authority == "h:443");
  CHECK(split("[::1]:443", "CONNECT").authority == "[::1]:443");
}

TEST_CASE("a target object is reused without a trace of the one before") {
  target t = split("http://h?x");
  REQUIRE(split_target("GET", "/a", t) == 0);
  CHECK(t.form == target_form::origin);
  CHECK(t.authority.empty());
  CHECK(t.scheme.empty());
  CHECK(t.query.empty());
  CHECK_FALSE(t.has_query);
  CHECK_FALSE(t.uri_needs_slash);
}

TEST_CASE("case 20: targets of no form are refused") {
  target out;
  for (const std::string_view bad :
       {""sv, "../secret"sv, "secret"sv, "?x"sv, "*"sv, "*x"sv, "h:443"sv, "ftp://h/"sv, "file:///etc"sv,
           "http:/h"sv, "http:h"sv,
        "http://"sv, "http:///a"sv, "http://?x"sv, "http://:80/"sv, "http://u@h/"sv, "http://u:p@h/"sv,
        "http://h:x/"sv,
        "http://h h/"sv, "http://a\\b/"sv, "javascript://h/"sv, "://h/"sv, "/a#b"sv, "/#"sv, "http://h/#"sv,
        "http://h#"sv, "/a b"sv,
        "/a\tb"sv, "/a\0b"sv, "/a\nb"sv, "/\x7f"sv, "\\a"sv, "%2fa"sv}) {
    CAPTURE(escaped(bad));
    CHECK(split_target("GET", bad, out) == 400);
  }
  for (const char* bad : {"/", "h", "h:", "h:x", "http://h/", "*", "u@h:1", ":443"}) {
    CAPTURE(bad);
    CHECK(split_target("CONNECT", bad, out) == 400);
  }
  CHECK(split_target("OPTIONS", "**", out) == 400);
}

TEST_CASE("every prefix of a target is judged without reading past its end") {
  const std::string_view whole = "http://u.example:80/a%20b/../c?d=e";
  target out;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string part{whole.substr(0, size)};  // of its own size, so that a sanitizer sees
    const unsigned status = split_target("GET", part, out);
    CHECK((status == 0 || status == 400));
    CHECK((status == 0) == (size > 7 && size != 0));
    std::string path;
    if (size >= 19) CHECK(normalize_path(part.substr(std::min<std::size_t>(19, size)), path) != 500);
  }
}

TEST_CASE("paths are decoded once and lose dots and doubled slashes") {
  struct {
    std::string_view raw, path;
  } const table[] = {
      {"/", "/"},
      {"/a/b", "/a/b"},
      {"/a/b/", "/a/b/"},
      {"", "/"},
      {"a", "/a"},
      {"//", "/"},
      {"///a////b//", "/a/b/"},
      {"/.", "/"},
      {"/./", "/"},
      {"/a/.", "/a/"},
      {"/a/..", "/"},
      {"/a/../", "/"},
      {"/a/b/..", "/a/"},
      {"/a/b/../c", "/a/c"},
      {"/a/./b", "/a/b"},
      {"/a//../b", "/b"},
      {"/a/b/../../c", "/c"},
      {"/a/%2e%2e/b", "/b"},
      {"/a/%2E./b", "/b"},
      {"/a%2fb", "/a/b"},
      {"/a%2F%2e%2e%2Fb", "/b"},
      {"/a%2f", "/a/"},
      {"/%2e", "/"},
      {"/...", "/..."},
      {"/..a", "/..a"},
      {"/a..", "/a.."},
      {"/.a/b.", "/.a/b."},
      {"/%252e%252e/x", "/%2e%2e/x"},
      {"/%c3%a9", "/\xc3\xa9"},
      {"/\xff", "/\xff"},
      {"/a+b", "/a+b"},
      {"/a%0ab", "/a\nb"},
      {"/a%3fb", "/a?b"},
      {"/dir/..\\..\\tmp", "/dir/..\\..\\tmp"},
  };
  for (const auto& [raw, path] : table) {
    CAPTURE(raw);
    CHECK(normal(raw) == path);
  }
}

TEST_CASE("case 20: rules see one spelling of a private path") {
  for (const char* raw : {"/private/f", "/dir/..%2fprivate/f", "//private/f", "/./private/f", "/%70rivate/f"})
    CHECK(normal(raw) == "/private/f");
}

TEST_CASE("case 20: no path leaves the root") {
  for (const char* raw : {"/..", "/../", "/../../tmp/secret", "/%2e%2e/%2e%2e/tmp/secret",
      "/dir/..%2f..%2f..%2ftmp/secret",
                          "/a/../..", "/a/../../b", "//..", "/./..", "..", "../x", "/..%2f", "/%2e%2e"}) {
    CAPTURE(raw);
    CHECK(normal(raw) == "400");
  }
}

TEST_CASE("case 11: a NUL and broken escapes are refused") {
  for (const std::string_view raw : {"/env.php%00.jpg"sv, "/avatar.jpg%00.php"sv, "/a.txt%00.html"sv,
      "/index.php%00"sv, "/%00"sv, "/\0"sv,
                                     "/a\0b"sv, "/%"sv, "/%4"sv, "/a%"sv, "/a%2"sv, "/%zz"sv, "/%2"sv,
                                     "/%2g"sv, "/%g2"sv, "/%%41"sv, "/% 41"sv,
                                     "/%-1"sv, "/%u0041"sv}) {
    CAPTURE(escaped(raw));
    CHECK(normal(raw) == "400");
  }
}

TEST_CASE("a normal path is its own normal form") {
  for (const char* raw : {"/a/%2e%2e/b", "//x//y/./z/", "/%25", "/a%2f%2fb", "/..."}) {
    std::string again;
    append_encoded_path(again, normal(raw));
    CHECK(normal(again) == normal(raw));
  }
}

TEST_CASE("encoded paths read back as every byte they had") {
  std::string path = "/";
  for (int c = 1; c < 256; ++c)
    if (c != '/' && c != '.') path.push_back(static_cast<char>(c));
  const std::string text = encoded(path);
  for (const char c : text) CHECK((c > 0x20 && c < 0x7f && c != '?' && c != '#' && c != '"' && c != '\\'));
  CHECK(normal(text) == path);
  CHECK(encoded("/a b/\xc3\xa9?#%") == "/a%20b/%C3%A9%3F%23%25");
  CHECK(encoded("/a-._~!$&'()*+,;=:@/") == "/a-._~!$&'()*+,;=:@/");
}

TEST_CASE("an encoded path never reads as a host") {
  CHECK(encoded("//evil.example/") == "/evil.example/");
  CHECK(encoded("///") == "/");
  CHECK(encoded("") == "/");
  CHECK(encoded("a") == "/a");
  CHECK(encoded("/\\evil.example") == "/%5Cevil.example");
  CHECK(encoded("/\r\nX: y") == "/%0D%0AX:%20y");
  std::string out = "http://h";
  append_encoded_path(out, "/a");
  CHECK(out == "http://h/a");
}

TEST_CASE("percent_decode gives bytes or false") {
  std::string out = "left over";
  CHECK(percent_decode("/a%20b%2Fc+%C3%a9%00", out));
  CHECK(out == "/a b/c+\xc3\xa9\0"sv);
  CHECK(percent_decode("", out));
  CHECK(out.empty());
  for (const char* bad : {"%", "a%4", "%zz", "%4z"}) CHECK_FALSE(percent_decode(bad, out));
}
