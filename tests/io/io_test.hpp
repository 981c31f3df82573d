// For the tests of single helpers: a context, two connected sockets, and a coroutine run to its end.
#pragma once

#include "io/asio.hpp"
#include "io/fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <optional>
#include <utility>

namespace httpd::test {

// What a coroutine will return. The coroutine runs whenever `context` does.
template <class T>
class running {
public:
  running(io::asio::io_context& context, io::awaitable<T> what) : context_{context} {
    auto store = [this](std::exception_ptr failure, T value) {
      if (failure) failure_ = failure;
      value_.emplace(std::move(value));
    };
    io::asio::co_spawn(context, std::move(what), store);
    context.restart();  // it stops when it has nothing to do
    context.poll();
  }
  running(const running&) = delete;
  running& operator=(const running&) = delete;

  bool is_done() {
    context_.restart();
    context_.poll();
    return value_.has_value();
  }
  // Waits at most ten seconds, then throws.
  T get() {
    const auto give_up_at = std::chrono::steady_clock::now() + 10s;
    while (!is_done()) {
      if (std::chrono::steady_clock::now() > give_up_at) throw std::runtime_error{"a coroutine does not end"};
      context_.run_one_for(1ms);
    }
    if (failure_) std::rethrow_exception(failure_);
    return *value_;
  }

private:
  io::asio::io_context& context_;
  std::optional<T> value_;
  std::exception_ptr failure_;
};

// A socket in `context` and its other end.
struct wired_socket {
  explicit wired_socket(io::asio::io_context& context, int send_buffer = 0)
      : pair{make_unix_pair(send_buffer)}, socket{context.get_executor()}, other{std::move(pair.ours)} {
    socket.assign({AF_UNIX, 0}, pair.servers.release());
  }
  socket_pair pair;
  io::stream socket;
  client other;
};

}  // namespace httpd::test
