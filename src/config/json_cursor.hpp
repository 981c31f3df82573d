// Where the tokens of a JSON text are: Boost's parser tells what it reads but not where. Follows a text that
// the parser has found good so far, token by token, and stops at what it cannot pass.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace httpd::config {

// The text with spaces in place of its comments, // and /* */, so that every offset stays. One without an end
// stays too. (Boost's parser has an option for comments, but does not see the end of one that is "**/".)
std::string without_comments(std::string_view text);

class json_cursor {
public:
  json_cursor(std::string_view text, std::size_t begin) noexcept : text_{text}, at_{begin} {}

  // Passes white space and at most one `separator` (none for '\0'): where the next token begins, or what is
  // no token; the size of the text at its end.
  std::size_t next(char separator) noexcept;
  bool passed_separator() const noexcept { return passed_; }  // by the last next()
  void skip(std::size_t bytes) noexcept { at_ += bytes; }
  // From the opening quote, where next() stopped, past the closing one. False when there is none.
  bool skip_string() noexcept;

private:
  std::string_view text_;
  std::size_t at_;
  bool passed_ = false;
};

// What is wrong in the string whose opening quote is at `start`, which the parser refused.
struct json_string_fault {
  std::size_t offset;
  std::string_view detail;
};
json_string_fault explain_string(std::string_view text, std::size_t start) noexcept;

}  // namespace httpd::config
