// "listeners" and where they pass requests.
#include "unit/site_test.hpp"

using namespace httpd;
using namespace httpd::config;

namespace {

constexpr std::string_view frame = R"({"listeners": {"*:80": {"pass": "routes", %}}, "routes": []})";

listener one(std::string_view members) {
  auto site = accepted(filled(frame, members));
  REQUIRE(site.listeners.size() == 1);
  return std::move(site.listeners[0]);
}

endpoint address(const std::string& text) {
  const auto site = accepted("{\"listeners\": {\"" + text + R"(": {"pass": "routes"}}, "routes": []})");
  return site.listeners.at(0).address;
}

constexpr std::string_view places = R"({"listeners": {"*:80": {"pass": "%"}},
  "routes": {"main": [], "a/b%c": []},
  "applications": {
    "one": {"type": "php", "root": "/r"},
    "two": {"type": "php", "targets": {"x": {"root": "/x"}, "y/z": {"root": "/y"}}}},
  "upstreams": {"up": {"servers": {}}}})";

std::optional<destination> pass_of(std::string_view pass) {
  return accepted(filled(places, pass)).listeners.at(0).pass.to;
}

}  // namespace

TEST_CASE("a listener has every default") {
  const auto listener = one("\"backlog\": -1");
  CHECK(listener.backlog == -1);
  CHECK_FALSE(listener.forwarded);
}

TEST_CASE("a listener address has Unit's forms") {
  CHECK(address("*:80") == endpoint{"*", 80, ""});
  CHECK(address("127.0.0.1:8080") == endpoint{"127.0.0.1", 8080, ""});
  CHECK(address("[::]:80") == endpoint{"::", 80, ""});
  CHECK(address("[::1]:65535") == endpoint{"::1", 65535, ""});
  CHECK(address("unix:/run/a.sock") == endpoint{"", 0, "/run/a.sock"});
  CHECK(address("unix:@name") == endpoint{"", 0, "@name"});
}

TEST_CASE("what is no listener address is refused") {
  for (const std::string name : {"", "*", "80", "*:0", "*:65536", "*:", "localhost:80", "::1:80", "[::1]",
                                 "[::1]:", "256.0.0.1:80", "unix:", "unix:relative", "http://*:80",
                                 "*:80/"}) {
    CAPTURE(name);
    const auto error = refused("{\"listeners\": {\"" + name + R"(": {"pass": "routes"}}, "routes": []})");
    CHECK(error.detail == "The listener address \"" + name + "\" is invalid.");
    CHECK(error.offset == 15);
  }
}

TEST_CASE("two spellings of one listener are refused") {
  check_refusals(R"({"routes": [],
                     "listeners": {"[::1]:80": {"pass": "routes"}, "[0::1]:80": {"pass": "routes"}}})", {
      {"", "The listener address \"[0::1]:80\" is another spelling of \"[::1]:80\", which there is already.",
       "/listeners/[0::1]:80"},
  });
}

TEST_CASE("members of a listener have their types") {
  check_refusals(frame, {
      {R"("backlog": "1")",
       "The \"backlog\" value must be either an integer number or a fractional number, but not a string.",
       "/listeners/*:80/backlog"},
      {R"("backlog": -2)",
       "The \"backlog\" number must be equal to or greater than -1.", "/listeners/*:80/backlog"},
      {R"("backlog": 2147483648)",
       "The \"backlog\" number must not exceed 2147483647.", "/listeners/*:80/backlog"},
      {R"("backlog": 1e300)",
       "The \"backlog\" number must not exceed 2147483647.", "/listeners/*:80/backlog"},
      {R"("forwarded": [])", "The \"forwarded\" value must be an object, but not an array.",
       "/listeners/*:80/forwarded"},
      {R"("client_ip": "a")", "The \"client_ip\" value must be an object, but not a string.",
       "/listeners/*:80/client_ip"},
      {R"("backlgo": 1)", "Unknown parameter \"backlgo\".", "/listeners/*:80/backlgo", "backlog"},
      {R"("application": "a")", "The \"application\" option is mutually exclusive with the \"pass\" option.",
       "/listeners/*:80/application"},
      {R"("tls": {"certificate": "a"})",
       "The \"tls\" option is not supported yet: this server speaks plain HTTP, so let a proxy in front of "
       "it speak TLS.",
       "/listeners/*:80/tls"},
  });
  check_refusals(R"({"listeners": {"*:80": %}})", {
      {"[]", "The \"*:80\" value must be an object, but not an array.", "/listeners/*:80"},
      {"{}", "Required parameter \"pass\" is missing.", "/listeners/*:80"},
      {R"({"pass": 1})",
       "The \"pass\" value must be a string, but not an integer number.", "/listeners/*:80/pass"},
      {R"({"application": []})", "The \"application\" value must be a string, but not an array.",
       "/listeners/*:80/application"},
  });
}

