// Small files read whole.
#include "config/files.hpp"

#include <fstream>
#include <iterator>

namespace httpd::config {

std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace httpd::config
