// Sets of bytes and the search for bytes that may not be there: the inner loops of the parsers of http/.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace httpd::http {

using byte_set = std::array<bool, 256>;

constexpr byte_set letters_digits_and(std::string_view others) {
  byte_set set{};
  for (std::size_t c = '0'; c <= '9'; ++c) set[c] = true;
  for (std::size_t c = 'a'; c <= 'z'; ++c) set[c] = set[c - 32] = true;
  for (const char c : others) set[static_cast<unsigned char>(c)] = true;
  return set;
}

inline constexpr byte_set token_bytes = letters_digits_and("!#$%&'*+-.^_`|~");  // RFC 9110 5.6.2

constexpr bool is_in(const byte_set& set, char c) noexcept { return set[static_cast<unsigned char>(c)]; }

inline bool all_in(const byte_set& set, std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [&set](char c) { return is_in(set, c); });
}

// Control bytes of RFC 5234 with DEL, the tab too.
constexpr bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// The first byte below `bound` (at most 0x80), or DEL; `end` when there is none. Bytes >= 0x80 pass.
// Eight bytes at a time; the lowest hit of a word is exact, the ones above it may be false.
template <unsigned char bound>
const char* find_below(const char* p, const char* end) noexcept {
  static_assert(bound <= 0x80);
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t highs = ones * 0x80;
  for (; end - p >= 8; p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    const std::uint64_t del = word ^ (ones * 0x7f);
    const std::uint64_t hits = (((word - ones * bound) & ~word) | ((del - ones) & ~del)) & highs;
    if (hits == 0) continue;
    if constexpr (std::endian::native == std::endian::little) return p + std::countr_zero(hits) / 8;
    break;
  }
  for (; p != end; ++p)
    if (static_cast<unsigned char>(*p) < bound || *p == 0x7f) break;
  return p;
}

}  // namespace httpd::http
