// Content-Type by file name, from the table made of Debian's media-types at build time.
#pragma once

#include <string_view>

namespace httpd::http {

// The full field value, "; charset=utf-8" included for text/*; "application/octet-stream" when the
// extension is unknown. The extension is what follows the last dot of the last segment, any case.
std::string_view content_type(std::string_view path) noexcept;

}  // namespace httpd::http
