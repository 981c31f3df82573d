// "settings" and "upstreams".
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view http_frame = R"({"settings": {"http": {%}}})";
constexpr std::string_view compressors = R"({"settings": {"http": {"compression": {"compressors": %}}}})";
constexpr std::string_view mime_frame = R"({"settings": {"http": {"static": {"mime_types": {%}}}}})";
const std::string at = "/settings/http/";

http_settings http(std::string_view members) { return accepted(filled(http_frame, members)).settings.http; }

std::vector<compressor> compressors_of(std::string_view value) {
  return accepted(filled(compressors, value)).settings.http.compression.compressors;
}

}  // namespace

TEST_CASE("settings have Unit's defaults") {
  const auto site = accepted(R"({"settings": {"http": {"websocket": {}, "static": {}, "compression": {}}}})");
  const auto& settings = site.settings;
  CHECK(settings.listen_threads == 0);
  const auto& http = settings.http;
  CHECK(http.header_read_timeout == 30s);
  CHECK(http.body_read_timeout == 30s);
  CHECK(http.send_timeout == 30s);
  CHECK(http.idle_timeout == 180s);
  CHECK(http.max_body_size == 8388608);
  CHECK(http.body_buffer_size == 16384);
  CHECK(http.body_temp_path.empty());
  CHECK(http.large_header_buffer_size == 8192);
  CHECK(http.large_header_buffers == 4);
  CHECK(http.discard_unsafe_fields);
  CHECK_FALSE(http.log_route);
  CHECK(http.server_version);
  CHECK_FALSE(http.chunked_transform);
  CHECK(http.websocket.read_timeout == 60s);
  CHECK(http.websocket.keepalive_interval == 30s);
  CHECK(http.websocket.max_frame_size == 1048576);
  CHECK(http.mime_types.empty());
  CHECK_FALSE(http.compression.types);
  CHECK(http.compression.compressors.empty());
}

TEST_CASE("every setting is read") {
  CHECK(accepted(R"({"settings": {"listen_threads": 3}})").settings.listen_threads == 3);
  const auto all = http(R"("header_read_timeout": 1, "body_read_timeout": 2, "send_timeout": 3,
    "idle_timeout": 0, "max_body_size": 9223372036854775807, "body_buffer_size": 0, "body_temp_path": "/t",
    "large_header_buffer_size": 1, "large_header_buffers": 2, "discard_unsafe_fields": false,
    "log_route": true, "server_version": false, "chunked_transform": true,
    "websocket": {"read_timeout": 4, "keepalive_interval": 0, "max_frame_size": 5})");
  CHECK(all.header_read_timeout == 1s);
  CHECK(all.body_read_timeout == 2s);
  CHECK(all.send_timeout == 3s);
  CHECK(all.idle_timeout == 0s);
  CHECK(all.max_body_size == 9223372036854775807u);
  CHECK(all.body_buffer_size == 0);
  CHECK(all.body_temp_path == "/t");
  CHECK(all.large_header_buffer_size == 1);
  CHECK(all.large_header_buffers == 2);
  CHECK_FALSE(all.discard_unsafe_fields);
  CHECK(all.log_route);
  CHECK_FALSE(all.server_version);
  CHECK(all.chunked_transform);
  CHECK(all.websocket.read_timeout == 4s);
  CHECK(all.websocket.keepalive_interval == 0s);
  CHECK(all.websocket.max_frame_size == 5);
}

TEST_CASE("settings have their types") {
  for (const std::string name :
       {"header_read_timeout",
        "body_read_timeout", "send_timeout", "idle_timeout", "large_header_buffer_size",
        "large_header_buffers", "body_buffer_size", "max_body_size"}) {
    const auto wrong = refused(filled(http_frame, "\"" + name + "\": \"1\""));
    CHECK(wrong.detail == "The \"" + name + "\" value must be an integer number, but not a string.");
    CHECK(wrong.pointer == at + name);
    CHECK(refused(filled(http_frame, "\"" + name + "\": -1")).pointer == at + name);
  }
  for (const std::string name : {"discard_unsafe_fields", "log_route", "server_version", "chunked_transform"})
    CHECK(refused(filled(http_frame, "\"" + name + "\": 1")).detail ==
          "The \"" + name + "\" value must be a boolean, but not an integer number.");
  for (const std::string name : {"websocket", "static", "compression"})
    CHECK(refused(filled(http_frame, "\"" + name + "\": []")).detail ==
          "The \"" + name + "\" value must be an object, but not an array.");
  for (const std::string name : {"read_timeout", "keepalive_interval", "max_frame_size"}) {
    const auto error = refused(filled(http_frame, "\"websocket\": {\"" + name + "\": true}"));
    CHECK(error.detail == "The \"" + name + "\" value must be an integer number, but not a boolean.");
    CHECK(error.pointer == at + "websocket/" + name);
  }
  check_refusals(http_frame, {
      {R"("body_temp_path": 1)", "The \"body_temp_path\" value must be a string, but not an integer number.",
       at + "body_temp_path"},
      {R"("send_timeout": 0)",
       "The \"send_timeout\" number must be equal to or greater than 1.", at + "send_timeout"},
      {R"("idle_timeout": -1)", "The \"idle_timeout\" number must not be negative.", at + "idle_timeout"},
      {R"("idle_timeout": 2147484)",
       "The \"idle_timeout\" number must not exceed 2147483.", at + "idle_timeout"},
      {R"("max_body_size": -1)", "The \"max_body_size\" number must not be negative.", at + "max_body_size"},
      {R"("max_bodysize": 1)", "Unknown parameter \"max_bodysize\".", at + "max_bodysize", "max_body_size"},
      {R"("header_buffer_size": 2048)",
       "Unknown parameter \"header_buffer_size\".", at + "header_buffer_size",
       "body_buffer_size"},
  });
}

