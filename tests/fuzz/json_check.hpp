// A strict reader of JSON (RFC 8259), to see that what is written is some.
#pragma once

#include <string>
#include <string_view>

namespace httpd::fuzz {

// Takes one value with the white space around it from the front; false when there is none. `depth` bounds
// how deep it goes.
bool take_json(std::string_view& text, unsigned depth = 8);
// The whole text is one value.
bool is_json(std::string_view text);
// Takes a string with its quotes; `decoded` gets its bytes.
bool take_json_string(std::string_view& text, std::string& decoded);
// No overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace httpd::fuzz
