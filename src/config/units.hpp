// Sizes and durations as a user writes them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace httpd::config {

// "8M", "512k", "1g", "1048576", "8MiB" (powers of 1024, any case); nullopt for anything else,
// a fraction, a sign or an overflow.
std::optional<std::uint64_t> parse_size(std::string_view text) noexcept;

// "500ms", "10s", "2m", "1h"; a bare number is seconds. Positive, at most 24 days.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

}  // namespace httpd::config
