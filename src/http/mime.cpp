// Content-Type by extension: a binary search in the text made by mime_table.cmake.
#include "http/mime.hpp"

#include "base/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace httpd::http {
namespace {

// Lines "extension TAB type LF", sorted by extension. One text and not an array of views: fifteen
// hundred pairs of pointers would be relocated at every start, private memory in each process.
constexpr std::string_view table =
#include "mime_table.inc"
    ;

constexpr std::size_t longest_extension = 32;

struct entry {
  std::string_view extension, type;
  std::size_t end;  // offset of the next line
};

constexpr entry entry_at(std::size_t start) noexcept {
  const auto tab = table.find('\t', start);
  const auto line_end = table.find('\n', tab);
  return {table.substr(start, tab - start), table.substr(tab + 1, line_end - tab - 1), line_end + 1};
}

constexpr bool is_table_sorted() noexcept {
  std::string_view before;
  for (std::size_t at = 0; at < table.size();) {
    const auto here = entry_at(at);
    if (here.extension <= before || here.extension.size() > longest_extension) return false;
    before = here.extension;
    at = here.end;
  }
  return !table.empty();
}
static_assert(is_table_sorted());

// Where the lines begin that start with a byte or with one after it: most of the steps of the search.
constexpr auto lines_from = [] {
  std::array<std::uint32_t, 129> starts{};
  std::size_t filled = 0;
  for (std::size_t at = 0; at < table.size(); at = entry_at(at).end)
    while (filled <= static_cast<unsigned char>(table[at])) starts[filled++] = static_cast<std::uint32_t>(at);
  while (filled < starts.size()) starts[filled++] = table.size();
  return starts;
}();

std::string_view find_type(std::string_view extension) noexcept {
  const auto first = extension.empty() ? 0x7f : static_cast<unsigned char>(extension[0]);
  if (first > 0x7f) return {};
  std::size_t low = lines_from[first], high = lines_from[first + 1u];  // both at the start of a line
  while (low < high) {
    auto start = low + (high - low) / 2;
    while (start > low && table[start - 1] != '\n') --start;
    const auto here = entry_at(start);
    if (here.extension == extension) return here.type;
    if (here.extension < extension) low = here.end;
    else high = start;
  }
  return {};
}

}  // namespace

std::string_view content_type(std::string_view path) noexcept {
  constexpr std::string_view unknown = "application/octet-stream";
  const auto mark = path.find_last_of("./");
  if (mark == path.npos || path[mark] == '/') return unknown;
  const auto extension = path.substr(mark + 1);
  std::array<char, longest_extension> lower;
  if (extension.size() > lower.size()) return unknown;
  for (std::size_t i = 0; i < extension.size(); ++i) lower[i] = to_lower(extension[i]);
  const auto type = find_type({lower.data(), extension.size()});
  return type.empty() ? unknown : type;
}

}  // namespace httpd::http
