// What PHP sends, through records and CGI head to an answer: begun once, its content in order, the same at
// every cut, and every message of the script one line of the log.
#include "fuzz/captured_lines.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/scripted_php.hpp"

#include "server/exchange.hpp"
#include "server/php_answer.hpp"

#include <optional>

using namespace httpd;
using namespace httpd::fuzz;
using server::php_answer;

namespace {

// Keeps what the answer is made of.
class recorder final : public server::exchange {
public:
  explicit recorder(server::request& asked) { request_ = &asked; }

  server::awaitable<server::body_part> read_body() override { co_return server::body_part{}; }
  void begin(const http::response_head& given) override {
    expect(!head, "an answer is begun once");
    head = given;
  }
  bool begun() const noexcept override { return head.has_value(); }
  server::error_code send(std::string_view part) override {
    expect(head.has_value(), "content comes after the head");
    content += part;
    return {};
  }
  server::awaitable<server::error_code> send_file(int, std::uint64_t, std::uint64_t) override {
    co_return server::error_code{};
  }
  server::error_code finish() override { return {}; }
  std::uint64_t excess() const noexcept override { return 0; }
  std::uint64_t missing() const noexcept override { return 0; }
  server::awaitable<server::error_code> flush() override { co_return server::error_code{}; }
  bool has_all() override { return true; }
  server::awaitable<server::error_code> wait_for(io::stream&) override { co_return server::error_code{}; }
  bool has_room() override { return true; }
  server::awaitable<server::error_code> wait_for_room() override { co_return server::error_code{}; }
  bool client_left() noexcept override { return false; }
  void abort() noexcept override {}

  std::optional<http::response_head> head;
  std::string content;
};

struct outcome {
  php_answer::status end = php_answer::status::more;
  std::optional<http::response_head> head;
  std::string content, file, reason;
  std::size_t lines = 0;
};

void check_head(const http::response_head& head) {
  expect(head.status >= 200 && head.status <= 599, "the status is a final one");
  expect(head.reason.find_first_of("\r\n") == head.reason.npos, "a reason is one line");
  for (std::string_view rest = head.fields; !rest.empty();) {
    const auto end = rest.find("\r\n");
    expect(end != rest.npos, "every field ends");
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    const auto colon = line.find(": ");
    expect(colon != line.npos && colon > 0, "a field has a name and a value");
    expect(line.find_first_of(std::string_view{"\r\n\0", 3}) == line.npos, "a field is one line");
    for (const auto* name : {"content-length", "transfer-encoding", "connection", "x-sendfile"})
      expect(!iequals(line.substr(0, colon), name), "framing is not the script's");
  }
}

outcome answer(server::request& asked, std::string_view bytes, unsigned seed) {
  recorder to{asked};
  php_answer parser{to, 256 * 1024};
  outcome result;
  const auto before = captured_lines();
  for (cutter pieces{bytes, seed}; !pieces.empty() && result.end == php_answer::status::more;)
    result.end = parser.feed(pieces.next());
  if (result.end == php_answer::status::more) parser.connection_ended();
  result.head = to.head;
  result.content = to.content;
  result.file = concat(parser.accel_redirect(), '\n', parser.sendfile());
  result.reason = parser.reason();
  result.lines = captured_lines() - before;
  if (to.head) check_head(*to.head);
  if (parser.needs_file()) expect(!to.head, "a file is sent instead of the content");
  expect((result.end == php_answer::status::bad) == !parser.reason().empty(), "what is bad has a reason");
  return result;
}

// A failure may show before or after the head and a part of the content have left.
void compare(const outcome& whole, const outcome& cut, bool is_head) {
  expect(whole.end == cut.end && whole.reason == cut.reason, "cuts change no verdict");
  expect(whole.lines == cut.lines, "cuts change no message");
  expect(whole.file == cut.file, "cuts change no file");
  const bool bad = whole.end == php_answer::status::bad;
  expect(bad ? cut.content.starts_with(whole.content) : cut.content == whole.content, "nor the content");
  if (!bad) expect(whole.head.has_value() == cut.head.has_value(), "cuts change no head");
  if (!whole.head || !cut.head) return;
  expect(whole.head->status == cut.head->status && whole.head->reason == cut.head->reason, "nor the status");
  expect(whole.head->fields == cut.head->fields, "nor the fields");
  if (whole.head->content_length != cut.head->content_length)
    expect(!is_head && !cut.head->content_length && whole.head->content_length == whole.content.size(),
           "a length that is added is the content's");
}

// '+' makes records of the rest, so that the head of a CGI answer is found sooner.
std::string_view records_of(std::string_view bytes, std::string& storage) {
  if (!bytes.starts_with('+')) return bytes;
  storage.clear();
  append_records(storage, bytes.substr(1), 41);
  return storage;
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto seed = from.byte();
  static std::string storage;
  static server::request asked;
  const bool is_head = from.byte() == 'H';
  asked.head.method = is_head ? "HEAD" : "GET";
  asked.head.target = "/";
  const auto bytes = records_of(from.rest(), storage);
  const auto whole = answer(asked, bytes, 0);
  compare(whole, answer(asked, bytes, seed), is_head);
  if (bytes.size() <= 128) compare(whole, answer(asked, bytes, 1), is_head);
}
