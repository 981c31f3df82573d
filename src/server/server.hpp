// One server process: accepts on the sockets init made, answers, drains on SIGTERM.
#pragma once

#include "base/fd.hpp"
#include "config/config.hpp"

#include <vector>

namespace httpd {
struct shared_state;
}

namespace httpd::server {

struct listening_socket {
  endpoint address;                // with the real port when 0 was asked for
  std::vector<unique_fd> sockets;  // TCP: one per thread (SO_REUSEPORT); Unix: one, shared by all
};

// What init hands to a server process.
struct environment {
  std::vector<listening_socket> listeners;
  std::string user;         // who this process has become, for the log
  std::vector<endpoint> php_sockets;  // server/worker.hpp
  unique_fd access_log;     // open for appending; empty = off
  unique_fd ready;          // a byte is written when every thread accepts; then closed
  shared_state* shared = nullptr;  // never null, outlives the process
};

// Serves until SIGTERM (drain: accept what is queued when shared->draining, finish what runs, close
// idle connections, cut what is left after limits.grace) and returns the exit status. Called in a fresh
// process that has already dropped its privileges; it confines itself (sandbox.hpp). SIGTERM must not be
// blocked when it is called.
int run(const config::configuration&, environment);

}  // namespace httpd::server
