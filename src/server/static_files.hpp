// Answers from a file: preconditions, stored variants, ranges (RFC 9110 12.5.3, 13, 14).
#pragma once

#include "io/asio.hpp"

#include <string>

namespace httpd::http {
struct response_head;
}

namespace httpd::server {

class exchange;
class worker;
struct route;

// Answers when nothing has to be waited for: no range, and a precondition that fails, an unchanged file or
// one in memory. False: only the variant was chosen, as the file of the route.
bool answer_static_at_once(exchange&, worker&, route&);

// What answer_static_at_once() left, or a file that a script names. `from_script`: the head it gave along
// with X-Accel-Redirect or X-Sendfile. Its fields are sent too, its Content-Type and validators replace the
// file's, and the file is sent as it is, without variants. Null otherwise.
io::awaitable<> send_static(exchange&, const route&, const http::response_head* from_script);

}  // namespace httpd::server
