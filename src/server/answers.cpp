// Error pages: small, the same for every status, nothing from the request in them.
#include "server/answers.hpp"

#include "http/status.hpp"
#include "server/exchange.hpp"

namespace httpd::server {

std::string error_page(unsigned status) {
  if (http::forbids_content(status)) return {};
  const auto title = concat(status, ' ', http::reason_phrase(status));
  return concat("<!DOCTYPE html>\n<title>", title, "</title>\n<h1>", title, "</h1>\n");
}

http::response_head error_head(unsigned status, std::string_view allow) {
  http::response_head head;
  head.status = status;
  head.content_length = error_page(status).size();
  head.add("Content-Type", "text/html; charset=utf-8");
  if (!allow.empty()) head.add("Allow", allow);
  if (status == 503) head.add("Retry-After", "1");
  return head;
}

void append_refusal(std::string& out, unsigned status, std::string_view date_and_server, bool with_content) {
  const auto head = error_head(status);
  http::write_status_line(out, status, {});
  append(out, date_and_server, head.fields, "Content-Length: ", head.content_length.value_or(0),
         "\r\nConnection: close\r\n\r\n", with_content ? error_page(status) : "");
}

void answer_error(exchange& to, unsigned status, std::string_view allow) {
  to.answer(error_head(status, allow), error_page(status));
}

}  // namespace httpd::server
