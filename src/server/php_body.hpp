// The request body, whole before a worker of PHP is taken: a slow or cut upload holds none.
#pragma once

#include "io/spool.hpp"
#include "server/exchange.hpp"

namespace httpd::server {

// 0, or the status that ends the request: as in body_part, 507 when the disk is full, 503 without a
// descriptor.
awaitable<unsigned> read_whole_body(exchange& from, io::spool& body);

}  // namespace httpd::server
