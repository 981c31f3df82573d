// server/sandbox: what a process that has confined itself can and cannot do, tried from inside.
#include "server/sandbox.hpp"

#include "catch.hpp"
#include "init/capabilities.hpp"
#include "io/captured_log.hpp"
#include "io/failing_calls.hpp"
#include "io/fixture.hpp"
#include "io/landlock.hpp"
#include "io/processes.hpp"
#include "io/spool.hpp"
#include "server/document_root.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

using namespace httpd;
using namespace httpd::test;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool may_execute = true;  // symbolizers
#else
constexpr bool may_execute = false;
#endif

// A site, a folder beside it that nothing leads to, and one for spool files.
struct site {
  site() {
    for (const char* name : {"/web/site", "/outside", "/spool"})
      std::filesystem::create_directories(folder.path() + name);
    folder.write("web/site/a.txt", "a");
    folder.write("outside/b.txt", "b");
    config.document_root = folder.path() + "/web/site";
    config.php.mode = config::php_mode::none;
  }
  // Confines a process and lets it try.
  std::string confined(const std::function<std::string()>& work) const {
    return in_a_process([&] {
      ::setenv("TMPDIR", (folder.path() + "/spool").c_str(), 1);
      init::drop_capabilities();
      const captured_log log;
      server::confine(config, "somebody");
      return work();
    });
  }
  std::string log_of_confine() const {
    return in_a_process([&] {
      const captured_log log;
      server::confine(config, "somebody");
      return log.text();
    });
  }

  temporary_folder folder;
  config::configuration config;
};

