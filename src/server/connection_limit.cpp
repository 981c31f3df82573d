// The arithmetic of descriptors.
#include "server/connection_limit.hpp"

#include "base/log.hpp"
#include "config/config.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace httpd::server {

namespace {

constexpr std::size_t most_cached_files = 1024;
constexpr std::size_t most_spare = 64;
constexpr std::size_t most_extra = 16;

std::size_t open_files_limit() noexcept {
  rlimit limit{};
  constexpr rlim_t no_limit = 1u << 30;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return no_limit;
  return static_cast<std::size_t>(std::min(limit.rlim_cur, no_limit));
}

std::size_t fewer(std::size_t chosen, std::size_t possible) {
  if (chosen > possible)
    log::warning("--max-connections ", chosen, ": the limit of open files (ulimit -n) allows ", possible);
  return chosen == 0 ? possible : std::min(chosen, possible);
}

}  // namespace

descriptor_shares share_descriptors(const config::configuration& config) noexcept {
  const auto all = open_files_limit();
  const auto base = 12 + 7 * std::size_t{config.threads};  // open anyway
  auto left = all > base ? all - base : 0;
  // As many as scripts run at once; of an application whose workers nobody told, any number.
  std::size_t workers = 0;
  bool known = true;
  for (const auto& php : config::applications(config)) {
    workers += php.workers;
    known = known && php.workers > 0;
  }
  left -= known ? std::min(workers, left / 3) : left / 2;
  descriptor_shares shares;
  shares.cached_files = std::min(left / 4, most_cached_files);
  shares.spare = std::min(left / 16, most_spare);
  shares.bodies = left / 4;
  shares.connections = left - shares.cached_files - shares.spare - shares.bodies;
  shares.connections = std::max<std::size_t>(shares.connections, 4 * std::size_t{config.threads});
  return shares;
}

connection_limit::connection_limit(std::size_t chosen, const descriptor_shares& possible)
    : chosen_{chosen != 0 && chosen <= possible.connections},
      most_{fewer(chosen, possible.connections)},
      free_{most_},
      extra_{std::clamp<std::size_t>(possible.spare / 4, 1, most_extra)},
      extra_for_us_{extra_.left()} {}

}  // namespace httpd::server
