// The table of the options and the reading of each value.
#include "config/option_table.hpp"

#include "base/text.hpp"
#include "config/units.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace httpd::config {
namespace {

using std::string;

string document_root(draft& d, const string& v) {
  d.document_root = v;
  return "";
}
string serve(draft& d, const string& v) {
  string reason;
  if (auto address = parse_endpoint(v, "127.0.0.1", true, reason)) d.config.serve.push_back(*address);
  return reason;
}
string php(draft& d, const string& v) {
  string reason;
  if (auto address = parse_endpoint(v, "", false, reason)) d.config.php.servers.push_back(*address);
  return reason;
}
string php_fpm(draft& d, const string& v) {
  d.php_fpm = v;
  return "";
}

string number(const string& v, std::uint64_t least, std::uint64_t most, std::uint64_t& out) {
  const auto parsed = parse_u64(v);
  if (!parsed || *parsed < least || *parsed > most)
    return concat("must be a whole number from ", least, " to ", most);
  out = *parsed;
  return "";
}
template <std::uint64_t Least, std::uint64_t Most>
string count(const string& v, unsigned& out) {
  std::uint64_t parsed = 0;
  auto reason = number(v, Least, Most, parsed);
  if (reason.empty()) out = unsigned(parsed);
  return reason;
}
string php_workers(draft& d, const string& v) { return count<1, 65535>(v, d.workers); }
string threads(draft& d, const string& v) { return count<1, 1024>(v, d.threads); }
string queue_length(draft& d, const string& v) {
  return count<0, 100'000'000>(v, d.config.php.queue_length);
}

string php_root(draft& d, const string& v) {
  if (!v.starts_with('/')) return "must be an absolute path";
  d.config.php.root = v;
  return "";
}
string php_ini(draft& d, const string& v) {
  d.config.php.ini_file = v;
  return "";
}
string php_value(draft& d, const string& v) {
  const auto equals = v.find('=');
  const auto name = trim(std::string_view{v}.substr(0, equals));
  const auto good = [](char c) {
    const char l = to_lower(c);
    return is_digit(c) || (l >= 'a' && l <= 'z') || c == '_' || c == '.' || c == '-';
  };
  if (equals == v.npos || name.empty()) return "must be NAME=VALUE";
  if (!std::all_of(name.begin(), name.end(), good)) return "has a letter that no PHP setting has in its name";
  const auto value = trim(std::string_view{v}.substr(equals + 1));
  if (value.find_first_of(std::string_view{"\n\r\0", 3}) != value.npos) return "must be one line";
  d.config.php.values.emplace_back(name, value);
  return "";
}

string index_name(draft& d, const string& v) {
  if (v.find('/') != v.npos || v == "." || v == "..") return "must be a file name";
  d.index.push_back(v);
  return "";
}
string front_controller(draft& d, const string& v) {
  if (v != "none" && (!v.starts_with('/') || v.find_first_of("?#%") != v.npos))
    return "must be a path that begins with /, or none";
  if (v.find("/.") != v.npos || v.find("//") != v.npos)
    return "must not name a hidden file or another folder";
  d.front_controller = v;
  return "";
}
string max_body(draft& d, const string& v) {
  const auto size = parse_size(v);
  if (!size) return "must be a size such as 8M, 512k or 0 for no limit";
  d.config.limits.max_body_bytes = *size;
  return "";
}
// A connection may hold so much memory: none of them has "no limit".
template <std::size_t limits::* Member, std::size_t Least, std::size_t Most>
string size(draft& d, const string& v) {
  const auto parsed = parse_size(v);
  if (!parsed || *parsed < Least || *parsed > Most)
    return concat("must be a size such as 64k, from ", Least, " to ", Most, " bytes");
  d.config.limits.*Member = static_cast<std::size_t>(*parsed);
  return "";
}
string max_fields(draft& d, const string& v) { return count<1, 10'000>(v, d.config.limits.max_fields); }
string max_connections(draft& d, const string& v) {
  return count<1, 10'000'000>(v, d.config.limits.max_connections);
}
string keepalive_requests(draft& d, const string& v) {
  return count<0, 4'000'000'000>(v, d.config.limits.keepalive_requests);
}
string php_spool(draft& d, const string& v) {
  d.php_spool = parse_size(v);
  return d.php_spool ? "" : "must be a size such as 1G, or 0 for none";
}
template <milliseconds limits::* Member>
string duration(draft& d, const string& v) {
  const auto time = parse_duration(v);
  if (!time) return "must be a time such as 10s, 500ms or 2m, above 0 and at most 24 days";
  d.config.limits.*Member = *time;
  return "";
}

string trusted_proxy(draft& d, const string& v) {
  const auto block = address_block::parse(v);
  if (!block) return "must be an address, a block such as 10.0.0.0/8, or unix";
  d.config.trusted_proxies.push_back(*block);
  return "";
}
string access_log_target(draft& d, const string& v) {
  d.config.access_log.target = v;
  return "";
}
string access_log_format(draft& d, const string& v) {
  if (v != "combined" && v != "json") return "must be combined or json";
  d.config.access_log.format = v == "json" ? log_format::json : log_format::combined;
  return "";
}
string health_path(draft& d, const string& v) {
  if (!v.starts_with('/') || v.find_first_of("?#% ") != v.npos) return "must be a path that begins with /";
  d.config.health_path = v;
  return "";
}
string user(draft& d, const string& v) {
  if (v.starts_with(':') || v.ends_with(':')) return "must be NAME or NAME:GROUP";
  d.user = v;
  return "";
}
string sandbox_read(draft& d, const string& v) {
  d.config.sandbox.reads.push_back(v);
  return "";
}
string no_sandbox(draft& d, const string& v) {
  const auto is_one_of = [&v](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&v](std::string_view word) { return iequals(v, word); });
  };
  if (!is_one_of({"1", "yes", "true", "on", "0", "no", "false", "off"})) return "must be yes or no";
  d.config.sandbox.on = is_one_of({"0", "no", "false", "off"});
  return "";
}

