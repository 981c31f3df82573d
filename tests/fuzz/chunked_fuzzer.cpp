// The chunked coding: the same at every cut, against a decoder that has the whole body at hand.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "http/chunked.hpp"

using namespace httpd;
using namespace httpd::fuzz;
using http::chunked_decoder;

namespace {

struct outcome {
  chunked_decoder::status end = chunked_decoder::status::more;
  std::string body;
  std::size_t consumed = 0;  // when it is done
  bool operator==(const outcome&) const = default;
};

bool is_token_byte(char c) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  const char lower = to_lower(c);
  return is_digit(c) || (lower >= 'a' && lower <= 'z') || others.find(c) != others.npos;
}

bool is_token_start(std::string_view text) { return std::all_of(text.begin(), text.end(), is_token_byte); }

// Takes a line with its CRLF. Without one, what is there: `whole` is false.
std::string_view take_line(std::string_view bytes, std::size_t& at, bool& whole) {
  const auto cr = bytes.find('\r', at);
  const auto line = bytes.substr(at, cr == bytes.npos ? cr : cr - at);
  whole = cr != bytes.npos && bytes.substr(cr, 2) == "\r\n";
  at += line.size() + (whole ? 2 : 0);
  return line;
}

bool broken_end(std::string_view bytes, std::size_t at) {
  const auto rest = bytes.substr(at, 2);
  return !std::string_view{"\r\n"}.starts_with(rest);
}

std::string_view take_while(std::string_view& text, bool (*wanted)(char)) {
  const auto end = std::find_if_not(text.begin(), text.end(), wanted);
  const auto taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

bool take_blanks(std::string_view& text) {
  return !take_while(text, [](char c) { return c == ' ' || c == '\t'; }).empty();
}

enum class value { good, bad, cut };

// A quoted string, from its quote on.
value take_quoted(std::string_view& text) {
  for (text.remove_prefix(1); !text.empty(); text.remove_prefix(1)) {
    if (text.front() == '"') return text.remove_prefix(1), value::good;
    if (text.front() == '\\') text.remove_prefix(1);
    if (text.empty()) break;
    if (!is_text(text.substr(0, 1))) return value::bad;
  }
  return value::cut;
}

// *( ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] BWS ), without white space at the end of the line
// (RFC 9112 7.1.1). A part of one may still become one.
bool good_extensions(std::string_view text, bool ended) {
  while (!text.empty()) {
    if (text.front() != ';') return false;
    text.remove_prefix(1);
    take_blanks(text);
    if (text.empty()) return !ended;
    if (take_while(text, is_token_byte).empty()) return false;
    if (take_blanks(text) && text.empty()) return !ended;
    if (!text.starts_with('=')) continue;
    text.remove_prefix(1);
    take_blanks(text);
    if (text.empty()) return !ended;
    if (text.front() == '"') {
      const auto quoted = take_quoted(text);
      if (quoted != value::good) return quoted == value::cut && !ended;
    } else if (take_while(text, is_token_byte).empty()) {
      return false;
    }
    if (take_blanks(text) && text.empty()) return !ended;
  }
  return true;
}

// Size line: hex digits, at most 16, and extensions.
bool good_size_line(std::string_view line, bool ended, std::uint64_t& size) {
  const auto end = std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  if (end > 16 || (end == 0 && (ended || !line.empty()))) return false;
  size = end == 0 ? 0 : std::stoull(std::string{line.substr(0, end)}, nullptr, 16);
  return good_extensions(line.substr(end), ended);
}

bool good_trailer(std::string_view line, bool ended) {
  const auto colon = line.find(':');
  if (colon == 0 || (ended && colon == line.npos)) return false;
  return is_token_start(line.substr(0, colon)) && (colon == line.npos || is_text(line.substr(colon)));
}

// Fuzzing keeps inputs below the 16 KiB that extensions and trailers may have.
outcome read_whole(std::string_view bytes) {
  using status = chunked_decoder::status;
  outcome result;
  std::size_t at = 0;
  for (bool trailers = false;;) {
    bool whole = false;
    std::uint64_t size = 0;
    const auto line = take_line(bytes, at, whole);
    const bool last = trailers && line.empty();
    const bool ended = whole || at < bytes.size();  // its CR is there
    const bool good = trailers ? last || good_trailer(line, ended) : good_size_line(line, ended, size);
    if (!good || (!whole && broken_end(bytes, at))) {
      result.end = status::bad;
      return result;
    }
    if (!whole) return result;
    if (last) {
      result.end = status::done;
      result.consumed = at;
      return result;
    }
    if (trailers || size == 0) {
      trailers = true;
      continue;
    }
    const auto data = bytes.substr(at, size);
    result.body += data;
    at += data.size();
    if (data.size() < size) return result;
    if (broken_end(bytes, at)) result.end = status::bad;
    if (bytes.substr(at, 2) != "\r\n") return result;
    at += 2;
  }
}

outcome read_pieces(std::string_view bytes, unsigned seed) {
  using status = chunked_decoder::status;
  outcome result;
  chunked_decoder decoder;
  std::size_t used = 0;
  for (cutter pieces{bytes, seed}; !pieces.empty();) {
    auto piece = pieces.next();
    while (true) {
      const auto step = decoder.next(piece);
      expect(step.consumed <= piece.size(), "no more is used up than there is");
      used += step.consumed;
      piece.remove_prefix(step.consumed);
      if (step.what == status::data) {
        expect(!step.data.empty() && step.data.data() + step.data.size() == piece.data(),
               "data is a view into the input");
        result.body += step.data;
        continue;
      }
      expect(step.data.empty(), "only data has data");
      if (step.what == status::more) {
        expect(piece.empty(), "more means that the input is used up");
        break;
      }
      result.end = step.what;
      if (step.what == status::done) result.consumed = used;
      expect(decoder.next("1\r\nx\r\n").what == step.what, "what has ended stays so");
      return result;
    }
  }
  return result;
}

// What the writer frames is read back.
void check_writer(std::string_view body, unsigned seed) {
  std::string coded;
  for (cutter pieces{body, seed}; !pieces.empty();) {
    const auto piece = pieces.next();
    coded += http::chunk_header{piece.size()}.text();
    coded += piece;
    coded += http::chunk_end;
  }
  coded += http::last_chunk;
  const auto read = read_pieces(coded, seed);
  expect(read.end == chunked_decoder::status::done && read.body == body && read.consumed == coded.size(),
         "what is written is read back");
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto seed = from.byte();
  const auto bytes = from.rest();
  if (bytes.size() > 8192) return;
  const auto whole = read_whole(bytes);
  expect(read_pieces(bytes, 0) == whole, "the decoder reads what the reference reads");
  expect(read_pieces(bytes, seed) == whole, "cuts change nothing");
  if (bytes.size() <= 256) expect(read_pieces(bytes, 1) == whole, "single bytes change nothing");
  check_writer(bytes, seed);
}
