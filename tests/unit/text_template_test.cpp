// config/text_template: variables, their errors, rendering, and the truth of "if".
#include "config/text_template.hpp"

#include "base/text.hpp"
#include "catch.hpp"

#include <map>
#include <string>

using namespace httpd;
using namespace httpd::config;

namespace {

// Values by their whole name, "arg_q"; a name that is not there has no value.
class values : public variable_source {
public:
  values(std::map<std::string, std::string> known = {}) : known_{std::move(known)} {}

  bool append(variable what, std::string_view name, std::string& out) const override {
    const auto found = known_.find(std::string{name_of(what)} + std::string{name});
    if (found == known_.end()) return false;
    out += found->second;
    return true;
  }

private:
  std::map<std::string, std::string> known_;
};

// The value of every variable is its name in angle brackets.
class names : public variable_source {
public:
  bool append(variable what, std::string_view name, std::string& out) const override {
    out += '<';
    out += name_of(what);
    out += name;
    out += '>';
    return true;
  }
};

text_template read(std::string_view text) {
  std::string error;
  auto result = text_template::parse(text, "share", error);
  INFO(text << ": " << error);
  REQUIRE(result);
  return *result;
}

std::string rendered(std::string_view text, const variable_source& source = names{},
                     rendering how = rendering::plain) {
  std::string out = "|";
  read(text).render(source, out, how);
  return out;
}

std::string fault(std::string_view text, std::string_view key = "share") {
  std::string error;
  const auto result = text_template::parse(text, key, error);
  CHECK(result.has_value() == error.empty());
  return error;
}

bool holds(std::string_view text, const variable_source& source = values{}) {
  std::string error;
  const auto result = condition::parse(text, "if", error);
  INFO(text << ": " << error);
  REQUIRE(result);
  return result->holds(source);
}

}  // namespace

TEST_CASE("every variable of the list is known by its name") {
  for (const char* name :
       {"method", "request_line", "request_uri", "uri", "host", "remote_addr", "time_local", "request_time",
        "request_id", "status", "body_bytes_sent", "request_time_queue", "request_time_php_first_byte",
        "arg_a",
        "cookie_session", "arg_a_b", "arg__"}) {
    CAPTURE(name);
    CHECK(rendered(std::string{"$"} + name) == std::string{"|<"} + name + ">");
    CHECK(rendered(std::string{"${"} + name + "}") == std::string{"|<"} + name + ">");
  }
  CHECK(rendered("$header_referer") == "|<header_referer>");
  CHECK(rendered("$header_user_agent") == "|<header_user-agent>");
  CHECK(rendered("$response_header_connection") == "|<response_header_connection>");
  CHECK(rendered("$response_header_content_length") == "|<response_header_content-length>");
  CHECK(rendered("$response_header_transfer_encoding") == "|<response_header_transfer-encoding>");
}

TEST_CASE("names of headers have one spelling, those of arguments and cookies are as written") {
  CHECK(rendered("$header_X_Forwarded_For") == "|<header_x-forwarded-for>");
  CHECK(rendered("$response_header_ETag") == "|<response_header_etag>");
  CHECK(rendered("$arg_Page_No") == "|<arg_Page_No>");
  CHECK(rendered("$cookie_PHPSESSID") == "|<cookie_PHPSESSID>");
}

TEST_CASE("variables stand between constant text") {
  CHECK(rendered("/app/public$uri") == "|/app/public<uri>");
  CHECK(rendered("$uri$host") == "|<uri><host>");
  CHECK(rendered("a${uri}b${host}c") == "|a<uri>b<host>c");
  CHECK(rendered("${uri}x") == "|<uri>x");
  CHECK(rendered("$uri/x") == "|<uri>/x");
  CHECK(rendered("$uri1") == "|<uri>1");  // a name has letters and "_" only
  CHECK(rendered("$uri}") == "|<uri>}");
  CHECK(rendered("{$uri}") == "|{<uri>}");
  CHECK(rendered("") == "|");
  CHECK(rendered("\"$request_line\" $status") == "|\"<request_line>\" <status>");
}

TEST_CASE("the dollar has a variable of its own") {
  CHECK(rendered("$dollar") == "|$");
  CHECK(rendered("${dollar}uri") == "|$uri");
  CHECK(rendered("a$dollar$uri") == "|a$<uri>");
}

TEST_CASE("a template knows that it is constant, and what it uses") {
  CHECK(read("").is_constant());
  CHECK(read("/a/b").constant_text() == "/a/b");
  CHECK(read("a${dollar}b").is_constant());
  CHECK(read("a${dollar}b").constant_text() == "a$b");
  CHECK_FALSE(read("/a$uri").is_constant());
  CHECK(text_template::constant("$uri`").is_constant());
  CHECK(text_template::constant("$uri`").constant_text() == "$uri`");
  CHECK(read("$uri $arg_a").uses(variable::arg));
  CHECK_FALSE(read("$uri $arg_a").uses(variable::cookie));
  CHECK(text_template{}.is_constant());
}

