// Which files and folders a confined server process may read for the sake of a document root. Looked at
// once, when the process starts: what comes later is not in it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace httpd::server {

struct readable_paths {
  // Absolute, without links. First the root itself, then
  //  - the folder that holds the root, and for each link in the root's path the folder that holds what it
  //    leads to, so that a root may be replaced and a link switched to its neighbour;
  //  - what links below the root lead to, when that is outside of all these.
  // The folder that holds something is left out when it is "/", directly below "/", or in /home.
  std::vector<std::string> paths;
  // Links, as "LINK leads to TARGET", that are not followed: to "/", a folder of the system, somebody's home.
  std::vector<std::string> refused;
  // The first folder that was not looked into, "" = none: there were more than `most_entries`, or it can be
  // entered but not listed.
  std::string unseen;

  static constexpr std::size_t most_entries = 20'000;
};

// `root` is absolute and may go through links. Names that begin with a dot are never served and not
// looked into; links to nothing allow nothing. `most_entries`: how many names are looked at below it.
// `known`: allowed anyway, so links to it and below are neither listed nor refused.
readable_paths find_readable_paths(const std::string& root,
                                   std::size_t most_entries = readable_paths::most_entries,
                                   const std::vector<std::string>& known = {});

}  // namespace httpd::server
