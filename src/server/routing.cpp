// The decision for one request. Only looks; answers nothing.
#include "server/routing.hpp"

#include "base/text.hpp"
#include "config/config.hpp"
#include "http/path_rules.hpp"
#include "server/request.hpp"

namespace httpd::server {

namespace {

route error(unsigned status, std::string_view allow = {}) {
  route result;
  result.status = status;
  result.allow = allow;
  return result;
}

route script(std::string_view name, std::string_view path_info) {
  route result;
  result.what = route::kind::script;
  result.path = name;
  result.path_info = path_info;
  return result;
}

class router {
public:
  router(const request& asked, const config::configuration& config, const document_root& root,
         file_cache& files)
      : asked_{asked}, config_{config}, root_{root}, files_{files} {}

  route decide() {
    const std::string_view path = asked_.path;
    if (http::has_hidden_segment(path.substr(0, end_of_first_script_name(path)))) return error(404);
    if (config_.php.mode != config::php_mode::none)
      if (auto found = find_script(path); found.what == route::kind::script) return found;
    if (http::is_refused(path)) return refused(path);
    return path.ends_with('/') ? directory(path) : file(path);
  }

private:
  // Dots in PATH_INFO are the script's business, not hidden files.
  static std::size_t end_of_first_script_name(std::string_view path) {
    const auto end = http::next_script_prefix(path);
    return end == 0 ? path.size() : end;
  }

  bool is_file(std::string_view path) const {
    struct stat info{};
    return root_.find(path, info) == lookup::file;
  }

  route find_script(std::string_view path) const {
    for (auto end = http::next_script_prefix(path); end != 0; end = http::next_script_prefix(path, end)) {
      const auto name = path.substr(0, end);
      if (http::has_hidden_segment(name)) break;
      if (is_file(name)) return script(name, path.substr(end));
    }
    return error(404);
  }

  // A missing "x.php" may be the front controller's; any other refused name is 404 whether there is such
  // a file or not, and wakes no PHP for a scanner.
  route refused(std::string_view path) {
    return http::next_script_prefix(path) != 0 ? front_controller() : error(404);
  }

  // A script, or a page: the index.html of an application that runs in the browser.
  route front_controller() {
    const std::string_view name = config_.front_controller;
    if (name.empty()) return error(404);
    if (!name.ends_with(".php")) return http::is_refused(name) ? error(404) : send(name);
    if (config_.php.mode == config::php_mode::none || !is_file(name)) return error(404);
    return script(name, {});
  }

  route directory(std::string_view path) {
    for (const auto& name : config_.index) {
      const auto candidate = concat(path, name);
      if (candidate.ends_with(".php")) {
        if (config_.php.mode != config::php_mode::none && is_file(candidate)) return script(candidate, {});
        continue;
      }
      if (http::is_refused(candidate)) continue;
      route found = send(candidate);
      if (found.what != route::kind::error || found.status != 404) return found;
    }
    return front_controller();
  }

  route file(std::string_view path) {
    file_ptr opened;
    switch (const auto result = files_.get(path, opened)) {
      case lookup::file:
        return sendable(path, std::move(opened));
      case lookup::directory:
        return has_index(path) ? redirect(path) : front_controller();
      case lookup::missing:
        return front_controller();
      default:
        return failed(result);
    }
  }

  route send(std::string_view path) {
    file_ptr opened;
    const auto result = files_.get(path, opened);
    return result == lookup::file ? sendable(path, std::move(opened)) : failed(result);
  }

  static route failed(lookup result) {
    switch (result) {
      case lookup::denied:
        return error(403);
      case lookup::exhausted:
        return error(503);
      case lookup::failed:
        return error(500);
      default:
        return error(404);
    }
  }

  route sendable(std::string_view path, file_ptr opened) const {
    if (!asked_.is_get_or_head()) return error(405, "GET, HEAD");
    route result;
    result.what = route::kind::file;
    result.path = path;
    result.file = std::move(opened);
    return result;
  }

  bool has_index(std::string_view path) const {
    for (const auto& name : config_.index) {
      if (name.ends_with(".php") && config_.php.mode == config::php_mode::none) continue;
      if (is_file(concat(path, '/', name))) return true;
    }
    return false;
  }

  // Relative, so that no port or name of ours gets out (RFC 9110 10.2.2).
  route redirect(std::string_view path) const {
    route result;
    result.what = route::kind::redirect;
    result.status = asked_.is_get_or_head() ? 301 : 308;
    http::append_encoded_path(result.path, path);
    result.path += '/';
    if (asked_.target.has_query) append(result.path, '?', asked_.target.query);
    return result;
  }

  const request& asked_;
  const config::configuration& config_;
  const document_root& root_;
  file_cache& files_;
};

// Health is for the machine itself and for those we trust, asking in their own name.
bool may_see_health(const request& asked, const config::configuration& config) {
  if (asked.head.has("X-Forwarded-For") || asked.head.has("Forwarded")) return false;
  const auto& address = asked.from->address;
  if (!address || address->is_loopback()) return true;
  for (const auto& block : config.trusted_proxies)
    if (block.contains(*address)) return true;
  return false;
}

}  // namespace

route find_route(const request& asked, const config::configuration& config, const document_root& root,
                 file_cache& files) {
  const auto method = asked.head.method;
  if (asked.target.form == http::target_form::asterisk) {
    route result;
    result.what = route::kind::options;
    return result;
  }
  // A tunnel and an echo of the request's secrets: neither is this server's job.
  if (method == "CONNECT") return error(501);
  if (method == "TRACE") return error(405, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  if (asked.path == config.health_path) {
    if (!may_see_health(asked, config)) return error(404);
    if (!asked.is_get_or_head()) return error(405, "GET, HEAD");
    route result;
    result.what = route::kind::health;
    return result;
  }
  return router{asked, config, root, files}.decide();
}

bool asks_for_health(const request& asked, const config::configuration& config) {
  return asked.path == config.health_path && asked.is_get_or_head() && may_see_health(asked, config);
}

route find_file(std::string_view path, file_cache& files) {
  if (http::is_refused(path) || path.ends_with('/')) return error(404);
  route result;
  switch (files.get(path, result.file)) {
    case lookup::file:
      result.what = route::kind::file;
      result.path = path;
      break;
    case lookup::exhausted:
      return error(503);
    case lookup::denied:
      return error(403);
    default:
      break;
  }
  return result;
}

}  // namespace httpd::server
