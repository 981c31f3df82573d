// FastCGI records as an application sends them: every cut says the same as a plain reading of the whole.
#include "fuzz/fuzz.hpp"

#include "fastcgi/response.hpp"

using namespace httpd;
using namespace httpd::fuzz;
using fastcgi::response_parser;

namespace {

struct outcome {
  response_parser::event end = response_parser::event::more;
  std::string out, err;
  std::size_t consumed = 0;  // when it has ended
  std::uint32_t app_status = 0;
  bool operator==(const outcome&) const = default;
};

// The reading of FastCGI 1.0 3.3 with the whole at hand. A stream's bytes count as they come, everything else
// when its record is complete.
outcome read_whole(std::string_view bytes) {
  using event = response_parser::event;
  outcome result;
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[at + i])}; };
  while (bytes.size() - at >= 8) {
    const auto type = byte(1), id = byte(2) << 8 | byte(3), size = byte(4) << 8 | byte(5), padding = byte(6);
    const bool is_answer = type == 6 || type == 7 || type == 3;
    if (byte(0) != 1 || id != (is_answer ? 1u : 0u) || (type == 3 && size < 8)) {
      result.end = event::bad;
      return result;
    }
    const auto content = bytes.substr(at + 8, size);
    if (type == 6) result.out += content;
    if (type == 7) result.err += content;
    if (bytes.size() - at < 8 + size + padding) return result;
    if (type == 3) {
      for (std::size_t i = 0; i < 4; ++i) result.app_status = result.app_status << 8 | byte(8 + i) % 256;
      result.end = byte(12) == 0 ? event::end : event::bad;
      if (result.end == event::end) result.consumed = at + 8 + size + padding;
      else result.app_status = 0;
      return result;
    }
    at += 8 + size + padding;
  }
  return result;
}

outcome read_pieces(std::string_view bytes, unsigned seed) {
  using event = response_parser::event;
  outcome result;
  response_parser parser;
  std::size_t used = 0;
  for (cutter pieces{bytes, seed}; !pieces.empty();) {
    auto piece = pieces.next();
    while (true) {
      const auto step = parser.next(piece);
      expect(step.consumed <= piece.size(), "no more is used up than there is");
      if (step.what == event::out || step.what == event::err) {
        expect(!step.data.empty(), "a part of a stream is never empty");
        expect(step.data.data() >= piece.data() &&
                   step.data.data() + step.data.size() == piece.data() + step.consumed,
               "a part is a view into the input, at the end of what is used up");
        (step.what == event::out ? result.out : result.err) += step.data;
      }
      used += step.consumed;
      piece.remove_prefix(step.consumed);
      if (step.what == event::more) {
        expect(piece.empty(), "more means that the input is used up");
        break;
      }
      if (step.what != event::end && step.what != event::bad) continue;
      result.end = step.what;
      if (step.what == event::end) {
        result.consumed = used;
        result.app_status = parser.app_status();
      }
      expect(parser.next("\1\6\0\1\0\1\0\0x").what == step.what, "what has ended stays so");
      return result;
    }
  }
  return result;
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto seed = from.byte();
  const auto bytes = from.rest();
  const auto whole = read_whole(bytes);
  expect(read_pieces(bytes, 0) == whole, "the parser reads what the reference reads");
  expect(read_pieces(bytes, seed) == whole, "cuts change nothing");
  if (bytes.size() <= 256) expect(read_pieces(bytes, 1) == whole, "single bytes change nothing");
}
