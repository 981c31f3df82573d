// The whole configuration, typed and with every default. Built once, then const: a server process
// lives with one configuration and is replaced when it changes.
#pragma once

#include "base/address.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace httpd::config {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

struct limits {
  std::size_t max_head_bytes = 128u << 10;  // of a request, request line and final empty line counted
  std::size_t max_target_bytes = 33'280;    // sent twice to PHP, each time in a pair below 64 KiB
  unsigned max_fields = 200;                // of a request head
  std::uint64_t max_body_bytes = 8u << 20;  // 0 = none
  unsigned max_connections = 0;             // of a server process; 0 = as many as descriptors allow
  unsigned keepalive_requests = 1000;       // of one connection; 0 = no limit
  std::size_t max_php_head_bytes = 256u << 10;
  std::size_t php_buffer_bytes = 128u << 10;  // of an answer, in memory; the rest goes to a file
  std::uint64_t php_spool_bytes = 1u << 30;   // of all answers of a server process, in files
  milliseconds header_timeout = 10s;        // the whole request head, from its first byte
  milliseconds body_timeout = 30s;          // between two parts of a request body
  milliseconds send_timeout = 30s;          // between two parts of an answer taken by the client
  milliseconds idle_timeout = 60s;          // between two requests of one connection
  milliseconds php_timeout = 60s;           // between two parts of an answer from PHP
  milliseconds queue_timeout = 30s;         // waiting for a free PHP worker
  milliseconds grace = 9s;                  // the whole drain at shutdown
};

// Who runs the scripts.
enum class php_mode { none, supervised, external };

struct php {
  std::string name;                     // of the application; "" = the only one, given by flags
  php_mode mode = php_mode::supervised;
  std::string fpm_path;                 // supervised: the php-fpm to run, absolute
  std::vector<endpoint> servers;        // external: tried in order
  std::string root;                     // external: the document root as php-fpm sees it; "" = ours
  std::string ini_file;                 // supervised: php.ini to use; "" = php-fpm's own choice
  std::vector<std::pair<std::string, std::string>> values;  // supervised: settings as in php.ini
  unsigned workers = 0;                 // requests inside PHP at once; 0 = not known (external)
  std::string workers_reason;           // how the number was found, for the start line
  std::uint32_t queue_length = 10000;   // requests that may wait for a worker
};

enum class log_format { combined, json };

struct access_log {
  std::string target = "-";  // a file, "-" = standard output, "off"
  log_format format = log_format::combined;
};

// What a server process gives up beside its user, server/sandbox.hpp.
struct sandbox {
  bool on = true;
  std::vector<std::string> reads;  // absolute: may be read beside the site
};

struct configuration {
  std::string document_root;  // absolute, links in it not resolved (they may move: a release switch)
  std::vector<endpoint> serve;
  config::php php;
  std::vector<std::string> index = {"index.php", "index.html"};
  std::string front_controller;  // a URI path such as "/index.php"; "" = none
  config::limits limits;
  unsigned threads = 1;
  std::vector<address_block> trusted_proxies;
  config::access_log access_log;
  std::string health_path = "/.httpd/health";
  config::sandbox sandbox;
  std::string user;   // "" = stay who we are (not started as root)
  std::string group;  // "" = the user's own group
};

// Each has a pool of its own, and with php_mode::supervised a php-fpm. None with php_mode::none.
std::span<const php> applications(const configuration&) noexcept;

// JSON of every option and its value in force, for --print-config: indented, ends in a newline.
std::string print(const configuration&);

}  // namespace httpd::config
