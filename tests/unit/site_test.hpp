// What the tests of the configuration share: reading one that is right, and tables of ones that are wrong.
#pragma once

#include "catch.hpp"

#include "config/json_reader.hpp"
#include "config/site.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace httpd::config {

// A wrong value put in the place of "%" in a configuration, and the whole answer.
struct refusal {
  std::string_view text, detail, pointer;
  std::string_view suggestion = {};
};

inline std::string filled(std::string_view frame, std::string_view text) {
  const auto place = frame.find('%');
  if (place == frame.npos) return std::string{frame};
  return std::string{frame.substr(0, place)} + std::string{text} + std::string{frame.substr(place + 1)};
}

inline site accepted(const std::string& text) {
  INFO(text);
  const auto tree = read_json(text);
  REQUIRE(tree.has_value());
  auto result = read_site(*tree);
  if (result.has_error()) FAIL(result.error().detail << " at " << result.error().pointer);
  return std::move(*result);
}

inline site_error refused(const std::string& text) {
  INFO(text);
  const auto tree = read_json(text);
  REQUIRE(tree.has_value());
  auto result = read_site(*tree);
  REQUIRE(result.has_error());
  return result.error();
}

inline void check_refusals(std::string_view frame, std::initializer_list<refusal> all) {
  for (const auto& one : all) {
    const auto text = filled(frame, one.text);
    CAPTURE(text);
    const auto error = refused(text);
    CHECK(error.detail == one.detail);
    CHECK(error.pointer == one.pointer);
    CHECK(error.suggestion == one.suggestion);
  }
}

// The text a template renders to when it asks for nothing.
inline std::string constant(const text_template& text) {
  REQUIRE(text.is_constant());
  return std::string{text.constant_text()};
}

}  // namespace httpd::config
