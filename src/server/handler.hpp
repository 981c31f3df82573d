// From a request to its answer: the one place that knows every kind of answer.
#pragma once

#include "io/asio.hpp"

namespace httpd::server {

class exchange;
class worker;
struct route;

// An answer that waits for nothing: an error, a redirect, a file that is in memory or unchanged. False:
// nothing was done but that `where` has the variant to send; it takes handle().
bool answer_at_once(exchange&, worker&, route& where);
// The rest: returns when the answer is finished or aborted; what is still pending is the exchange's.
io::awaitable<> handle(exchange&, worker&, const route&);

}  // namespace httpd::server
