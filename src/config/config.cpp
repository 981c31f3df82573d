// The configuration in force as JSON, under the names of the options.
#include "config/config.hpp"

#include "base/text.hpp"

#include <concepts>

namespace httpd::config {
namespace {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  append_json(out, text);
  return out += '"';
}
std::string text_of(const std::string& item) { return item; }
template <class T>
std::string text_of(const T& item) { return item.to_string(); }

std::string text_of(milliseconds time) {
  const auto count = time.count();
  return count % 1000 == 0 ? concat(count / 1000, "s") : concat(count, "ms");
}

// One JSON object, a member a line.
class object_writer {
public:
  void member(std::string_view name, std::string_view text) { raw(name, json_string(text)); }
  void member(std::string_view name, milliseconds time) { raw(name, json_string(text_of(time))); }
  template <std::unsigned_integral T>
  void member(std::string_view name, T number) { raw(name, concat(number)); }
  template <class T>
  void member(std::string_view name, const std::vector<T>& items) {
    std::string list;
    for (const auto& item : items) append(list, list.empty() ? "" : ", ", json_string(text_of(item)));
    raw(name, concat("[", list, "]"));
  }
  void raw(std::string_view name, std::string_view json) {
    append(out_, out_.empty() ? "{\n  " : ",\n  ", json_string(name), ": ", json);
  }
  std::string finish() { return std::move(out_) + "\n}\n"; }

private:
  std::string out_;
};

std::string values_as_object(const php& php) {
  std::string members;
  for (const auto& [name, value] : php.values)
    append(members, members.empty() ? "" : ", ", json_string(name), ": ", json_string(value));
  return concat("{", members, "}");
}

void print_php(object_writer& out, const php& php) {
  out.member("php", php.servers);
  out.member("php-fpm", php.mode == php_mode::supervised ? php.fpm_path
                        : php.mode == php_mode::none     ? "none"
                                                         : "");
  out.member("php-workers", php.workers);
  out.member("php-root", php.root);
  out.member("php-ini", php.ini_file);
  out.raw("php-value", values_as_object(php));
}

void print_limits(object_writer& out, const limits& limits) {
  out.member("max-head", limits.max_head_bytes);
  out.member("max-target", limits.max_target_bytes);
  out.member("max-fields", limits.max_fields);
  out.member("max-body", limits.max_body_bytes);
  if (limits.max_connections > 0) out.member("max-connections", limits.max_connections);
  else out.member("max-connections", "as many as the limit of open files allows");
  out.member("keepalive-requests", limits.keepalive_requests);
  out.member("max-php-head", limits.max_php_head_bytes);
  out.member("php-buffer", limits.php_buffer_bytes);
  out.member("php-spool", limits.php_spool_bytes);
  out.member("header-timeout", limits.header_timeout);
  out.member("body-timeout", limits.body_timeout);
  out.member("send-timeout", limits.send_timeout);
  out.member("idle-timeout", limits.idle_timeout);
  out.member("php-timeout", limits.php_timeout);
  out.member("queue-timeout", limits.queue_timeout);
  out.member("grace", limits.grace);
}

}  // namespace

std::span<const php> applications(const configuration& config) noexcept {
  return {&config.php, config.php.mode == php_mode::none ? 0u : 1u};
}

std::string print(const configuration& config) {
  object_writer out;
  out.member("document-root", config.document_root);
  out.member("serve", config.serve);
  print_php(out, config.php);
  out.member("index", config.index);
  out.member("front-controller", config.front_controller.empty() ? "none" : config.front_controller);
  print_limits(out, config.limits);
  out.member("threads", config.threads);
  out.member("queue-length", config.php.queue_length);
  out.member("trusted-proxy", config.trusted_proxies);
  out.member("access-log", config.access_log.target);
  out.member("log-format", config.access_log.format == log_format::json ? "json" : "combined");
  out.member("health-path", config.health_path);
  out.raw("no-sandbox", config.sandbox.on ? "false" : "true");
  out.member("sandbox-read", config.sandbox.reads);
  out.member("user", config.group.empty() ? config.user : concat(config.user, ":", config.group));
  return out.finish();
}

}  // namespace httpd::config
