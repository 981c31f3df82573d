// A name and its value as they stand in a message: a header field of a request. Views, nothing is owned.
#pragma once

#include <string_view>

namespace httpd {

struct field {
  std::string_view name, value;
};

}  // namespace httpd
