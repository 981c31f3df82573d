// A strict reader of logs and answers, with nothing of the server's parsers in it.
#include "fuzz/session_check.hpp"

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/json_check.hpp"

#include <optional>

namespace httpd::fuzz {
namespace {

std::string_view take_through(std::string_view& text, std::string_view end, const char* missing) {
  const auto at = text.find(end);
  expect(at != text.npos, missing);
  const auto taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

// Of a line with more than one.
std::string_view first_word(std::string_view line) {
  const auto end = line.find(' ');
  return end == line.npos ? std::string_view{} : line.substr(0, end);
}

logged read_json_line(std::string_view line) {
  expect(is_json(line), "a line is JSON");
  logged result;
  auto rest = line;
  const bool refused = line.find("\"method\":") == line.npos;
  take_through(rest, refused ? "\"request\":\"" : "\"method\":\"", "a line names the request");
  result.method = refused ? first_word(rest.substr(0, rest.find('"'))) : rest.substr(0, rest.find('"'));
  take_through(rest, "\"status\":", "a line has a status");
  result.status = static_cast<unsigned>(parse_u64(take_through(rest, ",", "and more")).value_or(0));
  return result;
}

// ADDRESS - - [TIME] "REQUEST" STATUS BYTES "REFERER" "USER AGENT"
logged read_combined_line(std::string_view line) {
  expect(std::count(line.begin(), line.end(), '"') == 6, "three quoted parts");
  logged result;
  take_through(line, "] \"", "a time");
  const auto request = take_through(line, "\" ", "a request");
  result.method = first_word(request);
  result.status = static_cast<unsigned>(parse_u64(take_through(line, " ", "a status")).value_or(0));
  expect(parse_u64(take_through(line, " \"", "a size")).has_value(), "the size is a number");
  return result;
}

struct answer {
  unsigned status = 0;
  std::optional<std::uint64_t> length;
  bool chunked = false, closes = false;
};

void read_field(std::string_view line, answer& to) {
  const auto colon = line.find(": ");
  expect(colon != line.npos && colon > 0, "a field has a name");
  const auto name = line.substr(0, colon), value = line.substr(colon + 2);
  expect(name.find_first_of(" \t\"(),/:;<=>?@[]{}") == name.npos, "a name is a token");
  expect(is_text(value), "a value is text");
  if (iequals(name, "content-length")) {
    expect(!to.length && parse_u64(value), "one length, and a number");
    to.length = parse_u64(value);
  }
  if (iequals(name, "transfer-encoding")) {
    expect(!to.chunked && value == "chunked", "one coding, and chunked");
    to.chunked = true;
  }
  if (iequals(name, "connection")) to.closes = to.closes || iequals(value, "close");
}

// `head` without the empty line.
answer read_head(std::string_view head) {
  answer result;
  expect(head.starts_with("HTTP/1.1 ") && head.size() >= 13 && head[12] == ' ', "a status line");
  result.status = static_cast<unsigned>(parse_u64(head.substr(9, 3)).value_or(0));
  expect(result.status >= 100 && result.status <= 599, "a status");
  const auto line_end = std::min(head.find("\r\n"), head.size());
  expect(is_text(head.substr(13, line_end - 13)), "a reason is text");
  for (auto rest = head.substr(line_end); !rest.empty();) {
    rest.remove_prefix(2);
    const auto line = rest.substr(0, rest.find("\r\n"));
    read_field(line, result);
    rest.remove_prefix(line.size());
  }
  expect(!(result.length && result.chunked), "never a length and chunks");
  return result;
}

// False when the content is cut.
bool take_chunks(std::string_view& bytes) {
  for (;;) {
    const auto line_end = bytes.find("\r\n");
    const auto digits = bytes.substr(0, line_end);
    const bool good = digits.find_first_not_of("0123456789abcdef\r") == digits.npos;
    expect(good && digits.size() <= 8, "a chunk size");
    if (line_end == bytes.npos) return false;
    const auto size = std::stoull(concat('0', digits), nullptr, 16);
    bytes.remove_prefix(line_end + 2);
    if (bytes.size() < size + 2) return false;
    expect(bytes.substr(size, 2) == "\r\n", "a chunk ends");
    bytes.remove_prefix(size + 2);
    if (size == 0) return true;
  }
}

bool take_content(std::string_view& bytes, const answer& of, bool is_head) {
  if (is_head || of.status < 200 || of.status == 204 || of.status == 304) return true;
  if (of.chunked) return take_chunks(bytes);
  if (!of.length) {
    expect(of.closes, "an answer without a length ends with the connection");
    bytes = {};
    return true;
  }
  const bool whole = bytes.size() >= *of.length;
  bytes.remove_prefix(whole ? static_cast<std::size_t>(*of.length) : bytes.size());
  return whole;
}

}  // namespace

std::vector<logged> check_log(std::string_view text, bool json) {
  std::vector<logged> lines;
  while (!text.empty()) {
    const auto line = take_through(text, "\n", "a line ends");
    for (const char c : line)
      expect(!is_control(c) && (json || c > 0), "no control byte in a line");
    lines.push_back(json ? read_json_line(line) : read_combined_line(line));
  }
  return lines;
}

void check_answers(std::string_view received, const std::vector<logged>& requests) {
  std::size_t count = 0;
  while (!received.empty()) {
    const auto head_end = received.find("\r\n\r\n");
    if (head_end == received.npos) return;  // cut; that it begins as an answer is not worth a check
    const auto head = read_head(received.substr(0, head_end));
    received.remove_prefix(head_end + 4);
    if (head.status < 200) {
      expect(head.status == 100, "the only interim answer is 100");
      continue;
    }
    expect(count < requests.size(), "no more answers than requests");
    expect(head.status == requests[count].status, "the log says what was sent");
    const bool whole = take_content(received, head, requests[count].method == "HEAD");
    expect(whole || received.empty() || head.chunked, "only the last answer is cut");
    if (!whole) return;
    expect(!head.closes || received.empty(), "nothing follows an answer that closes");
    ++count;
  }
}

}  // namespace httpd::fuzz