bool executes(const char* program) {
  const pid_t child = ::vfork();
  if (child == 0) {
    ::execl(program, program, static_cast<char*>(nullptr));
    ::_exit(errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  errno = WEXITSTATUS(status);
  return status == 0;
}

struct tcp_listener {
  tcp_listener() : fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    REQUIRE((::bind(fd.get(), raw, size) == 0 && ::listen(fd.get(), 8) == 0 &&
             ::getsockname(fd.get(), raw, &size) == 0));
  }
  bool connects() const {
    const unique_fd to{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    return ::connect(to.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  unique_fd fd;
  sockaddr_in address{};
};

int landlock_version() {
  io::error_code error;
  return io::landlock{false, error}.version();
}

}  // namespace

TEST_CASE("a confined process reads its site and no other file, even as root") {
  if (landlock_version() < 1) {
    WARN("this kernel has no Landlock");
    return;
  }
  const site here;
  const auto& root = here.config.document_root;
  const auto said = here.confined([&] {
    attempts tried;
    tried.open("site", root + "/a.txt", O_RDONLY);
    tried.open("list", root, O_RDONLY | O_DIRECTORY);
    tried.open("holder", root + "/..", O_RDONLY | O_DIRECTORY);
    tried.open("shadow", "/etc/shadow", O_RDONLY);
    tried.open("passwd", "/etc/passwd", O_RDONLY);
    tried.open("outside", here.folder.path() + "/outside/b.txt", O_RDONLY);
    tried.open("root folder", "/", O_RDONLY | O_DIRECTORY);
    std::thread{[&] { tried.open("thread", "/etc/passwd", O_RDONLY); }}.join();
    return std::move(tried).text();
  });
  CHECK(said == "site ok\nlist ok\nholder ok\nshadow EACCES\npasswd EACCES\noutside EACCES\n"
                "root folder EACCES\nthread EACCES\n");
}

TEST_CASE("a confined process changes nothing in its site") {
  if (landlock_version() < 3) {
    WARN("this kernel's Landlock does not know of truncation");
    return;
  }
  const site here;
  const auto file = here.config.document_root + "/a.txt", fresh = here.config.document_root + "/new";
  const auto said = here.confined([&] {
    attempts tried;
    tried.open("write", file, O_WRONLY);
    tried.open("make", fresh, O_WRONLY | O_CREAT);
    tried.open("nameless", here.config.document_root, O_TMPFILE | O_RDWR);
    tried.note("truncate", ::truncate(file.c_str(), 0) == 0);
    tried.note("remove", ::unlink(file.c_str()) == 0);
    tried.note("folder", ::mkdir(fresh.c_str(), 0700) == 0);
    tried.note("link", ::symlink("a.txt", fresh.c_str()) == 0);
    tried.note("rename", ::rename(file.c_str(), fresh.c_str()) == 0);
    return std::move(tried).text();
  });
  CHECK(said == "write EACCES\nmake EACCES\nnameless EACCES\ntruncate EACCES\nremove EACCES\nfolder EACCES\n"
                "link EACCES\nrename EACCES\n");
}

TEST_CASE("a confined process executes nothing and signals nobody outside") {
  if (landlock_version() < 6) {
    WARN("this kernel's Landlock does not know of signals");
    return;
  }
  const site here;
  const auto said = here.confined([] {
    attempts tried;
    tried.note("execute", executes("/bin/true"));
    tried.note("signal", ::kill(::getppid(), 0) == 0);
    tried.note("itself", ::kill(::getpid(), 0) == 0);
    return std::move(tried).text();
  });
  CHECK(said == concat("execute ", may_execute ? "ok" : "EACCES", "\nsignal EPERM\nitself ok\n"));
}

TEST_CASE("a confined process still spools bodies to the folder it had") {
  const site here;
  const auto spool_folder = here.folder.path() + "/spool";
  const auto said = here.confined([&] {
    io::spool body;
    const auto bytes = pattern(io::spool::memory_bytes + 1);
    if (body.append(bytes)) return std::string{"an error"};
    std::string got(bytes.size(), '\0');
    if (::pread(body.file(), got.data(), got.size(), 0) != ssize_t(got.size()) || got != bytes)
      return std::string{"other bytes"};
    struct stat file{}, folder{};
    ::fstat(body.file(), &file);
    ::stat(spool_folder.c_str(), &folder);
    return std::string{file.st_dev == folder.st_dev ? "in the folder" : "elsewhere"};
  });
  CHECK(said == "in the folder");
}

TEST_CASE("a confined process connects to its php-fpm alone and listens nowhere") {
  if (landlock_version() < 4) {
    WARN("this kernel's Landlock does not know of ports");
    return;
  }
  site here;
  const tcp_listener php, other;
  here.config.php.mode = config::php_mode::external;
  here.config.php.servers = {{"127.0.0.1", ntohs(php.address.sin_port), ""}};
  const auto said = here.confined([&] {
    attempts tried;
    tried.note("php", php.connects());
    tried.note("other", other.connects());
    const unique_fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in any = php.address;
    any.sin_port = 0;
    tried.note("bind", ::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0);
    return std::move(tried).text();
  });
  CHECK(said == "php ok\nother EACCES\nbind EACCES\n");
}

TEST_CASE("a confined process looks up names only when a php-fpm has one") {
  if (landlock_version() < 1) {
    WARN("this kernel has no Landlock");
    return;
  }
  site here;
  const auto look = [] {
    attempts tried;
    addrinfo* found = nullptr;
    tried.note("lookup", ::getaddrinfo("localhost", nullptr, nullptr, &found) == 0);
    tried.open("hosts", "/etc/hosts", O_RDONLY);
    tried.open("passwd", "/etc/passwd", O_RDONLY);
    return std::move(tried).text();
  };
  here.config.php.mode = config::php_mode::external;
  here.config.php.servers = {{"php", 9000, ""}};
  CHECK(here.confined(look) == "lookup ok\nhosts ok\npasswd EACCES\n");
  here.config.php.servers = {{"127.0.0.1", 9000, ""}, {"::1", 9000, ""}, {"", 0, "/run/php.sock"}};
  CHECK(here.confined(look).ends_with("\nhosts EACCES\npasswd EACCES\n"));
}

TEST_CASE("a file that a confined process may not read is denied and named, one line for many") {
  if (landlock_version() < 1) {
    WARN("this kernel has no Landlock");
    return;
  }
  const site here;
  const auto& folder = here.config.document_root;
  std::filesystem::create_symlink("/etc", folder + "/link");
  here.folder.write("web/site/mode.txt", "x");
  std::filesystem::permissions(folder + "/mode.txt", std::filesystem::perms::none);
  const auto said = here.confined([&] {
    const server::document_root root{folder};
    const captured_log log;
    unique_fd file;
    struct stat info{};
    std::string denied;
    for (const char* path : {"/mode.txt", "/link/passwd", "/link/hosts", "/link"})
      if (root.open(path, file, info) == server::lookup::denied) append(denied, path, ' ');
    if (root.open("/a.txt", file, info) != server::lookup::file) denied += "/a.txt ";
    return concat(denied, log.text());
  });
  CHECK(said.starts_with("/mode.txt /link/passwd /link/hosts /link "));
  CHECK(said.find(concat(folder, "/link/passwd, which is /etc/passwd, may not be read")) != said.npos);
  CHECK(said.find("HUP") != said.npos);
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
}

TEST_CASE("a kernel without Landlock is no reason not to start") {
  const site here;
  for (const auto& [error, reason] : {std::pair{ENOSYS, "not in this kernel"},
                                      {EOPNOTSUPP, "switched off in this kernel"},
                                      {EPERM, "forbidden by the container's engine"}}) {
    const auto said = in_a_process([&, error = error] {
      const captured_log log;
      failing_calls::fail(1, error, "syscall");
      const failing_calls::armed now;
      server::confine(here.config, "somebody");
      const bool free = bool(unique_fd{::open("/etc/passwd", O_RDONLY | O_CLOEXEC)});
      return concat(free ? "free: " : "confined: ", log.text());
    });
    CHECK(said.starts_with("free: "));
    CHECK(said.ends_with(concat(", no new privileges; without Landlock: ", reason, "\n")));
  }
}

TEST_CASE("the line of the start says what holds") {
  site here;
  here.config.sandbox.reads = {here.folder.path() + "/outside", here.folder.path() + "/missing"};
  if (landlock_version() >= 1) {
    const auto said = here.log_of_confine();
    CHECK(said.find(concat("cannot allow reading ", here.folder.path(), "/missing")) != said.npos);
    CHECK(said.find("confined: user somebody") != said.npos);
    const auto& base = here.folder.path();
    CHECK(said.find(concat("(reads ", base, "/outside ", base, "/web, writes ")) != said.npos);
  }
  here.config.sandbox.on = false;
  const auto said = here.log_of_confine();
  CHECK(said.find("not confined because of --no-sandbox: user somebody") != said.npos);
}
