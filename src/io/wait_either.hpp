// Waits until one socket can be written or another one read, whichever is first.
#pragma once

#include "io/asio.hpp"

namespace httpd::io {

// Both waits have ended when it returns, so the sockets may go. The error is operation_aborted when
// both were cancelled from outside (a deadline), success otherwise. Costs a few allocations: only
// for streaming to a slow client and for large uploads, never on the plain path.
awaitable<error_code> wait_writable_or_readable(stream& to_write, stream& to_read);

}  // namespace httpd::io
