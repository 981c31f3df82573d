// fork(), the common set-up of a child, execve().
#include "init/spawn.hpp"

#include "base/fd.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>

namespace httpd::init {
namespace {

// For kernels and sandboxes without close_range: only what is open is closed, however high the
// descriptor limit is.
void close_listed(unsigned first, unsigned last) noexcept {
  DIR* folder = ::opendir("/proc/self/fd");
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder)) {
    const auto fd = unsigned(std::strtoul(entry->d_name, nullptr, 10));
    if (entry->d_name[0] != '.' && fd >= first && fd <= last && int(fd) != ::dirfd(folder)) ::close(int(fd));
  }
  ::closedir(folder);
}

void close_between(unsigned first, unsigned last) noexcept {
  if (first <= last && ::syscall(SYS_close_range, first, last, 0) != 0) close_listed(first, last);
}

void close_all_but(std::vector<int>& keep) noexcept {
  std::sort(keep.begin(), keep.end());
  unsigned next = 3;
  for (const int fd : keep) {
    if (fd < int(next)) continue;
    close_between(next, unsigned(fd) - 1);
    next = unsigned(fd) + 1;
  }
  close_between(next, std::numeric_limits<unsigned>::max());
}

void reset_signals() noexcept {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));  // execve's signature
  all.push_back(nullptr);
  return all;
}

[[noreturn]] void execute(const std::vector<char*>& argv, const std::vector<char*>& environment,
                          std::vector<int> keep, int standard_error, int report, pid_t parent) {
  ::dup2(standard_error, STDERR_FILENO);
  for (const int fd : keep) ::fcntl(fd, F_SETFD, 0);
  keep.push_back(report);
  begin_child(std::move(keep));
  end_with_parent(parent);
  ::execve(argv[0], argv.data(), environment.data());
  const int error = errno;
  [[maybe_unused]] const auto sent = ::write(report, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

void begin_child(std::vector<int> keep) noexcept {
  ::setpgid(0, 0);
  close_all_but(keep);
  reset_signals();
}

void end_with_parent(pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(0);
}

spawned spawn_program(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                      const std::vector<int>& keep, int standard_error) {
  const auto arguments = pointers(argv), variables = pointers(environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {-1, errno};
  const unique_fd result{ends[0]};
  unique_fd report{ends[1]};
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return {-1, errno};
  if (pid == 0) execute(arguments, variables, keep, standard_error, report.get(), parent);
  ::setpgid(pid, pid);  // here too: whoever is first, the group is there when we signal it
  report.reset();
  // Ends as soon as the program runs: the pipe's other end is closed by execve().
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(result.get(), &error, sizeof error)) < 0 && errno == EINTR) {}
  if (got != ssize_t(sizeof error)) return {pid, 0};
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
  return {-1, error};
}

int exec_failure_status(int error) noexcept { return error == ENOENT || error == ENOTDIR ? 127 : 126; }

void fill_standard_descriptors() noexcept {
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
}

}  // namespace httpd::init
