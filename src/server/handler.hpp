// From a request to its answer: the one place that knows every kind of answer.
#pragma once

#include "io/asio.hpp"

namespace httpd::server {

class exchange;
class worker;

// Returns when the answer is finished or aborted; what is still pending is the exchange's.
io::awaitable<> handle(exchange&, worker&);

}  // namespace httpd::server
