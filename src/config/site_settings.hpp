// "settings" and "access_log", with Unit's names and defaults. Part of the model in site.hpp.
#pragma once

#include "config/string_pattern.hpp"
#include "config/text_template.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace httpd::config {

struct websocket_settings {
  std::chrono::seconds read_timeout{60};
  std::chrono::seconds keepalive_interval{30};  // 0 = no pings
  std::uint64_t max_frame_size = 1u << 20;      // bytes
};

struct compressor {
  enum class encoding { deflate, gzip, brotli, zstd };

  encoding what = encoding::gzip;
  std::optional<int> level;      // unset: the library's own
  std::uint64_t min_length = 0;  // bytes of a body worth the work
};

struct compression_settings {
  std::optional<string_patterns> types;  // unset: all
  std::vector<compressor> compressors;   // empty: nothing is compressed
};

struct http_settings {
  std::chrono::seconds header_read_timeout{30};  // the whole head
  std::chrono::seconds body_read_timeout{30};    // between two reads
  std::chrono::seconds send_timeout{30};         // between two writes
  std::chrono::seconds idle_timeout{180};        // between two requests; 0 = no keep-alive
  std::uint64_t max_body_size = 8u << 20;        // bytes; 0 = no body at all
  std::uint64_t body_buffer_size = 16u << 10;    // bytes kept in memory, more goes to a file
  std::string body_temp_path;                    // "" = the usual place for temporary files
  std::uint64_t large_header_buffer_size = 8u << 10;  // bytes
  unsigned large_header_buffers = 4;
  bool discard_unsafe_fields = true;  // names with more than letters, digits and "-"
  bool log_route = false;
  bool server_version = true;
  bool chunked_transform = false;
  websocket_settings websocket;
  // ".ext" or a whole file name, any case, and its type: looked up before the built-in table.
  std::vector<std::pair<std::string, std::string>> mime_types;
  compression_settings compression;
};

struct server_settings {
  unsigned listen_threads = 0;  // 0 = one per usable CPU
  http_settings http;
};

inline constexpr std::string_view default_access_log_format =
    "$remote_addr - - [$time_local] \"$request_line\" $status $body_bytes_sent "
    "\"$header_referer\" \"$header_user_agent\"";

struct access_log_settings {
  std::string path;
  // A line of one template without a name, or a JSON object of several with names.
  bool json = false;
  std::vector<std::pair<std::string, text_template>> format;
  std::optional<condition> when;  // "if"
};

}  // namespace httpd::config
