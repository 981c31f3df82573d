// The Asio types everybody here uses: one concrete executor, one completion token, one socket type.
//
// gcc 12 miscompiles a capturing lambda or a braced aggregate inside an expression that holds
// co_await: such an expression contains names and scalars only.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>

namespace httpd::io {

namespace asio = boost::asio;
using boost::system::error_code;

// Concrete, not any_io_executor: that costs about 2 µs per request.
using executor = asio::io_context::executor_type;

template <class T = void>
using awaitable = asio::awaitable<T, executor>;

// Every await: `auto [error] = co_await object.async_x(..., io::token);` - never an exception.
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<executor>> token{};

// TCP and Unix alike.
using stream = asio::basic_stream_socket<asio::generic::stream_protocol, executor>;
using timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, executor>;

inline error_code last_error() noexcept { return {errno, boost::system::system_category()}; }
inline bool would_block(const error_code& e) noexcept {
  return e == boost::system::errc::resource_unavailable_try_again ||
         e == boost::system::errc::operation_would_block;
}

}  // namespace httpd::io
