// The health path: 200 when this server and PHP can answer, 503 with the reason when not.
#pragma once

#include "io/asio.hpp"

namespace httpd::server {

class exchange;
class worker;

// A supervised php-fpm is judged by init; an external one must take a connection within a second (a full
// backlog counts as up: busy is not down).
io::awaitable<> answer_health(exchange&, worker&);

}  // namespace httpd::server
