// A small tolerant reader of HTTP/1 answers. On its own, so that no fault of the server's parsers hides.
#include "io/answers.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

namespace httpd::test {

namespace {

std::string lower(std::string_view text) {
  std::string result{text};
  for (auto& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// The decoded content and how many bytes it took; nullopt while the last chunk is missing.
std::optional<std::size_t> read_chunks(std::string_view bytes, std::string& content) {
  std::size_t at = 0;
  for (;;) {
    const auto line_end = bytes.find("\r\n", at);
    if (line_end == bytes.npos) return std::nullopt;
    const auto size = std::strtoul(std::string{bytes.substr(at, line_end - at)}.c_str(), nullptr, 16);
    at = line_end + 2;
    const auto part = bytes.substr(at, size);
    content += part;
    if (part.size() < size || bytes.substr(at + size, 2) != "\r\n") return std::nullopt;
    at += size + 2;
    if (size == 0) return at;
  }
}

bool read_head(std::string_view head, answer& to) {
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 13) return false;
  to.status = static_cast<unsigned>(std::atoi(std::string{head.substr(9, 3)}.c_str()));
  for (auto at = head.find("\r\n"); at != head.npos && at + 2 < head.size();) {
    const auto end = head.find("\r\n", at + 2);
    const auto line = head.substr(at + 2, end - at - 2);
    if (const auto colon = line.find(": "); colon != line.npos)
      to.fields.emplace_back(lower(line.substr(0, colon)), line.substr(colon + 2));
    at = end;
  }
  return true;
}

// Takes the content from `rest`.
void read_content(std::string_view& rest, bool closed, bool is_head, answer& to) {
  to.chunked = to.field("transfer-encoding") == "chunked";
  if (is_head || to.status < 200 || to.status == 204 || to.status == 304) {
    to.complete = true;
  } else if (to.chunked) {
    const auto used = read_chunks(rest, to.content);
    to.complete = used.has_value();
    rest.remove_prefix(used.value_or(rest.size()));
  } else if (to.has("content-length")) {
    const auto length = std::strtoul(to.field("content-length").c_str(), nullptr, 10);
    to.content = rest.substr(0, length);
    to.complete = to.content.size() == length;
    rest.remove_prefix(to.content.size());
  } else {
    to.content = rest;
    to.complete = closed;
    rest = {};
  }
}

}  // namespace

std::string answer::field(std::string_view name) const {
  std::string result;
  for (const auto& [key, value] : fields)
    if (key == name) result += (result.empty() ? "" : "; ") + value;
  return result;
}

bool answer::has(std::string_view name) const {
  return std::any_of(fields.begin(), fields.end(), [name](const auto& f) { return f.first == name; });
}

std::vector<answer> read_answers(std::string_view bytes, bool closed,
                                 const std::vector<std::string>& methods) {
  std::vector<answer> result;
  std::size_t finals = 0;
  while (!bytes.empty()) {
    auto& one = result.emplace_back();
    const auto head_end = bytes.find("\r\n\r\n");
    if (head_end == bytes.npos || !read_head(bytes.substr(0, head_end + 2), one)) break;
    bytes.remove_prefix(head_end + 4);
    const bool is_head = finals < methods.size() && methods[finals] == "HEAD";
    if (one.status >= 200) ++finals;
    read_content(bytes, closed, is_head, one);
  }
  return result;
}

std::string summary(const std::vector<answer>& answers) {
  std::string text;
  for (const auto& one : answers) {
    text += std::to_string(one.status) + (one.complete ? "\n" : " (incomplete)\n");
    for (const auto& [name, value] : one.fields) {
      const bool is_framing = name == "content-length" || name == "transfer-encoding";
      if (name != "date" && !is_framing) text += name + ": " + value + "\n";
    }
    text += "\n" + one.content + "\n";
  }
  return text;
}

}  // namespace httpd::test
