// "applications": php, fastcgi and external ones.
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace httpd::config {
namespace {

// What "type" says: "php 8.4" is php of a version.
struct type_and_version {
  std::string_view type, version;
};

type_and_version take_apart(std::string_view text) noexcept {
  const auto space = text.find(' ');
  if (space == text.npos) return {text, {}};
  const auto version = text.find_first_not_of(' ', space);
  return {text.substr(0, space), version == text.npos ? std::string_view{} : text.substr(version)};
}

bool read_ini_values(site_reader& at, const json_value& value, named_texts& out) {
  return read_each(at, value, [&](const json_member& member) {
    if (member.name.empty()) return at.fail_at_name("The PHP option name must not be empty.");
    if (!is_one_of(member.value, a_string))
      return at.fail(concat("The \"", member.name, "\" PHP option must be a string."));
    // They end up in lines of a php-fpm configuration.
    constexpr std::string_view breaks{"\n\r\0", 3};
    if (member.name.find_first_of(breaks) != member.name.npos ||
        member.value.text.find_first_of(breaks) != member.value.text.npos)
      return at.fail(concat("The \"", member.name, "\" PHP option must be one line."));
    out.emplace_back(member.name, member.value.text);
    return true;
  });
}

template <auto Member>
bool ini_values(site_reader& at, const json_value& value, php_application& out) {
  return read_ini_values(at, value, out.*Member);
}

constexpr key<php_application> option_keys[] = {
    {"file", a_string, filled_text<&php_application::ini_file>},
    {"admin", an_object, ini_values<&php_application::admin_values>},
    {"user", an_object, ini_values<&php_application::user_values>},
};

bool read_options(site_reader& at, const json_value& value, php_application& out) {
  return read_object(at, value, part{option_keys, out});
}

bool read_address_of(site_reader& at, const json_value& value, fastcgi_application& out) {
  if (is_one_of(value, an_array) && value.elements.empty())
    return at.fail("The \"address\" array must contain at least one element.");
  return read_one_or_many(at, value, [&](const json_value& one) {
    if (!is_one_of(one, a_string)) return at.fail("The \"address\" array must contain only string values.");
    auto address = read_address(one.text, true);
    if (!address || address->host == "*")
      return at.fail(concat("The \"", one.text, "\" is not valid server address."));
    out.addresses.push_back(std::move(*address));
    return true;
  });
}

constexpr key<fastcgi_application> fastcgi_limit_keys[] = {
    {"timeout", an_integer, seconds<&fastcgi_application::timeout>},
};

bool read_fastcgi_limits(site_reader& at, const json_value& value, fastcgi_application& out) {
  return read_object(at, value, part{fastcgi_limit_keys, out});
}

bool read_arguments(site_reader& at, const json_value& value, external_application& out) {
  return read_one_or_many(at, value, [&](const json_value& one) {
    if (!is_one_of(one, a_string)) return at.fail("The \"arguments\" array must contain only string values.");
    if (one.text.find('\0') != one.text.npos)
      return at.fail("The \"arguments\" array must not contain strings with null character.");
    out.arguments.push_back(one.text);
    return true;
  });
}

bool read_protocol(site_reader& at, const json_value& value, external_application& out) {
  constexpr std::array<std::string_view, 2> protocols{"http", "fastcgi"};
  if (std::ranges::find(protocols, value.text) == protocols.end())
    return at.fail("The \"protocol\" can either be \"http\" or \"fastcgi\".",
                   nearest_name(value.text, protocols));
  using enum external_application::protocol;
  out.speaks = value.text == "http" ? http : fastcgi;
  return true;
}

constexpr key<application> type_keys[] = {{"type", a_string, nullptr}};
constexpr key<php_application> php_keys[] = {{"options", an_object, read_options}};
constexpr key<fastcgi_application> fastcgi_keys[] = {
    {"address", a_string | an_array, read_address_of, true},
    {"workers", an_integer, number<&fastcgi_application::workers, 1>},
    {"limits", an_object, read_fastcgi_limits},
};
constexpr key<external_application> external_keys[] = {
    {"executable", a_string, filled_text<&external_application::executable>, true},
    {"arguments", an_array, read_arguments},
    {"protocol", a_string, read_protocol},
};

bool read_php(site_reader& at, const json_value& value, std::string_view version, application& out) {
  auto& php = out.runs.emplace<php_application>();
  php.version = version;
  return read_object(at, value, part{type_keys, out}, part<application>{script_keys(value), out},
                     part{php_keys, php}, part<process_settings>{process_keys(), php.process});
}

bool read_fastcgi(site_reader& at, const json_value& value, application& out) {
  auto& fastcgi = out.runs.emplace<fastcgi_application>();
  return read_object(at, value, part{type_keys, out}, part<application>{script_keys(value), out},
                     part{fastcgi_keys, fastcgi});
}

bool read_external(site_reader& at, const json_value& value, application& out) {
  auto& external = out.runs.emplace<external_application>();
  return read_object(at, value, part{type_keys, out}, part{external_keys, external},
                     part<process_settings>{process_keys(), external.process});
}

bool refuse_type(site_reader& at, std::string_view text, std::string_view type) {
  constexpr std::array<std::string_view, 3> types{"php", "fastcgi", "external"};
  constexpr std::array<std::string_view, 7> languages{"java", "perl", "python", "ruby", "wasm",
                                                      "wasm-wasi-component", "go"};
  if (std::ranges::find(languages, type) != languages.end())
    return at.fail(concat("The type \"", text, "\" is not supported: run it as an \"external\" application "
                          "that listens on a socket."),
                   "external");
  return at.fail(concat("The module to run \"", text,
                        "\" is not found among the available application modules."),
                 nearest_name(type, types));
}

bool read_type(site_reader& at, const json_value& value, application& out, const json_member& type) {
  const auto [name, version] = take_apart(type.value.text);
  if (name == "php") return read_php(at, value, version, out);
  if (name == "fastcgi" && version.empty()) return read_fastcgi(at, value, out);
  if (name == "external" && version.empty()) return read_external(at, value, out);
  const site_reader::inside here{at, type};
  return refuse_type(at, type.value.text, name);
}

bool read_application(site_reader& at, const json_member& member, application& out) {
  if (!at.expect(member.value, an_object)) return false;
  const auto& members = member.value.members;
  const auto type = std::ranges::find(members, "type", &json_member::name);
  if (type == members.end()) return at.fail("Application must have the \"type\" property set.");
  {
    const site_reader::inside here{at, *type};
    if (!at.expect(type->value, a_string)) return false;
  }
  return read_type(at, member.value, out, *type);
}

}  // namespace

bool read_applications(site_reader& at, const json_value& value, site& out) {
  auto next = out.applications.begin();
  return read_each(at, value,
                   [&](const json_member& member) { return read_application(at, member, *next++); });
}

}  // namespace httpd::config
