// Content types (case 68): what browsers insist on, and names without a type.
#include "catch.hpp"

#include "http/mime.hpp"

using httpd::http::content_type;

TEST_CASE("case 68: the types of a web site") {
  CHECK(content_type("/x.wasm") == "application/wasm");
  CHECK(content_type("/x.mjs") == "text/javascript; charset=utf-8");
  CHECK(content_type("/x.js") == "text/javascript; charset=utf-8");
  CHECK(content_type("/x.svg") == "image/svg+xml");
  CHECK(content_type("/x.woff2") == "font/woff2");
  CHECK(content_type("/x.woff") == "font/woff");
  CHECK(content_type("/x.json") == "application/json");
  CHECK(content_type("/x.html") == "text/html; charset=utf-8");
  CHECK(content_type("/x.htm") == "text/html; charset=utf-8");
  CHECK(content_type("/x.css") == "text/css; charset=utf-8");
  CHECK(content_type("/x.txt") == "text/plain; charset=utf-8");
  CHECK(content_type("/x.md") == "text/markdown; charset=utf-8");
  CHECK(content_type("/x.xml") == "application/xml");
  CHECK(content_type("/x.tar.gz") == "application/gzip");
  CHECK(content_type("/x.zip") == "application/zip");
  CHECK(content_type("/x.pdf") == "application/pdf");
  CHECK(content_type("/x.webmanifest") == "application/manifest+json");
  CHECK(content_type("/favicon.ico") == "image/vnd.microsoft.icon");
  CHECK(content_type("/x.png") == "image/png");
  CHECK(content_type("/x.jpg") == "image/jpeg");
  CHECK(content_type("/x.jpeg") == "image/jpeg");
  CHECK(content_type("/x.gif") == "image/gif");
  CHECK(content_type("/x.avif") == "image/avif");
  CHECK(content_type("/x.webp") == "image/webp");
  CHECK(content_type("/x.mp4") == "video/mp4");
  CHECK(content_type("/x.webm") == "video/webm");
  CHECK(content_type("/x.mp3") == "audio/mpeg");
}

TEST_CASE("case 68: the case of an extension does not matter") {
  CHECK(content_type("/X.HTML") == "text/html; charset=utf-8");
  CHECK(content_type("/a.PnG") == "image/png");
}

TEST_CASE("the extension is what follows the last dot of the last segment") {
  CHECK(content_type("x.html") == "text/html; charset=utf-8");
  CHECK(content_type("/a.b/c.d.html") == "text/html; charset=utf-8");
  CHECK(content_type("/.well-known/.html") == "text/html; charset=utf-8");
}

TEST_CASE("a name without a known extension is a stream of octets") {
  for (const auto* path : {"", "/", ".", "/noext", "/a.html/", "/a.html/b", "/a.", "/a.html.",
                           "/a.nosuchtype", "/a.html ", "/a.\t", "/a.html\n", "/a.htmlx", "/a.ht", "/a.html~",
                           "/a.~", "/a.%", "/a.text/html", "/a.0", "/a.zzzzzzzz", "/a.\xff\xfe",
                           "/a.extensionmuchlongerthananythatisinthetable"}) {
    INFO(path);
    CHECK(content_type(path) == "application/octet-stream");
  }
  CHECK(content_type(std::string_view{"/a.html\0", 8}) == "application/octet-stream");
}
