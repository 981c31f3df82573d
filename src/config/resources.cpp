// What the machine or the container gives us, read from /proc and the cgroup file systems.
#include "config/resources.hpp"

#include "base/text.hpp"
#include "config/files.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace httpd::config {
namespace {

std::string_view next_word(std::string_view& text) {
  constexpr std::string_view blanks = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const auto word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

// The first number after `key` in a file of "Key: value" lines.
std::string_view value_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == text.npos) return {};
  text.remove_prefix(at + key.size());
  return next_word(text);
}

// Every folder that can hold a limit of ours: the process's own cgroup and its parents. Inside a
// container /proc/self/cgroup may name a path of the host that is not mounted here; then the parents,
// in the end the mount itself, are what holds.
std::vector<std::string> with_parents(const std::string& mount, std::string path) {
  std::vector<std::string> folders;
  while (path.size() > 1) {
    folders.push_back(mount + path);
    const auto slash = path.rfind('/');
    path.resize(slash == path.npos ? 0 : slash);
  }
  folders.push_back(mount);
  return folders;
}

struct cgroup_paths {
  std::vector<std::string> unified, memory, cpu;  // v2; v1
};

cgroup_paths find_cgroups(const std::string& root) {
  cgroup_paths found;
  const std::string mounts = root + "/sys/fs/cgroup";
  const std::string table = read_file(root + "/proc/self/cgroup");
  for (std::string_view rest = table; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto first = line.find(':');
    const auto second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string path{line.substr(second + 1)};
    auto controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) found.unified = with_parents(mounts, path);
    while (!controllers.empty()) {
      const auto controller = next_in_list(controllers);
      if (controller == "memory") found.memory = with_parents(mounts + "/memory", path);
      if (controller == "cpu") found.cpu = with_parents(mounts + "/cpu", path);
    }
  }
  return found;
}

std::optional<std::uint64_t> memory_limit(const cgroup_paths& groups) {
  std::optional<std::uint64_t> least;
  const auto consider = [&least](const std::string& file) {
    const std::string text = read_file(file);
    std::string_view rest = text;
    const auto value = parse_u64(next_word(rest));
    if (value && (!least || *value < *least)) least = value;
  };
  for (const auto& folder : groups.unified) consider(folder + "/memory.max");
  for (const auto& folder : groups.memory) consider(folder + "/memory.limit_in_bytes");
  return least;
}

std::optional<std::uint64_t> cpu_quota(const cgroup_paths& groups) {
  std::optional<std::uint64_t> least;
  const auto consider = [&least](std::string_view quota_text, std::string_view period_text) {
    const auto quota = parse_u64(quota_text);  // "max" and -1 mean no quota
    const auto period = parse_u64(period_text);
    if (!quota || !period || *period == 0) return;
    const auto cpus = std::max<std::uint64_t>(1, (*quota + *period - 1) / *period);
    if (!least || cpus < *least) least = cpus;
  };
  for (const auto& folder : groups.unified) {
    const std::string text = read_file(folder + "/cpu.max");
    std::string_view rest = text;
    const auto quota = next_word(rest);
    consider(quota, next_word(rest));
  }
  for (const auto& folder : groups.cpu) {
    const std::string quota = read_file(folder + "/cpu.cfs_quota_us");
    const std::string period = read_file(folder + "/cpu.cfs_period_us");
    std::string_view quota_rest = quota, period_rest = period;
    consider(next_word(quota_rest), next_word(period_rest));
  }
  return least;
}

using ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// "0-3,8" as the kernel writes lists of CPUs.
ranges parse_ranges(std::string_view list) {
  ranges found;
  while (!list.empty()) {
    const auto item = next_in_list(list);
    const auto dash = item.find('-');
    const auto first = parse_u64(item.substr(0, dash));
    const auto last = dash == item.npos ? first : parse_u64(item.substr(dash + 1));
    if (first && last && *first <= *last) found.emplace_back(*first, *last);
  }
  return found;
}

// The CPUs that we may use and that exist: the affinity mask often has bits for CPUs that could be
// plugged in one day.
unsigned count_cpus(const std::string& status, const std::string& online) {
  const ranges allowed = parse_ranges(value_after(status, "Cpus_allowed_list:"));
  std::string_view rest = online;
  ranges present = parse_ranges(next_word(rest));
  if (present.empty()) present = allowed;
  std::uint64_t cpus = 0;
  for (const auto& [a_first, a_last] : allowed)
    for (const auto& [p_first, p_last] : present) {
      const auto first = std::max(a_first, p_first), last = std::min(a_last, p_last);
      if (first <= last) cpus += last - first + 1;
    }
  return unsigned(std::clamp<std::uint64_t>(cpus, 1, 4096));
}

}  // namespace

resources read_resources(const std::string& root) {
  resources found;
  found.cpus = count_cpus(read_file(root + "/proc/self/status"),
                          read_file(root + "/sys/devices/system/cpu/online"));
  found.memory_bytes =
      parse_u64(value_after(read_file(root + "/proc/meminfo"), "MemTotal:")).value_or(0) * 1024;
  const cgroup_paths groups = find_cgroups(root);
  const auto limit = memory_limit(groups);
  // "No limit" is a huge number in v1, and a limit above the machine's memory is none.
  if (limit && (found.memory_bytes == 0 || *limit < found.memory_bytes)) {
    found.memory_bytes = *limit;
    found.memory_is_limit = true;
  }
  if (const auto quota = cpu_quota(groups); quota && *quota < found.cpus) found.cpus = unsigned(*quota);
  return found;
}

unsigned default_php_workers(const resources& given, std::string& arithmetic) {
  constexpr std::uint64_t mib = 1024 * 1024;
  const std::uint64_t by_memory = given.memory_bytes / 2 / (32 * mib);
  const std::uint64_t by_cpu = std::uint64_t{8} * given.cpus;
  const auto workers = unsigned(std::max<std::uint64_t>(1, std::min(by_memory, by_cpu)));
  arithmetic = concat("half of ", given.memory_bytes / mib, " MiB",
                      given.memory_is_limit ? " (cgroup limit)" : "", " at 32 MiB each is ", by_memory,
                      ", 8 for each of ", given.cpus, given.cpus == 1 ? " CPU is " : " CPUs is ", by_cpu);
  return workers;
}

std::uint64_t default_php_spool(const resources& given, bool in_memory) noexcept {
  constexpr std::uint64_t most = 1u << 30;
  return in_memory ? std::min(most, given.memory_bytes / 8) : most;
}

}  // namespace httpd::config
