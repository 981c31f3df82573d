// Reading what a server sent: HTTP/1 answers taken apart and their content decoded, for comparison.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace httpd::test {

struct answer {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case
  std::string content;    // without its framing
  bool complete = false;  // head and content are there as announced
  bool chunked = false;

  std::string field(std::string_view name) const;  // "" = none; several are joined by "; "
  bool has(std::string_view name) const;
};

// Every answer at the start of `bytes`, in order; the last one may be incomplete. `methods` are the
// requests' in order ("HEAD" has no content). `closed`: the connection has ended.
std::vector<answer> read_answers(std::string_view bytes, bool closed,
                                 const std::vector<std::string>& methods = {});

// The same for comparison: status, fields and content, without Date and the framing.
std::string summary(const std::vector<answer>&);

}  // namespace httpd::test
