// System calls of the server that fail on demand: the linker puts these in front of the real ones
// (--wrap in CMakeLists.txt). Only calls made while `armed` lives count; not thread-safe.
#pragma once

#include <cstddef>

namespace httpd::test::failing_calls {

// The n-th counted call (1 = the first) fails with `error`. 0 = none; counting goes on all the same.
// `only`: calls of this name alone are counted; null = all.
void fail(std::size_t n, int error, const char* only = nullptr) noexcept;
// Calls counted since fail().
std::size_t counted() noexcept;
// The name of the call that was made to fail, "" = none was reached.
const char* failed() noexcept;

// The server runs.
class armed {
public:
  armed() noexcept;
  ~armed();
  armed(const armed&) = delete;
  armed& operator=(const armed&) = delete;
};

}  // namespace httpd::test::failing_calls
