// A whole HTTP/1 session over a socket pair, with a scripted PHP: it ends, its answers and its log are
// well-formed, and it leaves no coroutine, descriptor or byte behind.
//
// The input: flags, the sizes of the client's and of PHP's pieces, then what the client sends; after each
// "\n==PHP==\n" what the next connection to PHP answers ('+': records are made of the rest).
#include "fuzz/fuzz.hpp"
#include "fuzz/scripted_php.hpp"
#include "fuzz/session_check.hpp"

#include "base/shared_state.hpp"
#include "io/asio.hpp"
#include "server/http1.hpp"
#include "server/worker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

using namespace httpd;
using namespace httpd::fuzz;

namespace {

// Made once: the site, PHP's socket and the access log.
struct surroundings {
  surroundings() {
    std::signal(SIGPIPE, SIG_IGN);
    std::string name = std::filesystem::temp_directory_path() / "httpd-fuzz-XXXXXX";
    folder = ::mkdtemp(name.data());
    const auto put = [this](const std::string& file, const std::string& text) {
      std::filesystem::create_directories(std::filesystem::path{folder + "/www/" + file}.parent_path());
      std::ofstream{folder + "/www/" + file} << text;
    };
    put("small.txt", "a small file\n");
    put("empty.txt", "");
    put("large.bin", std::string(50'000, 'L'));  // too large for memory: sendfile
    put("a.php", "<?php // never read");
    put("d/index.html", "<p>a folder\n");
    put("v.css", "body {}\n");
    put("v.css.gz", "not really gzip");
    put(".env", "SECRET-THAT-NOBODY-GETS");
    put("a.php.bak", "SECRET-THAT-NOBODY-GETS");
    php = listen_for_php(folder + "/php.sock");
    log.reset(::memfd_create("log", MFD_CLOEXEC));
  }
  ~surroundings() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::string folder;
  unique_fd php, log;
};

surroundings& around() {
  static surroundings one;
  return one;
}

config::configuration make_config(unsigned flags) {
  config::configuration config;
  config.document_root = around().folder + "/www";
  config.php.workers = 2;
  config.front_controller = flags & 1 ? "/a.php" : "";
  config.limits.max_body_bytes = 3000;
  config.access_log.format = flags & 2 ? config::log_format::json : config::log_format::combined;
  if (flags & 4) config.trusted_proxies.push_back(address_block::parse("unix").value());
  return config;
}

// The frame owns the connection, as in the listener.
io::awaitable<> run_session(server::worker& w, io::stream socket) {
  server::peer from;
  from.text = "unix";
  server::http1_connection connection{w, std::move(socket), std::move(from)};
  co_await connection.run();
}

class session {
public:
  session(unsigned flags, std::vector<std::string_view> php, unsigned php_seed)
      : config_{make_config(flags)}, php_{around().php.get(), std::move(php), php_seed} {
    endpoint php_socket;
    php_socket.unix_path = around().folder + "/php.sock";
    process_ = std::make_unique<server::process>(config_, shared_, std::vector<endpoint>{php_socket}, around().log.get());
    worker_ = std::make_unique<server::worker>(*process_);
    int fds[2];
    expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0, "a socket pair");
    client_.reset(fds[0]);
    io::stream socket{worker_->context.get_executor()};
    socket.assign({AF_UNIX, 0}, fds[1]);
    auto coroutine = run_session(*worker_, std::move(socket));
    io::asio::co_spawn(worker_->context, std::move(coroutine), io::asio::detached);
  }

  // Everything that can happen now.
  bool step() {
    bool progress = worker_->context.poll() > 0;
    progress = php_.step() || progress;
    return progress;
  }
  void settle(bool reads) {
    for (bool progress = true; progress;) {
      progress = step();
      progress = (reads && read()) || progress;
    }
  }
  // What the socket does not take is for a client that does not read.
  void send(std::string_view piece) {
    static_cast<void>(::send(client_.get(), piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    step();
  }
  bool read() {
    char buffer[16 * 1024];
    const auto n = ::recv(client_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) received_.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }
  void end_sending() { ::shutdown(client_.get(), SHUT_WR); }
  // Runs until no coroutine is left. The bound is far from anything that happens: no clock decides.
  void finish() {
    client_.reset();
    for (int rounds = 0; !worker_->context.stopped(); ++rounds) {
      expect(rounds < 20'000, "a session ends");
      if (!step()) worker_->context.run_one_for(std::chrono::milliseconds{1});
    }
    expect(php_.all_ended(), "no connection to PHP is left");
    worker_->log.flush();
  }
  const std::string& received() const noexcept { return received_; }

private:
  config::configuration config_;
  shared_state shared_;
  scripted_php php_;
  std::unique_ptr<server::process> process_;
  std::unique_ptr<server::worker> worker_;
  unique_fd client_;
  std::string received_;
};

std::vector<std::string_view> split_sections(std::string_view text) {
  constexpr std::string_view mark = "\n==PHP==\n";
  std::vector<std::string_view> sections;
  for (;;) {
    const auto at = text.find(mark);
    sections.push_back(text.substr(0, at));
    if (at == text.npos) return sections;
    text.remove_prefix(at + mark.size());
  }
}

std::string take_log() {
  std::string text(static_cast<std::size_t>(::lseek(around().log.get(), 0, SEEK_END)), '\0');
  const auto n = ::pread(around().log.get(), text.data(), text.size(), 0);
  expect(n == static_cast<ssize_t>(text.size()), "the log is read");
  expect(::ftruncate(around().log.get(), 0) == 0, "the log is emptied");
  ::lseek(around().log.get(), 0, SEEK_SET);
  return text;
}

int lowest_free_descriptor() {
  const unique_fd fd{::dup(around().log.get())};
  return fd.get();
}

}  // namespace

FUZZ(input) {
  reader from{input};
  const auto flags = from.byte();
  const auto client_seed = from.byte(), php_seed = from.byte();
  auto sections = split_sections(from.rest());
  const auto sent = sections.front();
  sections.erase(sections.begin());

  const int before = lowest_free_descriptor();
  {
    session one{flags, std::move(sections), php_seed};
    const bool reads_as_it_sends = flags & 8;
    for (cutter pieces{sent, client_seed}; !pieces.empty();) {
      one.send(pieces.next());
      if (reads_as_it_sends) one.read();
    }
    if (flags & 16) one.end_sending();
    one.settle(!(flags & 32));
    one.end_sending();
    one.settle(true);
    one.finish();
    expect(one.received().find("SECRET-THAT") == std::string::npos, "what is hidden is never sent");
    const auto log = check_log(take_log(), flags & 2);
    check_answers(one.received(), log);
  }
  expect(lowest_free_descriptor() == before, "no descriptor is left");
}
