// "isolation" of an application: what is wanted.
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

namespace httpd::config {
namespace {

using isolation = process_isolation;
using mapping = process_isolation::mapping;

constexpr key<isolation> namespace_keys[] = {
    {"credential", a_boolean, flag<&isolation::credential>},
    {"pid", a_boolean, flag<&isolation::pid>},
    {"network", a_boolean, flag<&isolation::network>},
    {"mount", a_boolean, flag<&isolation::mount>},
    {"uname", a_boolean, flag<&isolation::uname>},
    {"cgroup", a_boolean, flag<&isolation::cgroup_namespace>},
};

constexpr key<isolation> automount_keys[] = {
    {"language_deps", a_boolean, flag<&isolation::automount_language_deps>},
    {"tmpfs", a_boolean, flag<&isolation::automount_tmpfs>},
    {"procfs", a_boolean, flag<&isolation::automount_procfs>},
};

constexpr std::int64_t most_ids = UINT32_MAX;

constexpr key<mapping> mapping_keys[] = {
    {"container", an_integer, number<&mapping::container, 0, most_ids>, true},
    {"host", an_integer, number<&mapping::host, 0, most_ids>, true},
    {"size", an_integer, number<&mapping::size, 1, most_ids>, true},
};

template <auto& Keys>
bool with(site_reader& at, const json_value& value, isolation& out) {
  return read_object(at, value, part{Keys, out});
}

template <auto Member>
bool mappings(site_reader& at, const json_value& value, isolation& out) {
  const auto name = at.name();
  return read_one_or_many(at, value, [&](const json_value& one) {
    if (!is_one_of(one, an_object))
      return at.fail(concat("The \"", name, "\" array must contain only object values."));
    return read_object(at, one, part{mapping_keys, (out.*Member).emplace_back()});
  });
}

// Whether an absolute path is "/" in disguise: "..", "." and "//" taken away.
bool is_root(std::string_view path) noexcept {
  int depth = 0;
  while (!path.empty()) {
    path.remove_prefix(path.find_first_not_of('/') == path.npos ? path.size() : path.find_first_not_of('/'));
    const auto name = path.substr(0, path.find('/'));
    if (name == ".." && depth > 0) --depth;
    else if (!name.empty() && name != "." && name != "..") ++depth;
    path.remove_prefix(name.size());
  }
  return depth == 0;
}

bool read_rootfs(site_reader& at, const json_value& value, isolation& out) {
  const auto& path = value.text;
  if (!path.starts_with('/') || is_root(path) || path.find('\0') != path.npos)
    return at.fail(concat("The \"rootfs\" path \"", path,
                          "\" is invalid; an absolute path other than \"/\" is required."));
  out.rootfs = path;
  return true;
}

bool read_cgroup_path(site_reader& at, const json_value& value, isolation& out) {
  const auto& path = value.text;
  constexpr std::size_t longest = 4096 - sizeof "/sys/fs/cgroup";  // PATH_MAX of the whole
  if (path.size() >= longest) return at.fail(concat("The cgroup path \"", path, "\" is too long."));
  if (path.empty() || path.find('\0') != path.npos || concat('/', path, '/').find("/../") != path.npos)
    return at.fail(concat("The cgroup path \"", path, "\" is invalid."));
  out.cgroup_path = path;
  return true;
}

constexpr key<isolation> cgroup_keys[] = {{"path", a_string, read_cgroup_path, true}};

constexpr key<isolation> keys[] = {
    {"namespaces", an_object, with<namespace_keys>},
    {"uidmap", an_array, mappings<&isolation::uidmap>},
    {"gidmap", an_array, mappings<&isolation::gidmap>},
    {"rootfs", a_string, read_rootfs},
    {"automount", an_object, with<automount_keys>},
    {"new_privs", a_boolean, flag<&isolation::new_privileges>},
    {"cgroup", an_object, with<cgroup_keys>},
};

}  // namespace

bool read_isolation(site_reader& at, const json_value& value, process_settings& out) {
  return read_object(at, value, part{keys, out.isolation});
}

}  // namespace httpd::config
