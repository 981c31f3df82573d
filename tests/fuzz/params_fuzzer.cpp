// The PARAMS stream written and read back by a reader that, as php-fpm's, knows no pair in two records.
#include "fuzz/fuzz.hpp"

#include "base/text.hpp"
#include "fastcgi/params.hpp"
#include "fastcgi/record.hpp"

#include <utility>
#include <vector>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

std::size_t byte_at(std::string_view text, std::size_t i) {
  expect(i < text.size(), "nothing is cut off");
  return static_cast<unsigned char>(text[i]);
}

std::size_t take_length(std::string_view& from) {
  std::size_t length = byte_at(from, 0);
  std::size_t bytes = 1;
  if (length >= 128) {
    length = (length & 127) << 24 | byte_at(from, 1) << 16 | byte_at(from, 2) << 8 | byte_at(from, 3);
    bytes = 4;
    expect(length >= 128, "a short length takes one byte");
  }
  from.remove_prefix(bytes);
  return length;
}

// Takes records of one type up to the empty one that ends the stream.
template <class Use>
void take_stream(std::string_view& bytes, unsigned type, Use use) {
  for (;;) {
    expect(byte_at(bytes, 0) == 1 && byte_at(bytes, 1) == type, "version 1 and the right type");
    expect(byte_at(bytes, 2) == 0 && byte_at(bytes, 3) == 1, "request 1");
    const auto size = byte_at(bytes, 4) << 8 | byte_at(bytes, 5);
    expect(byte_at(bytes, 6) == 0 && byte_at(bytes, 7) == 0, "no padding");
    expect(bytes.size() >= 8 + size, "the record is whole");
    const auto content = bytes.substr(8, size);
    bytes.remove_prefix(8 + size);
    if (content.empty()) return;
    use(content);
  }
}

pairs read_back(std::string_view& bytes) {
  pairs result;
  take_stream(bytes, 4, [&](std::string_view content) {
    while (!content.empty()) {
      const auto name_bytes = take_length(content);
      const auto value_bytes = take_length(content);
      expect(name_bytes + value_bytes <= content.size(), "no pair straddles two records");
      result.emplace_back(content.substr(0, name_bytes), content.substr(name_bytes, value_bytes));
      content.remove_prefix(name_bytes + value_bytes);
    }
  });
  return result;
}

// Long ones are repetitions, so that a small input reaches the limits of a record.
std::string_view take_text(reader& from, std::string& storage) {
  const auto kind = from.byte();
  if (kind < 250) return from.text(kind % 32);
  const auto size = from.number(2);
  storage.assign(size, static_cast<char>(from.byte()));
  return storage;
}

std::string cgi_name(std::string_view field) {
  std::string name = "HTTP_";
  for (const char c : field) name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return name;
}

}  // namespace

FUZZ(input) {
  reader from{input};
  std::string out = "before";
  fastcgi::params_writer writer{out};
  pairs expected;
  std::string storage[3];
  for (unsigned count = 0; !from.empty() && count < 16; ++count) {
    const auto how = from.byte() % 3;
    const auto name = take_text(from, storage[0]);
    const auto first = take_text(from, storage[1]);
    const auto second = how == 1 ? take_text(from, storage[2]) : std::string_view{};
    const bool added = how == 0   ? writer.add(name, first)
                       : how == 1 ? writer.add(name, first, second)
                                  : writer.add_header(name, first);
    const auto stored = how == 2 ? cgi_name(name) : std::string{name};
    const auto value_bytes = first.size() + second.size();
    const auto pair_bytes = stored.size() + value_bytes + (stored.size() < 128 ? 1 : 4) +
                            (value_bytes < 128 ? 1 : 4);
    expect(added == (pair_bytes <= fastcgi::max_content_bytes), "refused only when it fits no record");
    if (added) expected.emplace_back(stored, concat(first, second));
  }
  writer.finish();
  const auto body = from.rest();
  fastcgi::append_stdin(out, body);
  fastcgi::append_header(out, fastcgi::record_type::stdin_, 0);

  expect(out.starts_with("before"), "what was there stays");
  std::string_view bytes = std::string_view{out}.substr(6);
  expect(read_back(bytes) == expected, "every pair is read back");
  std::string read_body;
  take_stream(bytes, 5, [&](std::string_view content) { read_body += content; });
  expect(read_body == body && bytes.empty(), "the body is read back, and nothing follows");
}
