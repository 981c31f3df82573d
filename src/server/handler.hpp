// From a request to its answer: the one place that knows every kind of answer.
#pragma once

#include "io/asio.hpp"

namespace httpd::server {

class exchange;
class worker;
struct route;

// Returns when the answer is finished or aborted; what is still pending is the exchange's.
// An answer that waits for nothing: an error, a redirect, a file that is in memory or unchanged. False: nothing
// was done but that `where` names the variant to send; it takes handle().
bool answer_at_once(exchange&, worker&, route& where);
io::awaitable<> handle(exchange&, worker&, route&);

}  // namespace httpd::server
