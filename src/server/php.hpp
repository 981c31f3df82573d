// One request through PHP: body first, then a place, a connection, the answer as it comes (design 4).
#pragma once

#include "io/asio.hpp"

namespace httpd::server {

class exchange;
class worker;
struct route;

io::awaitable<> run_script(exchange&, worker&, const route&);

}  // namespace httpd::server
