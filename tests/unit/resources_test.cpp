// CPUs and memory out of /proc and cgroup files, v1 and v2, and the pool size that follows.
#include "catch.hpp"

#include "config/resources.hpp"

#include <filesystem>
#include <fstream>
#include <stdlib.h>

using namespace httpd::config;

namespace {

// A folder that stands for "/".
class fake_root {
public:
  fake_root() {
    std::string name = std::filesystem::temp_directory_path() / "resources-XXXXXX";
    path_ = ::mkdtemp(name.data());
    put("/proc/meminfo", "MemTotal:        4194304 kB\nMemFree: 1 kB\n");
    put("/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed: 1\n");
    put("/sys/devices/system/cpu/online", "0-3\n");
  }
  ~fake_root() { std::filesystem::remove_all(path_); }
  fake_root(fake_root&&) = delete;

  void put(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path{path_ + file}.parent_path());
    std::ofstream{path_ + file} << text;
  }
  resources read() const { return read_resources(path_); }

private:
  std::string path_;
};

constexpr std::uint64_t mib = 1 << 20;

}  // namespace

TEST_CASE("without a cgroup the machine's memory and the usable CPUs count") {
  const fake_root root;
  const auto found = root.read();
  CHECK(found.cpus == 4);  // 0-7 allowed, 0-3 there
  CHECK(found.memory_bytes == 4096 * mib);
  CHECK_FALSE(found.memory_is_limit);
}

TEST_CASE("an affinity with gaps is counted") {
  const fake_root root;
  root.put("/proc/self/status", "Cpus_allowed_list:\t1,3-9\n");
  CHECK(root.read().cpus == 2);
}

TEST_CASE("limits of cgroup v2 hold, the least of all levels") {
  const fake_root root;
  root.put("/proc/self/cgroup", "0::/a/b\n");
  root.put("/sys/fs/cgroup/a/b/memory.max", "max\n");
  root.put("/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
  root.put("/sys/fs/cgroup/a/memory.max", "536870912\n");
  root.put("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
  const auto found = root.read();
  CHECK(found.memory_bytes == 512 * mib);
  CHECK(found.memory_is_limit);
  CHECK(found.cpus == 3);  // 2.5, rounded up
}

TEST_CASE("limits of cgroup v1 hold") {
  const fake_root root;
  root.put("/proc/self/cgroup", "4:memory:/x\n2:cpu,cpuacct:/x\n1:name=systemd:/\n0::/\n");
  root.put("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "268435456\n");
  root.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.put("/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n");
  root.put("/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  root.put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const auto found = root.read();
  CHECK(found.memory_bytes == 256 * mib);
  CHECK(found.memory_is_limit);
  CHECK(found.cpus == 1);
}

TEST_CASE("a container that sees a path of its host is limited by what is mounted") {
  const fake_root root;
  root.put("/proc/self/cgroup", "4:memory:/docker/0123\n");
  root.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n");
  CHECK(root.read().memory_bytes == 128 * mib);
}

TEST_CASE("a limit above the machine's memory is none") {
  const fake_root root;
  root.put("/proc/self/cgroup", "0::/\n");
  root.put("/sys/fs/cgroup/memory.max", "9223372036854771712\n");
  const auto found = root.read();
  CHECK(found.memory_bytes == 4096 * mib);
  CHECK_FALSE(found.memory_is_limit);
}

TEST_CASE("broken and missing files leave one CPU and no memory, and one worker") {
  const fake_root root;
  for (const auto* file : {"/proc/meminfo", "/proc/self/status", "/sys/devices/system/cpu/online"})
    root.put(file, ":");
  root.put("/proc/self/cgroup", "nonsense\n:\n0:\n\n7:memory\n0::\n");
  const auto found = root.read();
  CHECK(found.cpus == 1);
  CHECK(found.memory_bytes == 0);
  std::string arithmetic;
  CHECK(default_php_workers(found, arithmetic) == 1);
}

TEST_CASE("the pool size is half the memory at 32 MiB, at most eight per CPU, at least one") {
  std::string arithmetic;
  CHECK(default_php_workers({2, 512 * mib, true}, arithmetic) == 8);
  CHECK(arithmetic == "half of 512 MiB (cgroup limit) at 32 MiB each is 8, 8 for each of 2 CPUs is 16");
  CHECK(default_php_workers({2, 4096 * mib, false}, arithmetic) == 16);
  CHECK(default_php_workers({1, 4096 * mib, false}, arithmetic) == 8);
  CHECK(arithmetic == "half of 4096 MiB at 32 MiB each is 64, 8 for each of 1 CPU is 8");
  CHECK(default_php_workers({4, 60 * mib, true}, arithmetic) == 1);
}

TEST_CASE("answers in files have a gigabyte on a disk, and an eighth of the memory where they take memory") {
  const resources container{.cpus = 1, .memory_bytes = 512 * mib, .memory_is_limit = true};
  const resources machine{.cpus = 1, .memory_bytes = 65536 * mib, .memory_is_limit = false};
  CHECK(default_php_spool(container, false) == 1024 * mib);
  CHECK(default_php_spool(container, true) == 64 * mib);
  CHECK(default_php_spool(machine, true) == 1024 * mib);
  CHECK(default_php_spool({}, true) == 0);
}
