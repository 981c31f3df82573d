// Applications: what runs requests behind this server. Part of the model in site.hpp: const once built. They
// compare equal when nothing of theirs changed, so that a change restarts only what it is about.
#pragma once

#include "base/address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace httpd::config {

using named_texts = std::vector<std::pair<std::string, std::string>>;  // in the order they were given

struct process_count {
  bool dynamic = false;  // false: always `max` processes, the rest is unused
  unsigned max = 1;
  unsigned spare = 0;  // idle ones that are kept; 0 = started on demand
  std::chrono::seconds idle_timeout{15};

  bool operator==(const process_count&) const = default;
};

// What is wanted; whether the system lets us is found out where it is done.
struct process_isolation {
  struct mapping {
    std::int64_t container = 0, host = 0, size = 0;
    bool operator==(const mapping&) const = default;
  };

  bool cgroup_namespace = false, credential = false, mount = false;
  bool network = false, pid = false, uname = false;
  std::vector<mapping> uidmap, gidmap;
  std::string rootfs;  // absolute; "" = none
  bool automount_language_deps = true, automount_procfs = true, automount_tmpfs = true;
  std::string cgroup_path;             // "" = none
  std::optional<bool> new_privileges;  // "new_privs"

  bool operator==(const process_isolation&) const = default;
};

// For the processes we start ourselves.
struct process_settings {
  process_count processes;
  std::chrono::seconds timeout{0};  // "limits.timeout" of one request; 0 = none
  std::uint32_t requests = 0;       // "limits.requests", after which a process is replaced; 0 = never
  std::string user, group;          // "" = those of the server
  std::string working_directory;    // "" = ours
  named_texts environment;          // added to ours
  std::string stdout_path, stderr_path;  // "" = our own log
  process_isolation isolation;

  bool operator==(const process_settings&) const = default;
};

// A directory of scripts.
struct script_target {
  std::string name;    // "" for the only one, given without "targets"
  std::string root;    // as whoever runs the scripts sees it
  std::string script;  // under root: runs every request; "" = the path names the script
  std::string index = "index.php";

  bool operator==(const script_target&) const = default;
};

struct php_application {
  std::string version;   // a prefix: "8" of the type "php 8"; "" = any
  std::string ini_file;  // "options.file"; "" = PHP's own choice
  named_texts admin_values, user_values;
  process_settings process;

  bool operator==(const php_application&) const = default;
};

// A pool that someone else runs and that speaks FastCGI.
struct fastcgi_application {
  std::vector<endpoint> addresses;  // tried in order, not empty; a host may be a name
  unsigned workers = 0;             // requests inside it at once; 0 = not known
  std::chrono::seconds timeout{0};  // "limits.timeout"

  bool operator==(const fastcgi_application&) const = default;
};

// A command we start, which listens on a Unix socket that we name in its environment.
struct external_application {
  enum class protocol { http, fastcgi };

  std::string executable;
  std::vector<std::string> arguments;
  protocol speaks = protocol::http;
  process_settings process;

  bool operator==(const external_application&) const = default;
};

struct application {
  std::string name;
  std::vector<script_target> targets;  // php and fastcgi: at least one
  std::variant<php_application, fastcgi_application, external_application> runs;

  bool operator==(const application&) const = default;
};

}  // namespace httpd::config
