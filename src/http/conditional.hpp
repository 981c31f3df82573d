// Conditional requests (RFC 9110 13): If-Match, If-None-Match, If-(Un)Modified-Since, If-Range. No I/O.
#pragma once

#include <ctime>
#include <string_view>

namespace httpd::http {

struct request_head;

struct validators {
  std::string_view etag;    // with its quotes, strong
  std::time_t last_modified = 0;
};

enum class precondition { proceed, not_modified, failed };  // 200/206, 304, 412

// The order of RFC 9110 13.2.2, for a resource that exists. Several fields of one name are one list.
// A field that does not parse: dates are ignored, entity-tag lists match nothing.
precondition evaluate(const request_head&, bool get_or_head, const validators&);

// Whether a Range may be honoured (RFC 9110 13.1.5): no If-Range, a strong tag that is equal, or the
// exact date of Last-Modified.
bool if_range_allows(const request_head&, const validators&);

}  // namespace httpd::http
