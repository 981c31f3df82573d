// The optimal string alignment distance, row by row.
#include "base/nearest.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace httpd {
namespace {

constexpr std::size_t longest = 64;

constexpr char folded(char c) noexcept { return c == '-' ? '_' : to_lower(c); }

std::size_t distance(std::string_view a, std::string_view b) noexcept {
  std::array<std::array<std::size_t, longest + 1>, 3> rows{};  // this one and the two before
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& last = rows[(i + 2) % 3];
    const auto& last_but_one = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], last_but_one[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view given, std::span<const std::string_view> names) noexcept {
  std::string_view best;
  std::size_t fewest = longest;
  if (given.size() > longest) return best;
  for (const auto name : names) {
    if (name.size() > longest) continue;
    const auto changes = distance(given, name);
    if (changes < fewest && changes * 3 <= std::max(given.size(), name.size())) {
      best = name;
      fewest = changes;
    }
  }
  return best;
}

}  // namespace httpd
