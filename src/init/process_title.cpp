// The process title: the memory that the kernel shows as /proc/PID/cmdline.
#include "init/process_title.hpp"

#include "base/fd.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

extern "C" char** environ;

namespace httpd::init {
namespace {

struct area {
  char *begin = nullptr, *end = nullptr;
};

// Fields 48 to 51 of /proc/self/stat: where arguments and environment begin and end.
bool find_areas(area& arguments, area& variables) noexcept {
  char text[2048];
  const unique_fd file{::open("/proc/self/stat", O_RDONLY | O_CLOEXEC)};
  const auto length = ::read(file.get(), text, sizeof text - 1);
  if (length <= 0) return false;
  text[length] = '\0';
  const char* at = std::strrchr(text, ')');  // the name in field 2 may hold anything
  unsigned long fields[4] = {};
  for (int field = 3; at && field <= 51; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at && field >= 48) fields[field - 48] = std::strtoul(at, nullptr, 10);
  }
  if (!at || fields[0] == 0) return false;
  const auto pointer = [](unsigned long address) { return reinterpret_cast<char*>(address); };
  arguments = {pointer(fields[0]), pointer(fields[1])};
  variables = {pointer(fields[2]), pointer(fields[3])};
  return arguments.begin < arguments.end;
}

// The environment lies behind the arguments and is overwritten by a title longer than those.
bool copy_environment(const area& variables) noexcept {
  for (char** entry = environ; *entry; ++entry)
    if (*entry >= variables.begin && *entry < variables.end && !(*entry = ::strdup(*entry))) return false;
  return true;
}

}  // namespace

// A title that reaches behind the arguments is shown whole: the kernel looks whether their last byte
// is still NUL.
void set_process_title(std::string_view title) noexcept {
  ::prctl(PR_SET_NAME, "httpd-server");
  area arguments, variables;
  if (!find_areas(arguments, variables)) return;
  char* end = arguments.end;
  if (variables.begin == arguments.end && copy_environment(variables)) end = variables.end;
  std::memset(arguments.begin, 0, std::size_t(end - arguments.begin));
  const auto room = std::size_t(end - arguments.begin) - 1;
  std::memcpy(arguments.begin, title.data(), std::min(title.size(), room));
}

}  // namespace httpd::init
