// The error log of the server while this lives: kept instead of printed.
#pragma once

#include <string>
#include <string_view>

namespace httpd::test {

class captured_log {
public:
  captured_log();
  ~captured_log();
  captured_log(const captured_log&) = delete;
  captured_log& operator=(const captured_log&) = delete;

  std::string text() const;
  bool contains(std::string_view part) const { return text().find(part) != std::string::npos; }
};

}  // namespace httpd::test
