// The lines of the error log while a fuzzer runs: looked at instead of printed.
#pragma once

#include <cstddef>

namespace httpd::fuzz {

// Lines written so far. Each was one line of printable ASCII; anything else has ended the program.
std::size_t captured_lines() noexcept;

}  // namespace httpd::fuzz
