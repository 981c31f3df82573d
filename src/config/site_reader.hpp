// Where the reading of a configuration is in its tree, and its first fault. For src/config/site_*.cpp only.
#pragma once

#include "config/json_value.hpp"
#include "config/site_error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

struct site;

// A set of json_value::kind.
using kinds = unsigned;
constexpr kinds only(json_value::kind kind) noexcept { return 1u << static_cast<unsigned>(kind); }
inline constexpr kinds a_null = only(json_value::kind::null), a_boolean = only(json_value::kind::boolean),
                       an_integer = only(json_value::kind::integer),
                       a_number = an_integer | only(json_value::kind::fraction),
                       a_string = only(json_value::kind::string), an_array = only(json_value::kind::array),
                       an_object = only(json_value::kind::object),
                       anything = a_null | a_boolean | a_number | a_string | an_array | an_object;
constexpr bool is_one_of(const json_value& value, kinds allowed) noexcept {
  return (only(value.what) & allowed) != 0;
}

// Where the pass is, and its first fault: every function of the pass returns false then, and it ends.
class site_reader {
public:
  // `result` is what destinations are looked up in; its names are known from the start.
  site_reader(const json_value& root, const site& result) noexcept : root_{root}, result_{result} {}

  // While one lives, the pass is inside this member or element.
  class inside {
  public:
    inside(site_reader& at, const json_member& member) : at_{at} {
      at.path_.push_back({&member, 0, &member.value});
    }
    inside(site_reader& at, const json_value& array, std::size_t index) : at_{at} {
      at.path_.push_back({nullptr, index, &array.elements[index]});
    }
    ~inside() { at_.path_.pop_back(); }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;

  private:
    site_reader& at_;
  };

  const site& result() const noexcept { return result_; }
  const site_error& error() const noexcept { return error_; }
  std::string_view name() const noexcept;  // of the member the pass is in, however deep in its arrays

  // All return false. At the value: the place is that of the value the pass is in.
  bool fail(std::string detail, std::string_view suggestion = {});
  bool fail_at_name(std::string detail, std::string_view suggestion = {});
  // At the member `name` of the object the pass is in; at the object when there is none.
  bool fail_at_member(std::string_view name, std::string detail);
  bool fail_unknown(const std::vector<std::string_view>& known);
  bool expect(const json_value&, kinds allowed);

private:
  struct step {
    const json_member* member;  // nullptr: it is an element
    std::size_t index;          // of an element
    const json_value* value;
  };

  const json_value& here() const noexcept { return path_.empty() ? root_ : *path_.back().value; }
  std::string pointer() const;

  const json_value& root_;
  const site& result_;
  std::vector<step> path_;
  site_error error_;
};

}  // namespace httpd::config