constexpr auto once = repeat::last_wins;
constexpr auto many = repeat::by_comma_or_space;
constexpr const char* site = "The site";
constexpr const char* scripts = "PHP";
constexpr const char* bounds = "Limits";
constexpr const char* running = "Running";

constexpr option_definition table[] = {
    {"-d,--document-root", "DIR", ".", "the folder to serve", site, once, document_root},
    {"-s,--serve", "ADDR", "127.0.0.1:3000", "PORT, HOST:PORT, [v6]:PORT or unix:PATH; repeatable", site,
     many, serve},
    {"--index", "NAME", "index.php, index.html", "what answers for a folder; repeatable", site, many,
     index_name},
    {"--front-controller", "URI", "/index.php if it exists",
     "what answers for a path that is no file; none = 404", site, once, front_controller},
    {"--trusted-proxy", "CIDR", "none", "whose X-Forwarded-* fields count; unix = every peer on a "
     "Unix socket; repeatable", site, many, trusted_proxy},
    {"--health-path", "PATH", "/.httpd/health", "answered to this machine and to trusted proxies", site,
     once, health_path},

    {"--php-fpm", "PATH", "the newest found", "the php-fpm to run; none = no PHP", scripts, once, php_fpm},
    {"--php-workers", "N", "from memory and CPUs", "requests inside PHP at once", scripts, once,
     php_workers},
    {"--php-ini", "FILE", "php-fpm's own", "php.ini for our php-fpm", scripts, once, php_ini},
    {"--php-value", "NAME=VALUE", "", "a PHP setting for our php-fpm; repeatable", scripts,
     repeat::by_line_or_semicolon, php_value},
    {"-p,--php", "ADDR", "", "a php-fpm that runs elsewhere, HOST:PORT or unix:PATH; several = fail over",
     scripts, many, php},
    {"--php-root", "DIR", "the document root", "the folder as the php-fpm elsewhere sees it", scripts, once,
     php_root},

    {"--max-connections", "N", "from the limit of open files", "at once; more of them wait", bounds, once,
     max_connections},
    {"--keepalive-requests", "N", "1000", "of one connection; 0 = no limit", bounds, once,
     keepalive_requests},
    {"--max-head", "SIZE", "128k", "of a request head", bounds, once,
     size<&limits::max_head_bytes, 256, 16u << 20>},
    {"--max-target", "SIZE", "33280", "of a request target", bounds, once,
     size<&limits::max_target_bytes, 16, 63u << 10>},
    {"--max-fields", "N", "200", "of a request head", bounds, once, max_fields},
    {"--max-body", "SIZE", "8M", "of a request; 0 = no limit; also for our php-fpm", bounds, once, max_body},
    {"--max-php-head", "SIZE", "256k", "of the head of an answer from PHP", bounds, once,
     size<&limits::max_php_head_bytes, 256, 16u << 20>},
    {"--php-buffer", "SIZE", "128k", "of an answer from PHP, in memory; then a file", bounds, once,
     size<&limits::php_buffer_bytes, 4096, 1u << 30>},
    {"--php-spool", "SIZE", "1G, on tmpfs an eighth of memory", "of all answers from PHP that wait in files; "
     "0 = PHP waits for the clients", bounds, once, php_spool},
    {"--header-timeout", "TIME", "10s", "for a whole request head", bounds, once,
     duration<&limits::header_timeout>},
    {"--body-timeout", "TIME", "30s", "without progress of a request body", bounds, once,
     duration<&limits::body_timeout>},
    {"--send-timeout", "TIME", "30s", "without progress of an answer", bounds, once,
     duration<&limits::send_timeout>},
    {"--idle-timeout", "TIME", "60s", "between two requests", bounds, once, duration<&limits::idle_timeout>},
    {"--php-timeout", "TIME", "60s", "without a byte from PHP", bounds, once,
     duration<&limits::php_timeout>},
    {"--queue-timeout", "TIME", "30s", "waiting for PHP", bounds, once, duration<&limits::queue_timeout>},
    {"--queue-length", "N", "10000", "requests that may wait for PHP", bounds, once, queue_length},
    {"--grace", "TIME", "9s", "for the whole shutdown", bounds, once, duration<&limits::grace>},

    {"--threads", "N", "usable CPUs", "of the server", running, once, threads},
    {"--user", "NAME[:GROUP]", "www-data when started as root", "who the server and PHP run as", running,
     once, user},
    {"--sandbox-read", "PATH", "", "what the server may read beside the site; repeatable", running, many,
     sandbox_read},
    {"--no-sandbox", "", "", "the server keeps the rights of its user", running, repeat::flag, no_sandbox},
    {"--access-log", "FILE", "-", "- = standard output, off = none", running, once, access_log_target},
    {"--log-format", "FORMAT", "combined", "combined or json", running, once, access_log_format},
};

}  // namespace

std::span<const option_definition> option_table() noexcept { return table; }

}  // namespace httpd::config
