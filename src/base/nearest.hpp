// "Did you mean": the name that a person most likely wanted to type.
#pragma once

#include <span>
#include <string_view>

namespace httpd {

// Of `names` the one with the fewest letters changed, left out, added or swapped with the next; the first of
// several. Case and the difference of '-' and '_' do not count. Empty when none is near: at most one letter in
// three may change. Names of more than 64 bytes are never near.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> names) noexcept;

}  // namespace httpd