TEST_CASE("what Unit has beside HTTP is refused with a reason") {
  check_refusals(R"({"settings": {%}})", {
      {R"("http": 1)", "The \"http\" value must be an object, but not an integer number.", "/settings/http"},
      {R"("htpp": {})", "Unknown parameter \"htpp\".", "/settings/htpp", "http"},
      {R"("listen_threads": 0)", "The \"listen_threads\" number must be equal to or greater than 1.",
       "/settings/listen_threads"},
      {R"("listen_threads": 2147483648)", "The \"listen_threads\" number must not exceed 2147483647.",
       "/settings/listen_threads"},
      {R"("listen_threads": "2")",
       "The \"listen_threads\" value must be an integer number, but not a string.",
       "/settings/listen_threads"},
      {R"("telemetry": {})", "The \"telemetry\" option is not supported: this server exports no traces.",
       "/settings/telemetry"},
      {R"("js_module": "a")",
       "The \"js_module\" option is not supported: this server has no JavaScript, use variables such as "
       "\"$uri\" in templates.",
       "/settings/js_module"},
  });
}

TEST_CASE("MIME types are read in their order") {
  const auto site = accepted(filled(mime_frame, R"("text/x": ".x", "a/b": [".y", "README"], "c/d": [])"));
  CHECK(site.settings.http.mime_types ==
        std::vector<std::pair<std::string, std::string>>{{".x", "text/x"}, {".y", "a/b"}, {"README", "a/b"}});
  const auto in = at + "static/mime_types";
  check_refusals(mime_frame, {
      {R"("a/b": 1)", "The \"a/b\" value must be either a string or an array, but not an integer number.",
       in + "/a~1b"},
      {R"("a/b": [1])", "The \"a/b\" MIME type array must contain only strings.", in + "/a~1b/0"},
      {R"("a/b": "")", "An empty file extension for the \"a/b\" MIME type.", in + "/a~1b"},
      {R"("a/b": ".x", "c/d": [".y", ".X"])",
       "The \".X\" file extension has been declared for \"a/b\" and \"c/d\" MIME types at the same time.",
       in + "/c~1d/1"},
      {R"("": ".x")", "The \"\" MIME type must be a text without control characters.", in + "/"},
      {R"("a\nb": ".x")", "The \"a\nb\" MIME type must be a text without control characters.", in + "/a\nb"},
  });
  check_refusals(http_frame, {
      {R"("static": {"mime_types": []})",
       "The \"mime_types\" value must be an object, but not an array.", in},
      {R"("static": {"mime_type": {}})",
       "Unknown parameter \"mime_type\".", at + "static/mime_type", "mime_types"},
  });
}

