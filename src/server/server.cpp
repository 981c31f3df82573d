// Threads, readiness, drain.
#include "server/server.hpp"

#include "base/shared_state.hpp"
#include "server/listener.hpp"
#include "server/sandbox.hpp"
#include "server/worker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <optional>
#include <thread>

namespace httpd::server {

namespace {

// Connections are descriptors: as many as we may have, but no number that only makes tables large.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 1u << 17));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

class server_process {
public:
  server_process(const config::configuration& config, environment& given)
      : config_{config}, given_{given},
        all_{config, *given.shared, given.php_sockets, given.access_log ? given.access_log.get() : -1},
        starting_{config.threads} {
    for (unsigned i = 0; i < config.threads; ++i) workers_.emplace_back(all_);
    listeners_.resize(config.threads);
  }

  int run() {
    for (unsigned i = 0; i < config_.threads; ++i) prepare(i);
    given_.listeners.clear();
    signals_.emplace(workers_[0].context, SIGTERM, SIGUSR2);
    await_signal();
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < config_.threads; ++i)
      threads.emplace_back([this, i] { workers_[i].context.run(); });
    workers_[0].context.run();
    for (auto& thread : threads) thread.join();
    for (auto& w : workers_) {
      w.log.flush();
      w.publish_counts();
    }
    // What was cut off may still wait in frames that refer to each other across threads: they end with the
    // process.
    if (all_.was_cut) ::_exit(0);
    return 0;
  }

private:
  void prepare(unsigned i) {
    auto& w = workers_[i];
    for (auto& listening : given_.listeners) {
      // One socket of its own per thread, or one for all (Unix): a copy is right for both.
      const auto& mine = listening.sockets[std::min<std::size_t>(i, listening.sockets.size() - 1)];
      listeners_[i].emplace_back(w, ::fcntl(mine.get(), F_DUPFD_CLOEXEC, 3), listening.address);
    }
    for (auto& one : listeners_[i]) io::asio::co_spawn(w.context, one.run(), io::asio::detached);
    io::asio::co_spawn(w.context, w.run_ticks(), io::asio::detached);
    io::asio::post(w.context, [this] {
      if (--starting_ == 0 && given_.ready) {
        static_cast<void>(!::write(given_.ready.get(), "", 1));
        given_.ready.reset();
      }
    });
  }

  // SIGUSR2: another process has taken over, what is begun here is finished, however long it takes. SIGTERM: the
  // end, within the grace; it may come after the other.
  void await_signal() {
    signals_->async_wait([this](error_code error, int signal) {
      if (error) return;
      drain(signal == SIGTERM);
      if (signal != SIGTERM) await_signal();
    });
  }

  // On the first worker's thread.
  void drain(bool within_grace) {
    all_.draining = true;
    for (unsigned i = 0; i < config_.threads; ++i)
      io::asio::post(workers_[i].context, [this, i, within_grace] {
        // At a reload the next server process takes what is queued.
        for (auto& one : listeners_[i]) one.stop(given_.shared->draining);
        workers_[i].drain(within_grace);
      });
  }

  const config::configuration& config_;
  environment& given_;
  process all_;
  std::atomic<unsigned> starting_;
  std::deque<worker> workers_;
  std::vector<std::deque<listener>> listeners_;
  std::optional<io::asio::signal_set> signals_;
};

}  // namespace

int run(const config::configuration& config, environment given) {
  raise_descriptor_limit();
  confine(config, given.user);
  server_process server{config, given};
  return server.run();
}

}  // namespace httpd::server
