// Request heads: the same at every cut, and what is accepted frames its message in one way only.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "http/request_head.hpp"

#include <optional>

using namespace httpd;
using namespace httpd::fuzz;
using http::request_head;

namespace {

constexpr http::head_limits limits{.target_bytes = 100, .head_bytes = 700, .fields = 12};

std::string describe(const request_head& head) {
  std::string text = concat(head.method, ' ', head.target, " HTTP/1.", head.minor_version, "\r\n");
  for (const auto& f : head.fields) append(text, f.name, ": ", f.value, "\r\n");
  return text + "\r\n";
}

bool same(const request_head& a, const request_head& b) {
  return describe(a) == describe(b) && a.host == b.host && a.content_length == b.content_length &&
         a.chunked == b.chunked && a.keep_alive == b.keep_alive && a.expect_continue == b.expect_continue;
}

// What the most lenient reader could make of one name below the request line: lines end in CR or LF, white
// space and control bytes around a name are nothing.
std::size_t count_lenient(std::string_view bytes, std::string_view name) {
  std::size_t count = 0;
  bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size()));
  while (!bytes.empty()) {
    auto line = bytes.substr(0, bytes.find_first_of("\r\n"));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    line = line.substr(0, line.find(':'));
    while (!line.empty() && static_cast<unsigned char>(line.front()) <= ' ') line.remove_prefix(1);
    while (!line.empty() && static_cast<unsigned char>(line.back()) <= ' ') line.remove_suffix(1);
    count += iequals(line, name);
  }
  return count;
}

void check_framing(std::string_view bytes, const request_head& head) {
  std::size_t hosts = 0, lengths = 0, codings = 0;
  bytes.remove_prefix(static_cast<std::size_t>(head.target.data() - bytes.data()));  // behind the method
  for (const auto& f : head.fields) {
    hosts += iequals(f.name, "host");
    codings += iequals(f.name, "transfer-encoding");
    if (!iequals(f.name, "content-length")) continue;
    ++lengths;
    for (auto list = f.value; !list.empty();)
      expect(parse_u64(next_in_list(list)) == head.content_length, "every length is the same number");
  }
  expect(hosts == count_lenient(bytes, "host") && hosts <= 1, "nobody sees another host");
  expect(hosts == 1 || head.minor_version == 0, "HTTP/1.1 has a host");
  expect(http::is_valid_host(head.host), "the host is one");
  expect(lengths == count_lenient(bytes, "content-length"), "nobody sees another length");
  expect(codings == count_lenient(bytes, "transfer-encoding"), "nobody sees another coding");
  expect(lengths == 0 || codings == 0, "never both");
  expect(head.chunked == (codings > 0), "a coding is chunked");
  expect(head.content_length.has_value() == (lengths > 0), "a length is one");
  expect(!head.chunked || head.minor_version == 1, "no chunks in HTTP/1.0");
}

void check_accepted(std::string_view bytes, const request_head& head) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    expect(bytes[i] != '\0', "no NUL");
    if (bytes[i] == '\n') expect(i > 0 && bytes[i - 1] == '\r', "no bare LF");
    if (bytes[i] == '\r') expect(bytes[i + 1] == '\n', "no bare CR");
  }
  expect(http::is_token(head.method) && head.method.size() <= 64, "a method is a short token");
  expect(!head.target.empty() && head.target.size() <= limits.target_bytes, "a target within the limit");
  expect(head.fields.size() <= limits.fields, "fields within the limit");
  for (const auto& f : head.fields) expect(http::is_token(f.name), "a name is a token");
  check_framing(bytes, head);

  const auto again = describe(head);
  request_head second;
  const http::head_limits wide{.target_bytes = 100, .head_bytes = 1400, .fields = 12};
  expect(http::parse_head(again, wide, second) == 0 && same(head, second), "written out it says the same");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto seed = from.byte();
  const auto bytes = from.rest();
  std::size_t scanned = 0;
  const auto length = http::head_length(bytes, scanned);
  static request_head head;  // reused, as a worker does
  const auto status = length > 0 ? http::parse_head(bytes.substr(0, length), limits, head) : 0;
  if (length > 0 && status == 0) check_accepted(bytes.substr(0, length), head);

  // Grown piece by piece, as a connection does.
  std::size_t there = 0;
  scanned = 0;
  for (cutter pieces{bytes, seed == 0 ? 1 : seed}; !pieces.empty();) {
    there += pieces.next().size();
    const auto found = http::head_length(bytes.substr(0, there), scanned);
    expect(found == (length > 0 && length <= there ? length : 0), "the head ends where it ends");
    if (found > 0) break;
    const auto early = http::refuse_partial_head(bytes.substr(0, there), limits);
    if (early == 0) continue;
    const bool agrees = early == status || (early == 431 && status != 0);
    expect(length == 0 || agrees, "what is refused early is refused");
    break;
  }
}
