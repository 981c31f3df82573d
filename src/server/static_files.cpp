// One answer from one file. What the file is was found by routing.
#include "server/static_files.hpp"

#include "http/conditional.hpp"
#include "http/range.hpp"
#include "server/answers.hpp"
#include "server/exchange.hpp"
#include "server/routing.hpp"
#include "server/worker.hpp"

#include <sys/random.h>

namespace httpd::server {

namespace {

file_ptr choose_variant(const request& asked, worker& w, const route& where) {
  if (where.file->variants == 0) return where.file;
  const auto coding = http::choose_coding(asked.head, where.file->variants);
  for (const auto& stored : http::stored_codings)
    if (stored.what == coding)
      if (auto variant = w.files.get_variant(where.path, stored)) return variant;
  return where.file;
}

bool has_field(const http::response_head* head, std::string_view name) {
  if (!head) return false;
  std::string_view lines = head->fields;
  while (!lines.empty()) {
    if (iequals(lines.substr(0, lines.find(':')), name)) return true;
    lines.remove_prefix(lines.find('\n') + 1);
  }
  return false;
}

// The fields of the whole file; `ranged` leaves out Content-Type where the parts have their own.
http::response_head make_head(const cached_file& file, const http::response_head* from_script) {
  http::response_head head;
  if (from_script) {
    head = *from_script;
    head.content_length.reset();
    head.reason.clear();
    head.status = 200;
  }
  if (!has_field(from_script, "Content-Type")) head.add("Content-Type", file.content_type);
  const std::string_view rest = file.entity_fields;
  head.fields += rest.substr(rest.find('\n') + 1);
  if (!has_field(from_script, "ETag") && !has_field(from_script, "Last-Modified"))
    head.fields += file.validator_fields;
  return head;
}

std::string make_boundary() {
  unsigned char random[12];
  if (::getrandom(random, sizeof random, 0) != sizeof random) std::fill_n(random, sizeof random, 0x5a);
  std::string text = "part-";
  for (const auto byte : random) append(text, "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]);
  return text;
}

io::awaitable<error_code> send_part(exchange& to, const cached_file& file, std::uint64_t first,
                                    std::uint64_t size) {
  if (!file.in_memory) co_return co_await to.send_file(file.descriptor.get(), first, size);
  co_return to.send(
      std::string_view{file.bytes}.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(size)));
}

// RFC 9110 14.6.
io::awaitable<> send_multipart(exchange& to, const cached_file& file, http::response_head& head,
                               const std::vector<http::byte_range>& ranges) {
  const auto boundary = make_boundary();
  std::vector<std::string> heads;
  std::uint64_t length = 0;
  for (const auto& range : ranges) {
    heads.push_back(concat("\r\n--", boundary, "\r\nContent-Type: ", file.content_type, "\r\nContent-Range: ",
                           http::content_range(range, file.size), "\r\n\r\n"));
    length += heads.back().size() + range.size();
  }
  const auto end = concat("\r\n--", boundary, "--\r\n");
  head.status = 206;
  head.content_length = length + end.size();
  const auto type_end = head.fields.find('\n') + 1;
  head.fields.replace(0, type_end, concat("Content-Type: multipart/byteranges; boundary=", boundary, "\r\n"));
  to.begin(head);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (to.send(heads[i])) co_return;
    if (co_await send_part(to, file, ranges[i].first, ranges[i].size())) co_return;
  }
  if (to.send(end)) co_return;
  to.finish();
}

void answer_not_modified(exchange& to, const cached_file& file) {
  http::response_head head;
  head.status = 304;
  head.fields = file.validator_fields;
  to.answer(head, {});
}

void answer_unsatisfiable(exchange& to, std::uint64_t size) {
  auto head = error_head(416);
  head.add("Content-Range", http::content_range_unsatisfied(size));
  to.answer(head, error_page(416));
}

bool answer_precondition(exchange& to, const cached_file& file) {
  const auto& asked = to.request();
  switch (http::evaluate(asked.head, asked.is_get_or_head(), {file.etag, file.modified})) {
    case http::precondition::failed:
      answer_error(to, 412);
      return true;
    case http::precondition::not_modified:
      answer_not_modified(to, file);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool answer_static_at_once(exchange& to, worker& w, route& where) {
  const auto& asked = to.request();
  where.file = choose_variant(asked, w, where);
  const auto& file = *where.file;
  if (answer_precondition(to, file)) return true;
  if (!file.in_memory || asked.head.has("Range")) return false;
  http::response_head head;
  head.fields = concat(file.entity_fields, file.validator_fields);
  head.content_length = file.size;
  to.answer(head, file.bytes);
  return true;
}

// A script that sends a file has decided itself what the client needs: no precondition counts.
io::awaitable<> send_static(exchange& to, const route& where, const http::response_head* from_script) {
  const auto& asked = to.request();
  const file_ptr file = where.file;
  const http::validators validators{file->etag, file->modified};
  http::range_result wanted;
  const auto range_field = asked.head.find("Range");
  if (!range_field.empty() && asked.head.method == "GET" && http::if_range_allows(asked.head, validators))
    wanted = http::parse_range(range_field, file->size);
  if (wanted.what == http::range_result::kind::unsatisfiable) {
    answer_unsatisfiable(to, file->size);
    co_return;
  }
  auto head = make_head(*file, from_script);
  if (wanted.ranges.size() > 1 && !from_script) {
    co_await send_multipart(to, *file, head, wanted.ranges);
    co_return;
  }
  std::uint64_t first = 0;
  std::uint64_t size = file->size;
  if (wanted.ranges.size() == 1) {
    first = wanted.ranges[0].first;
    size = wanted.ranges[0].size();
    head.status = 206;
    head.add("Content-Range", http::content_range(wanted.ranges[0], file->size));
  }
  head.content_length = size;
  to.begin(head);
  if (co_await send_part(to, *file, first, size)) co_return;
  to.finish();
}

}  // namespace httpd::server
