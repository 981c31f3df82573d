// What every fuzzer shares. A fuzzer is one file NAME_fuzzer.cpp with FUZZ(input) { ... }: it takes any
// bytes, and ends the program by expect() when what came out is wrong. No state is kept between two runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace httpd::fuzz {

// Also in builds with NDEBUG.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

constexpr bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
// What a field value may have, RFC 9110 5.5.
inline bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\t' || !is_control(c); });
}

// Bytes of the input taken from its front; zeros once it is used up.
class reader {
public:
  explicit reader(std::string_view input) noexcept : rest_{input} {}

  bool empty() const noexcept { return rest_.empty(); }
  unsigned byte() noexcept {
    if (rest_.empty()) return 0;
    const auto value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::uint64_t number(unsigned bytes) noexcept {
    std::uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | byte();
    return value;
  }
  std::string_view text(std::size_t bytes) noexcept {
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // Up to the separator, which is taken too.
  std::string_view until(char separator) noexcept {
    const auto taken = rest_.substr(0, rest_.find(separator));
    rest_.remove_prefix(std::min(taken.size() + 1, rest_.size()));
    return taken;
  }
  std::string_view rest() noexcept { return text(rest_.size()); }

private:
  std::string_view rest_;
};

// The pieces of a text, of sizes that follow from `seed`: 0 = the whole, 1 = single bytes.
class cutter {
public:
  cutter(std::string_view text, unsigned seed) noexcept : rest_{text}, seed_{seed}, state_{seed} {}

  bool empty() const noexcept { return rest_.empty(); }
  std::string_view next() noexcept {
    state_ = state_ * 1103515245u + 12345u;
    const std::size_t size = seed_ == 0 ? rest_.size() : seed_ == 1 ? 1 : 1 + (state_ >> 16) % seed_;
    const auto piece = rest_.substr(0, size);
    rest_.remove_prefix(piece.size());
    return piece;
  }

private:
  std::string_view rest_;
  unsigned seed_, state_;
};

}  // namespace httpd::fuzz

// An empty input is the null view: that is what an absent value is.
#define FUZZ(input)                                                                     \
  static void fuzz_one(std::string_view input);                                         \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);   \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {  \
    fuzz_one(size == 0 ? std::string_view{}                                             \
                       : std::string_view{reinterpret_cast<const char*>(bytes), size}); \
    return 0;                                                                           \
  }                                                                                     \
  static void fuzz_one(std::string_view input)