TEST_CASE("compressors are one or several") {
  const auto one = compressors_of(R"({"encoding": "gzip"})");
  REQUIRE(one.size() == 1);
  CHECK(one[0].what == compressor::encoding::gzip);
  CHECK_FALSE(one[0].level);
  CHECK(one[0].min_length == 0);
  const auto all = compressors_of(R"([{"encoding": "deflate", "level": -1, "min_length": -1},
    {"encoding": "br", "level": 11, "min_length": 100}, {"encoding": "zstd", "level": 22}])");
  REQUIRE(all.size() == 3);
  CHECK(all[0].what == compressor::encoding::deflate);
  CHECK(all[0].level == -1);
  CHECK(all[0].min_length == 0);
  CHECK(all[1].what == compressor::encoding::brotli);
  CHECK(all[1].min_length == 100);
  CHECK(all[2].what == compressor::encoding::zstd);
  const auto types = http(R"("compression": {"types": ["text/*", "!text/x"]})").compression.types;
  REQUIRE(types);
  CHECK(types->matches("text/html") == verdict::yes);
  CHECK(types->matches("text/x") == verdict::no);
}

TEST_CASE("compression that is wrong is refused") {
  const auto in = at + "compression/compressors";
  check_refusals(compressors, {
      {"1", "The \"compressors\" value must be either an array or an object, but not an integer number.", in},
      {"[1]", "The \"compressors\" array must contain only object values.", in + "/0"},
      {"{}", "Required parameter \"encoding\" is missing.", in},
      {R"({"encoding": 1})",
       "The \"encoding\" value must be a string, but not an integer number.", in + "/encoding"},
      {R"({"encoding": "gzp"})", "\"gzp\" is not a supported compressor.", in + "/encoding", "gzip"},
      {R"([{"encoding": "lzma"}])", "\"lzma\" is not a supported compressor.", in + "/0/encoding"},
      {R"({"encoding": "gzip", "level": "9"})",
       "The \"level\" value must be an integer number, but not a string.",
       in + "/level"},
      {R"({"encoding": "gzip", "level": 10})", "The \"level\" number of \"gzip\" must be within -1 and 9.",
       in + "/level"},
      {R"({"level": 12, "encoding": "br"})",
       "The \"level\" number of \"br\" must be within 0 and 11.", in + "/level"},
      {R"({"encoding": "gzip", "min_length": -2})",
       "The \"min_length\" number must be equal to or greater than -1.", in + "/min_length"},
      {R"({"encoding": "gzip", "min_length": "a"})",
       "The \"min_length\" value must be an integer number, but not a string.", in + "/min_length"},
      {R"({"encoding": "gzip", "levl": 1})", "Unknown parameter \"levl\".", in + "/levl", "level"},
  });
  check_refusals(http_frame, {
      {R"("compression": {"types": 1})",
       "The \"types\" value must be either a string or an array, but not an integer number.",
       at + "compression/types"},
      {R"("compression": {"types": [1]})", "The \"match\" pattern for \"types\" must be strings.",
       at + "compression/types/0"},
      {R"("compression": {"type": "a"})", "Unknown parameter \"type\".", at + "compression/type", "types"},
  });
}

TEST_CASE("upstreams have servers with weights") {
  const auto site = accepted(R"({"upstreams": {"none": {"servers": {}}, "all": {"servers": {
    "127.0.0.1:80": {}, "[::1]:81": {"weight": 0}, "unix:/s": {"weight": 1000000},
    "name:82": {"weight": 0.5}}}}})");
  REQUIRE(site.upstreams.size() == 2);
  CHECK(site.upstreams[0].name == "none");
  CHECK(site.upstreams[0].servers.empty());
  const auto& servers = site.upstreams[1].servers;
  REQUIRE(servers.size() == 4);
  CHECK(servers[0].address == endpoint{"127.0.0.1", 80, ""});
  CHECK(servers[0].weight == 1);
  CHECK(servers[1].weight == 0);
  CHECK(servers[2].address == endpoint{"", 0, "/s"});
  CHECK(servers[2].weight == 1e6);
  CHECK(servers[3].address == endpoint{"name", 82, ""});
  CHECK(servers[3].weight == 0.5);
}

TEST_CASE("upstreams that are wrong are refused") {
  check_refusals(R"({"upstreams": {"u": %}})", {
      {"1", "The \"u\" value must be an object, but not an integer number.", "/upstreams/u"},
      {"{}", "The \"u\" upstream must contain \"servers\" object value.", "/upstreams/u"},
      {R"({"servers": []})",
       "The \"servers\" value must be an object, but not an array.", "/upstreams/u/servers"},
      {R"({"server": {}})", "Unknown parameter \"server\".", "/upstreams/u/server", "servers"},
      {R"({"servers": {"a:1": 1}})", "The \"a:1\" value must be an object, but not an integer number.",
       "/upstreams/u/servers/a:1"},
      {R"({"servers": {"a": {}}})", "The \"a\" is not valid server address.", "/upstreams/u/servers/a"},
      {R"({"servers": {"*:80": {}}})",
       "The \"*:80\" is not valid server address.", "/upstreams/u/servers/*:80"},
      {R"({"servers": {"a:1": {"weight": "1"}}})",
       "The \"weight\" value must be either an integer number or a fractional number, but not a string.",
       "/upstreams/u/servers/a:1/weight"},
      {R"({"servers": {"a:1": {"weight": -0.5}}})", "The \"weight\" number must be positive.",
       "/upstreams/u/servers/a:1/weight"},
      {R"({"servers": {"a:1": {"weight": 1000001}}})", "The \"weight\" number must not exceed 1,000,000",
       "/upstreams/u/servers/a:1/weight"},
      {R"({"servers": {"a:1": {"wieght": 1}}})", "Unknown parameter \"wieght\".",
       "/upstreams/u/servers/a:1/wieght", "weight"},
  });
}
