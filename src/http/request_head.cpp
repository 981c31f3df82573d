// The parser of request heads. On the path of every request: tables, words of eight bytes, no copies.
#include "http/request_head.hpp"

#include "base/address.hpp"
#include "base/text.hpp"
#include "http/bytes.hpp"

#include <algorithm>
#include <cstring>

namespace httpd::http {
namespace {

constexpr std::size_t longest_method = 64;
constexpr unsigned most_empty_lines = 8;  // before the request line

constexpr byte_set host_bytes = letters_digits_and("-._~!$&'()*+,;=");

const char* skip_token(const char* p, const char* end) noexcept {
  while (p != end && is_in(token_bytes, *p)) ++p;
  return p;
}

// The end of a field value: its CR, or whatever byte may not be there. Tabs are part of a value.
const char* find_value_end(const char* p, const char* end) noexcept {
  while (true) {
    p = find_below<0x20>(p, end);
    if (p == end || *p != '\t') return p;
    ++p;
  }
}

std::string_view between(const char* first, const char* last) noexcept {
  return {first, static_cast<std::size_t>(last - first)};
}

bool at_crlf(const char* p, const char* end) noexcept { return end - p >= 2 && p[0] == '\r' && p[1] == '\n'; }

const char* skip_empty_lines(const char* p, const char* end) noexcept {
  for (unsigned skipped = 0; skipped < most_empty_lines && at_crlf(p, end); ++skipped) p += 2;
  return p;
}

// Whether the line that the LF at `lf` ends is empty.
bool ends_empty_line(std::string_view data, std::size_t lf) noexcept {
  if (lf > 0 && data[lf - 1] == '\r') --lf;
  return lf == 0 || data[lf - 1] == '\n';
}

// Whether the empty line that the LF at `lf` ends comes before the request line. Looks one line back:
// an empty line there would have been the end of the head, had the request line come before it.
bool is_leading(std::string_view data, std::size_t lf) noexcept {
  if (lf > 0 && data[lf - 1] == '\r') --lf;
  return lf == 0 || ends_empty_line(data, lf - 1);
}

// "HTTP/1.1" after the target. Returns 0 or a status.
unsigned parse_version(std::string_view text, request_head& head) noexcept {
  if (text.size() != 8 || !text.starts_with("HTTP/") || !is_digit(text[5]) || text[6] != '.' ||
      !is_digit(text[7]))
    return 400;
  if (text[5] != '1') return 505;
  head.minor_version = text[7] == '0' ? 0 : 1;
  return 0;
}

// Moves `p` behind the request line. Returns 0 or a status.
unsigned parse_request_line(const char*& p, const char* end, const head_limits& limits,
                            request_head& head) noexcept {
  const char* const method_end = skip_token(p, end);
  head.method = between(p, method_end);
  if (head.method.size() > longest_method) return 501;
  if (head.method.empty() || method_end == end || *method_end != ' ') return 400;

  const char* const target = method_end + 1;
  const char* const target_end = find_below<0x21>(target, end);
  head.target = between(target, target_end);
  if (head.target.size() > limits.target_bytes) return 414;
  if (head.target.empty() || target_end == end || *target_end != ' ') return 400;

  const char* const version = target_end + 1;
  const char* const version_end = find_below<0x20>(version, end);
  if (!at_crlf(version_end, end)) return 400;
  p = version_end + 2;
  return parse_version(between(version, version_end), head);
}

// The same for a line whose end has not come: only what no further bytes could mend.
unsigned refuse_partial_request_line(std::string_view line, const head_limits& limits) noexcept {
  const char* const end = line.data() + line.size();
  const std::string_view beginning = line.substr(0, longest_method + 1);
  const char* const method_end = skip_token(line.data(), line.data() + beginning.size());
  const auto method_size = static_cast<std::size_t>(method_end - line.data());
  if (method_size > longest_method) return 501;
  if (method_end == end || line == "\r") return 0;
  if (method_size == 0 || *method_end != ' ') return 400;
  // Searched only when it can be too long, so that a head in many pieces stays cheap.
  if (line.size() - method_size - 1 <= limits.target_bytes) return 0;
  const char* const target = method_end + 1;
  const auto target_size = static_cast<std::size_t>(find_below<0x21>(target, end) - target);
  return target_size > limits.target_bytes ? 414 : 0;
}

// Calls `use(element)` for each element, the empty ones too, until it returns false; true = all were.
template <class Use>
bool each_element(std::string_view list, Use&& use) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (!use(trim(list.substr(0, comma)))) return false;
    if (comma == list.npos) return true;
    list.remove_prefix(comma + 1);
  }
}

// What the fields that frame the message and rule the connection said.
class framing {
public:
  explicit framing(request_head& head) noexcept : head_{head} {}

  // False for what must be answered with 400.
  bool read(const field& f) noexcept {
    switch (f.name.size()) {
      case 4: return !iequals(f.name, "host") || read_host(f.value);
      case 6: return !iequals(f.name, "expect") || read_expect(f.value);
      case 10: return !iequals(f.name, "connection") || read_connection(f.value);
      case 14: return !iequals(f.name, "content-length") || read_length(f.value);
      case 17: return !iequals(f.name, "transfer-encoding") || read_coding(f.value);
      default: return true;
    }
  }

