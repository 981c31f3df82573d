// Reason phrases and which answers have no content.
#include "catch.hpp"

#include "http/status.hpp"

using namespace httpd::http;

TEST_CASE("registered codes have their phrase, others one that is never empty") {
  CHECK(reason_phrase(200) == "OK");
  CHECK(reason_phrase(206) == "Partial Content");
  CHECK(reason_phrase(304) == "Not Modified");
  CHECK(reason_phrase(404) == "Not Found");
  CHECK(reason_phrase(413) == "Content Too Large");
  CHECK(reason_phrase(431) == "Request Header Fields Too Large");
  CHECK(reason_phrase(503) == "Service Unavailable");
  for (const unsigned code : {0u, 99u, 299u, 418u, 599u, 1000u}) CHECK(reason_phrase(code) == "Unknown");
  for (unsigned code = 0; code < 1000; ++code) CHECK_FALSE(reason_phrase(code).empty());
}

TEST_CASE("case 25: 1xx, 204, 205 and 304 have no content") {
  for (const unsigned code : {100u, 101u, 103u, 199u, 204u, 205u, 304u}) CHECK(forbids_content(code));
  for (const unsigned code : {200u, 201u, 206u, 302u, 404u, 500u}) CHECK_FALSE(forbids_content(code));
}