TEST_CASE("templates that cannot be are refused in Unit's words") {
  CHECK(fault("$nope") == "Unknown variable \"nope\" in the \"share\" value.");
  CHECK(fault("/a${nope}b", "pass") == "Unknown variable \"nope\" in the \"pass\" value.");
  for (const char* name : {"Uri", "URI", "scheme", "args", "arg_", "cookie_", "header_",
      "response_header_", "arg",
                           "upstream_addr", "uri_", "_", "dollars"})
    CHECK(fault(concat('$', name)) == concat("Unknown variable \"", name, "\" in the \"share\" value."));
  CHECK(fault("$") == "Invalid variable at position 0 in the \"share\" value.");
  CHECK(fault("ab$") == "Invalid variable at position 2 in the \"share\" value.");
  for (const char* rest : {"$$", "$1", "${", "${}", "${uri", "${uri x}", "${1}", "$ uri", "$-",
      "${arg_a1}", "$/"})
    CHECK(fault(std::string{"$uri"} + rest) == "Invalid variable at position 4 in the \"share\" value.");
  CHECK(fault("$uri$uri$", "location") == "Invalid variable at position 8 in the \"location\" value.");
  CHECK(fault("$nope$") == "Unknown variable \"nope\" in the \"share\" value.");  // the first fault
}

TEST_CASE("a JavaScript template is refused with the reason") {
  for (const char* text : {"`${uri}`", "`", "`a`"})
    CHECK(fault(text) == "The \"share\" value is a JavaScript template, and this server has no JavaScript: "
                         "use variables such as \"$uri\".");
  CHECK(rendered("a`b`") == "|a`b`");  // only one that begins with it is one
  std::string error;
  CHECK_FALSE(condition::parse("!`a`", "if", error));
  CHECK(error.starts_with("The \"if\" value is a JavaScript template"));
}

TEST_CASE("what has no value is empty in a text and a dash in a log") {
  const values source{{{"uri", "/a"}, {"arg_q", ""}}};
  CHECK(rendered("[$uri][$arg_q][$arg_r]", source) == "|[/a][][]");
  CHECK(rendered("[$uri][$arg_q][$arg_r]", source, rendering::log) == "|[/a][][-]");
  CHECK(rendered("[$uri][$arg_q][$arg_r]", source, rendering::json) == "|[/a][][-]");
}

TEST_CASE("values are escaped for a line of the log, and everything for JSON") {
  const values source{{{"uri", "/a\"\n\\b"}, {"host", "\xc3\xa9"}}};
  CHECK(rendered("\"$uri\"\t$host", source) == "|\"/a\"\n\\b\"\t\xc3\xa9");
  CHECK(rendered("\"$uri\"\t$host", source, rendering::log) == "|\"/a\\x22\\x0A\\x5Cb\"\t\\xC3\\xA9");
  CHECK(rendered("\"$uri\"\t$host", source, rendering::json) == "|\\\"/a\\\"\\n\\\\b\\\"\\t\xc3\xa9");
}

TEST_CASE("an if is false for nothing, 0, false, null and undefined") {
  for (const char* text : {"", "0", "false", "null", "undefined", "$arg_a", "$arg_a$arg_b"}) {
    CAPTURE(text);
    CHECK_FALSE(holds(text));
    CHECK(holds(std::string{"!"} + text));
  }
  for (const char* text : {"1", "true", "00", "0.0", "False", "NULL", " ", "no", "$dollar", "!!",
      "0$dollar"}) {
    if (text[0] == '!') continue;
    CAPTURE(text);
    CHECK(holds(text));
    CHECK_FALSE(holds(std::string{"!"} + text));
  }
  CHECK_FALSE(holds("!!"));  // not the text "!"
  const values source{{{"arg_a", "0"}, {"arg_b", "x"}, {"arg_c", ""}, {"arg_d", "undef"},
  {"arg_e", "false"}}};
  CHECK_FALSE(holds("$arg_a", source));
  CHECK(holds("$arg_b", source));
  CHECK_FALSE(holds("$arg_c", source));
  CHECK(holds("!$arg_c", source));
  CHECK_FALSE(holds("${arg_d}ined", source));
  CHECK(holds("$arg_a$arg_b", source));
  CHECK(holds("$arg_a$arg_a", source));  // "00"
  CHECK_FALSE(holds("$arg_e", source));
}

TEST_CASE("an if with a fault is refused, its positions counted behind the exclamation mark") {
  std::string error;
  CHECK_FALSE(condition::parse("!a$", "if", error));
  CHECK(error == "Invalid variable at position 1 in the \"if\" value.");
  CHECK_FALSE(condition::parse("$x", "if", error));
  CHECK(error == "Unknown variable \"x\" in the \"if\" value.");
}