  // 0 or a status, once every field was read.
  unsigned finish() noexcept {
    if (!host_seen_ && head_.minor_version > 0) return 400;
    if (coding_seen_ && (head_.minor_version == 0 || head_.content_length)) return 400;
    if (unknown_coding_) return 501;
    if (unknown_expectation_) return 417;
    head_.keep_alive = !close_ && (head_.minor_version > 0 || keep_alive_);
    if (head_.minor_version == 0) head_.expect_continue = false;  // RFC 9110 10.1.1
    return 0;
  }

private:
  bool read_host(std::string_view value) noexcept {
    if (host_seen_ || !is_valid_host(value)) return false;
    host_seen_ = true;
    head_.host = value;
    return true;
  }

  bool read_expect(std::string_view value) noexcept {
    return each_element(value, [this](std::string_view element) {
      if (iequals(element, "100-continue")) head_.expect_continue = true;
      else if (!element.empty()) unknown_expectation_ = true;
      return true;
    });
  }

  bool read_connection(std::string_view value) noexcept {
    return each_element(value, [this](std::string_view element) {
      close_ |= iequals(element, "close");
      keep_alive_ |= iequals(element, "keep-alive");
      return true;
    });
  }

  bool read_length(std::string_view value) noexcept {
    return each_element(value, [this](std::string_view element) {
      const auto length = parse_u64(element);
      if (!length || (head_.content_length && *head_.content_length != *length)) return false;
      head_.content_length = length;
      return true;
    });
  }

  bool read_coding(std::string_view value) noexcept {
    coding_seen_ = true;
    return each_element(value, [this](std::string_view element) {
      if (head_.chunked) return false;  // nothing may follow it
      const std::string_view name = trim(element.substr(0, element.find(';')));
      if (!is_token(name)) return false;
      if (!iequals(name, "chunked")) unknown_coding_ = true;
      else if (name.size() != element.size()) return false;  // it has no parameters
      else head_.chunked = true;
      return true;
    });
  }

  request_head& head_;
  bool host_seen_ = false;
  bool coding_seen_ = false;
  bool unknown_coding_ = false;
  bool unknown_expectation_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
};

// Moves `p` behind one field line. False for a malformed one; a folded line has no name.
bool parse_field(const char*& p, const char* end, field& out) noexcept {
  const char* const name_end = skip_token(p, end);
  if (name_end == p || name_end == end || *name_end != ':') return false;
  const char* const value_end = find_value_end(name_end + 1, end);
  if (!at_crlf(value_end, end)) return false;
  out.name = between(p, name_end);
  out.value = trim(between(name_end + 1, value_end));
  p = value_end + 2;
  return true;
}

void reset(request_head& head) noexcept {
  head.method = head.target = head.host = {};
  head.minor_version = 1;
  head.fields.clear();
  head.content_length.reset();
  head.chunked = head.expect_continue = false;
  head.keep_alive = true;
}

}  // namespace

std::string_view request_head::find(std::string_view name) const noexcept {
  for (const field& f : fields)
    if (iequals(f.name, name)) return f.value;
  return {};
}

bool request_head::has(std::string_view name) const noexcept {
  return std::any_of(fields.begin(), fields.end(),
                     [name](const field& f) { return iequals(f.name, name); });
}

std::size_t head_length(std::string_view data, std::size_t& scanned) noexcept {
  while (scanned < data.size()) {
    const void* const found = std::memchr(data.data() + scanned, '\n', data.size() - scanned);
    if (found == nullptr) break;
    const auto lf = static_cast<std::size_t>(static_cast<const char*>(found) - data.data());
    scanned = lf + 1;
    if (ends_empty_line(data, lf) && !is_leading(data, lf)) return scanned;
  }
  scanned = data.size();
  return 0;
}

unsigned refuse_partial_head(std::string_view data, const head_limits& limits) noexcept {
  const char* const end = data.data() + data.size();
  const char* line = skip_empty_lines(data.data(), end);
  const auto rest = static_cast<std::size_t>(end - line);
  unsigned status = 0;
  if (rest > 0 && std::memchr(line, '\n', rest) != nullptr) {
    request_head head;
    status = parse_request_line(line, end, limits, head);
  } else {
    status = refuse_partial_request_line({line, rest}, limits);
  }
  if (status == 0 && data.size() >= limits.head_bytes) return 431;
  return status;
}

bool begins_with_head_method(std::string_view data) noexcept {
  data.remove_prefix(std::min(data.find_first_not_of("\r\n"), data.size()));
  return data.starts_with("HEAD ");
}

unsigned parse_head(std::string_view bytes, const head_limits& limits, request_head& head) {
  reset(head);
  const char* const end = bytes.data() + bytes.size();
  const char* p = skip_empty_lines(bytes.data(), end);
  if (const unsigned status = parse_request_line(p, end, limits, head)) return status;
  if (bytes.size() > limits.head_bytes) return 431;

  framing framing{head};
  while (!at_crlf(p, end)) {
    field f;
    if (!parse_field(p, end, f)) return 400;
    if (head.fields.size() == limits.fields) return 431;
    head.fields.push_back(f);
    if (!framing.read(f)) return 400;
  }
  if (p + 2 != end) return 400;
  return framing.finish();
}

bool is_token(std::string_view text) noexcept { return !text.empty() && all_in(token_bytes, text); }

bool is_valid_host(std::string_view text) noexcept {
  if (text.empty()) return true;
  std::size_t host_end = text.find(':');
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == text.npos || !ip_address::parse(text.substr(0, close + 1))) return false;
    host_end = close + 1 == text.size() ? text.npos : close + 1;
  } else if (host_end == 0 || !all_in(host_bytes, text.substr(0, host_end))) {
    return false;
  }
  if (host_end == text.npos) return true;
  const std::string_view port = text.substr(host_end + 1);
  return text[host_end] == ':' && (port.empty() || parse_u64(port).value_or(65536) <= 65535);
}

}  // namespace httpd::http
