// The head of a CGI answer: the same at every cut, and nothing in it that could end a line of ours.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "fastcgi/cgi_head.hpp"

#include <optional>

using namespace httpd;
using namespace httpd::fuzz;
using fastcgi::cgi_head;

namespace {

constexpr std::size_t limit = 512;

// The bytes of the head, its empty line included; 0 = not there yet. Line by line.
std::size_t find_end(std::string_view bytes) {
  for (std::size_t start = 0;;) {
    const auto lf = bytes.find('\n', start);
    if (lf == bytes.npos) return 0;
    const auto line = bytes.substr(start, lf - start);
    if (line.empty() || line == "\r") return lf + 1;
    start = lf + 1;
  }
}

std::string describe(const cgi_head& head) {
  std::string text = concat(head.code(), ' ', head.reason(), '\n');
  if (head.content_length()) append(text, "length ", *head.content_length(), '\n');
  for (const auto& f : head.fields()) append(text, f.name, ": ", f.value, '\n');
  return text;
}

void check_fields(const cgi_head& head) {
  expect(head.code() >= 200 && head.code() <= 599, "the status is a final one");
  expect(is_text(head.reason()), "no control byte in the reason");
  for (const auto& f : head.fields()) {
    expect(!f.name.empty() && f.name.find_first_of(" \t:\r\n") == f.name.npos, "a name is a token");
    expect(is_text(f.value) && trim(f.value) == f.value, "a value is a trimmed text");
    for (const auto* own : {"status", "content-length", "connection", "keep-alive", "proxy-connection",
                            "transfer-encoding", "upgrade", "te", "trailer"})
      expect(!iequals(f.name, own), "framing and connection are the server's own");
    expect(head.find(f.name).data() != nullptr, "a field that is there is found");
  }
}

std::string feed(std::string_view bytes, unsigned seed) {
  cgi_head head{limit};
  std::size_t used = 0;
  for (cutter pieces{bytes, seed}; !pieces.empty();) {
    const auto piece = pieces.next();
    std::size_t consumed = 0;
    const auto status = head.feed(piece, consumed);
    expect(consumed <= piece.size(), "no more is used up than there is");
    used += consumed;
    if (status == cgi_head::status::more) {
      expect(consumed == piece.size(), "what is not whole is used up");
      continue;
    }
    if (status == cgi_head::status::too_large) return "too large";
    expect(used == find_end(bytes), "the head ends at its empty line");
    if (status == cgi_head::status::bad) return "bad";
    check_fields(head);
    return describe(head);
  }
  return "more";
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto seed = from.byte();
  const auto bytes = from.rest();
  const auto whole = feed(bytes, 0);
  const auto end = find_end(bytes);
  const std::size_t head_bytes = end > 0 ? end : bytes.size();
  expect((whole == "too large") == (head_bytes > limit), "the limit is of the head alone");
  if (whole != "too large") expect((whole == "more") == (end == 0), "a head is read when it is there");
  expect(feed(bytes, seed) == whole, "cuts change nothing");
  if (bytes.size() <= 128) expect(feed(bytes, 1) == whole, "single bytes change nothing");
}
