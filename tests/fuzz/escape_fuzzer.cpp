// Escaping for the logs: nothing that leaves could end a line, close a string or reach a terminal, and
// nothing is lost.
#include "fuzz/captured_lines.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/json_check.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

#include <optional>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

std::string unescape(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    expect(text.size() - i >= 4 && text[i + 1] == 'x', "an escape is \\xHH");
    out += static_cast<char>(digits.find(text[i + 2]) * 16 + digits.find(text[i + 3]));
    i += 3;
  }
  return out;
}

void check_json(std::string_view text) {
  std::string json = "\"";
  append_json(json, text);
  json += '"';
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    expect(byte >= 0x20 && byte != 0x7f, "no control byte");
    if (byte == 0xc2) expect(static_cast<unsigned char>(json[i + 1]) >= 0xa0, "no C1 control");
  }
  std::string_view rest = json;
  std::string decoded;
  expect(take_json_string(rest, decoded) && rest.empty(), "it is one JSON string");
  if (is_utf8(text)) expect(decoded == text, "UTF-8 says the same");
  else expect(decoded.find("\xef\xbf\xbd") != decoded.npos, "what is not UTF-8 is marked");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const bool logs = from.byte() == 1;
  const auto text = from.rest();
  const auto line = escaped(text);
  for (const char c : line) expect(c >= 0x20 && c <= 0x7e && c != '"', "printable ASCII without a quote");
  expect(unescape(line) == text, "nothing is lost");
  check_json(text);
  if (!logs) return;
  const auto before = captured_lines();
  log::error("client said: ", line);
  expect(captured_lines() == before + 1, "one message is one line");
}
