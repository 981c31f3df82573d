// A request head made of what a fuzzer finds in its input, for what looks at fields alone.
#pragma once

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "http/request_head.hpp"

#include <span>

namespace httpd::fuzz {

// Lines: a byte that chooses the name, then the value, trimmed as parse_head() does. At most eight. The
// head is reused from run to run, as a server does, so that a run allocates nothing.
inline const http::request_head& take_fields(reader& from, std::span<const std::string_view> names) {
  static http::request_head head;
  head.fields.clear();
  while (!from.empty() && head.fields.size() < 8) {
    const auto name = names[from.byte() % names.size()];
    head.fields.push_back({name, trim(from.until('\n'))});
  }
  return head;
}

}  // namespace httpd::fuzz
