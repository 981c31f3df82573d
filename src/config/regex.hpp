// A PCRE2 regular expression over bytes, bounded in work and memory. Compiled once (to machine code where the
// system lets us), then const and shared by every thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct pcre2_real_code_8;

namespace httpd::config {

// undecided: a regular expression hit its limit of work on this value, or wants UTF-8 and it is none. Whoever
// asks must treat the request as one that cannot be routed (500): neither a rule that allows nor one that
// forbids may be evaded this way.
enum class verdict { no, yes, undecided };

class regex {
public:
  // nullopt: `error` is "Invalid regular expression: MESSAGE", with " at offset N" unless that is its end.
  static std::optional<regex> compile(std::string_view expression, bool ignore_case, std::string& error);

  // Whether it is found anywhere in `value`. Some tens of milliseconds at most, whatever the two are.
  verdict search(std::string_view value) const noexcept;

private:
  explicit regex(std::shared_ptr<const pcre2_real_code_8> code) noexcept : code_{std::move(code)} {}

  std::shared_ptr<const pcre2_real_code_8> code_;
  bool utf_ = false;         // "(*UTF)" was asked for; else bytes are compared
  std::size_t stretch_ = 0;  // how many places where a match may begin are tried before the work is looked at
};

}  // namespace httpd::config
