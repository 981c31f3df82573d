// Head, target and forwarded fields put together.
#include "server/request.hpp"

#include "config/config.hpp"
#include "http/forwarded.hpp"

#include <functional>

namespace httpd::server {

namespace {

void apply_forwarded(const config::configuration& config, request& out) {
  const auto said = http::read_forwarded(out.head, config.trusted_proxies);
  if (said.client) {
    out.forwarded = true;
    out.client = said.client->to_string();
  }
  out.https = said.https.value_or(false);
  if (!said.host.empty()) out.host = said.host;
}

class moved_bytes {
public:
  moved_bytes(std::string_view from, const char* copy) noexcept : from_{from}, copy_{copy} {}
  // Text that is not of the request ("/" for an empty path) stays.
  void move(std::string_view& view) const noexcept {
    const std::less<const char*> before;
    if (before(view.data(), from_.data()) || before(from_.data() + from_.size(), view.data())) return;
    view = {copy_ + (view.data() - from_.data()), view.size()};
  }

private:
  std::string_view from_;
  const char* copy_;
};

}  // namespace

void move_views(request& asked, std::string_view from, const char* copy) noexcept {
  const moved_bytes bytes{from, copy};
  for (auto& field : asked.head.fields) {
    bytes.move(field.name);
    bytes.move(field.value);
  }
  auto& to = asked.target;
  for (auto* view : {&asked.head.method, &asked.head.target, &asked.head.host, &asked.host, &to.uri,
                     &to.raw_path, &to.query, &to.authority, &to.scheme})
    bytes.move(*view);
}

http::head_limits head_limits(const config::configuration& config) noexcept {
  return {config.limits.max_target_bytes, config.limits.max_head_bytes, config.limits.max_fields};
}

unsigned read_request(std::string_view head_bytes, const config::configuration& config, const peer& from,
                      request& out) {
  out.from = &from;
  out.https = out.forwarded = false;
  if (const auto status = http::parse_head(head_bytes, head_limits(config), out.head)) return status;
  if (const auto status = http::split_target(out.head.method, out.head.target, out.target)) return status;
  // RFC 9112 3.2.2: the authority of an absolute form replaces Host.
  out.host = out.target.authority.empty() ? out.head.host : out.target.authority;
  if (out.target.form == http::target_form::asterisk || out.target.form == http::target_form::authority)
    out.path.assign(1, '*');  // = "*" makes gcc 12 warn of an overlap that is not there
  else if (const auto status = http::normalize_path(out.target.raw_path, out.path))
    return status;
  if (!config.trusted_proxies.empty() && http::is_trusted(from.address, config.trusted_proxies))
    apply_forwarded(config, out);
  return 0;
}

}  // namespace httpd::server
