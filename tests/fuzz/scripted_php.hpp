// PHP's side of a fuzzed session: any bytes, in pieces of any size, on as many connections as are made.
#pragma once

#include "base/fd.hpp"
#include "fuzz/fuzz.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::fuzz {

unique_fd listen_for_php(const std::string& path);

// Records of FastCGI of up to `most` bytes and the end of the request. A line that begins with '!' is STDERR,
// everything else STDOUT.
void append_records(std::string& out, std::string_view text, std::size_t most);

class scripted_php {
public:
  // The n-th connection answers scripts[n], the last one again and again; none: closes at once.
  scripted_php(int listener, std::vector<std::string_view> scripts, unsigned seed)
      : listener_{listener}, scripts_{std::move(scripts)}, seed_{seed} {}

  // Accepts, reads and sends a piece on each connection. Whether anything happened.
  bool step();
  // The server has closed its end of every connection.
  bool all_ended();

private:
  struct connection {
    unique_fd socket;
    std::string bytes;
    cutter pieces;
    std::string_view unsent{};
    bool ended = false;
  };
  bool accept_one();
  bool read_some(connection&);
  bool send_some(connection&);

  int listener_;
  std::vector<std::string_view> scripts_;
  unsigned seed_;
  std::vector<std::unique_ptr<connection>> connections_;
};

}  // namespace httpd::fuzz