TEST_CASE("a backlog is read, a fraction of it is cut") {
  CHECK(one("\"backlog\": 0").backlog == 0);
  CHECK(one("\"backlog\": 2147483647").backlog == 2147483647);
  CHECK(one("\"backlog\": 7.9").backlog == 7);
}

TEST_CASE("forwarded says whom to believe") {
  const auto listener = one(
      R"("forwarded": {"source": ["10.0.0.0/8", "unix"], "client_ip": "X-Forwarded-For", "protocol": "X-P",
         "recursive": true})");
  REQUIRE(listener.forwarded);
  CHECK(listener.forwarded->client_ip == "X-Forwarded-For");
  CHECK(listener.forwarded->protocol == "X-P");
  CHECK(listener.forwarded->recursive);
  CHECK(listener.forwarded->source.matches({ip_address::parse("10.1.2.3"), 1}));
  CHECK(listener.forwarded->source.matches({std::nullopt, 0}));
  CHECK_FALSE(listener.forwarded->source.matches({ip_address::parse("11.1.2.3"), 1}));
  const auto least = one(R"("forwarded": {"source": "10.0.0.1", "protocol": "X-P"})");
  CHECK(least.forwarded->client_ip.empty());
  CHECK_FALSE(least.forwarded->recursive);
}

TEST_CASE("client_ip is the older way to say it") {
  const auto listener = one(
      R"("client_ip": {"source": "10.0.0.1", "header": "X-Real-IP", "recursive": true})");
  REQUIRE(listener.forwarded);
  CHECK(listener.forwarded->client_ip == "X-Real-IP");
  CHECK(listener.forwarded->protocol.empty());
  CHECK(listener.forwarded->recursive);
}

TEST_CASE("forwarded and client_ip that are wrong are refused") {
  const std::string at = "/listeners/*:80/forwarded";
  const std::string old = "/listeners/*:80/client_ip";
  check_refusals(frame, {
      {R"("forwarded": {"source": "10.0.0.1"})",
       "The \"forwarded\" object must have either \"client_ip\" or \"protocol\" option set.", at},
      {R"("forwarded": {"client_ip": "a"})", "Required parameter \"source\" is missing.", at},
      {R"("forwarded": {"client_ip": 1, "source": []})",
       "The \"client_ip\" value must be a string, but not an integer number.", at + "/client_ip"},
      {R"("forwarded": {"protocol": null, "source": []})",
       "The \"protocol\" value must be a string, but not a null.", at + "/protocol"},
      {R"("forwarded": {"protocol": "", "source": []})", "The \"protocol\" value must not be empty.",
       at + "/protocol"},
      {R"("forwarded": {"protocol": "a", "source": {}})",
       "The \"source\" value must be either a string or an array, but not an object.", at + "/source"},
      {R"("forwarded": {"protocol": "a", "source": "10.0.0.0/33"})",
       "The \"address\" has an invalid CIDR prefix.", at + "/source"},
      {R"("forwarded": {"protocol": "a", "source": ["10.0.0.0", "10.0.0.x"]})",
       "The \"address\" format is invalid.",
       at + "/source/1"},
      {R"("forwarded": {"protocol": "a", "source": [1]})",
       "The \"match\" pattern for \"address\" must be a string.", at + "/source/0"},
      {R"("forwarded": {"protocol": "a", "source": [], "recursive": 1})",
       "The \"recursive\" value must be a boolean, but not an integer number.", at + "/recursive"},
      {R"("forwarded": {"protocol": "a", "source": [], "header": "x"})", "Unknown parameter \"header\".",
       at + "/header"},
      {R"("client_ip": {"source": "10.0.0.1"})", "Required parameter \"header\" is missing.", old},
      {R"("client_ip": {"header": "a"})", "Required parameter \"source\" is missing.", old},
      {R"("client_ip": {"header": true, "source": "unix"})",
       "The \"header\" value must be a string, but not a boolean.", old + "/header"},
      {R"("client_ip": {"header": "a", "source": 1})",
       "The \"source\" value must be either a string or an array, but not an integer number.",
       old + "/source"},
      {R"("client_ip": {"header": "a", "source": "unix", "recursive": "x"})",
       "The \"recursive\" value must be a boolean, but not a string.", old + "/recursive"},
      {R"("client_ip": {"header": "a", "source": "unix", "protocol": "x"})",
       "Unknown parameter \"protocol\".",
       old + "/protocol"},
      {R"("client_ip": {}, "forwarded": {})",
       "The \"client_ip\" option is mutually exclusive with the \"forwarded\" option.", old},
  });
}

TEST_CASE("a listener of before there were routes names its application") {
  const std::string frame_of_old = R"({"listeners": {"*:80": {"application": "%"}},
    "applications": {"blog": {"type": "php", "root": "/b"}, "a/b": {"type": "php", "root": "/b"}}})";
  const auto pass = accepted(filled(frame_of_old, "a/b")).listeners.at(0).pass;
  CHECK(pass.to == destination{destination::kind::application, 1, 0});
  check_refusals(frame_of_old, {
      {"bolg", "Listening socket is assigned for a non existing application \"bolg\".",
       "/listeners/*:80/application", "blog"},
      {"wiki", "Listening socket is assigned for a non existing application \"wiki\".",
       "/listeners/*:80/application"},
  });
}

TEST_CASE("a constant destination is found") {
  using enum destination::kind;
  CHECK(pass_of("routes/main") == destination{route, 0, 0});
  CHECK(pass_of("routes/a%2Fb%25c") == destination{route, 1, 0});
  CHECK(pass_of("applications/one") == destination{application, 0, 0});
  CHECK(pass_of("applications/%6Fne") == destination{application, 0, 0});
  CHECK(pass_of("applications/two") == destination{application, 1, 0});
  CHECK(pass_of("applications/two/x") == destination{application, 1, 0});
  CHECK(pass_of("applications/two/y%2fz") == destination{application, 1, 1});
  CHECK(pass_of("upstreams/up") == destination{upstream, 0, 0});
}

TEST_CASE("a destination with variables is found for each request") {
  const auto site = accepted(filled(places, "applications/$host"));
  const auto& pass = site.listeners.at(0).pass;
  CHECK_FALSE(pass.to);
  CHECK(pass.text.uses(variable::host));
  using enum destination::kind;
  CHECK(find_destination(site, "applications/two/y%2Fz") == destination{application, 1, 1});
  CHECK(find_destination(site, "routes/main") == destination{route, 0, 0});
  CHECK_FALSE(find_destination(site, "applications/none"));
  CHECK_FALSE(find_destination(site, "routes"));
  CHECK_FALSE(find_destination(site, "a%zz"));
  CHECK_FALSE(find_destination(site, ""));
}

TEST_CASE("the only route is found without a name") {
  const auto site = accepted(R"({"routes": []})");
  CHECK(find_destination(site, "routes") == destination{});
  CHECK_FALSE(find_destination(site, "routes/main"));
}

TEST_CASE("what is no destination is refused") {
  for (const std::string pass : {"", "/", "routes/", "/routes", "routes//a", "a/b/c/d", "applications/two/x/",
                                 "%", "routes/%2", "routes/%zz"}) {
    CAPTURE(pass);
    const auto error = refused(filled(places, pass));
    CHECK(error.detail == "Request \"pass\" value \"" + pass + "\" is invalid.");
    CHECK(error.pointer == "/listeners/*:80/pass");
  }
}

TEST_CASE("a destination that is not there is refused with the nearest that is") {
  const auto check = [](std::string_view pass, std::string_view suggestion) {
    const auto error = refused(filled(places, pass));
    CAPTURE(pass);
    CHECK(error.detail == "Request \"pass\" points to invalid location \"" + std::string{pass} + "\".");
    CHECK(error.pointer == "/listeners/*:80/pass");
    CHECK(error.suggestion == suggestion);
  };
  check("routes", "");
  check("routes/mian", "routes/main");
  check("route/main", "routes/main");
  check("routes/main/x", "routes/main");
  check("applications", "applications/one");
  check("applications/on", "applications/one");
  check("applications/one/x", "applications/one");
  check("applications/two/z", "applications/two/x");
  check("applications/two/y%2Fx", "applications/two/y%2Fz");
  check("upstreams/upp", "upstreams/up");
  check("upstreams/up/x", "upstreams/up");
  check("elsewhere", "");
}

TEST_CASE("a destination with an unknown variable is refused") {
  check_refusals(places, {
      {"routes/$nothing", "Unknown variable \"nothing\" in the \"pass\" value.", "/listeners/*:80/pass"},
      {"routes/$", "Invalid variable at position 7 in the \"pass\" value.", "/listeners/*:80/pass"},
  });
}
