// server/file_cache and server/variant_folders on real folders: what is kept is seen to change.
#include "server/file_cache.hpp"

#include "catch.hpp"
#include "io/fixture.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

using namespace httpd;
using namespace httpd::test;
namespace fs = std::filesystem;

namespace {

constexpr auto gzip = http::bit(http::coding::gzip);
constexpr auto all = gzip | http::bit(http::coding::br) | http::bit(http::coding::zstd);

// A document root with folders in it.
class site {
public:
  void file(const std::string& name, const std::string& content = "x") const {
    fs::create_directories(fs::path{at(name)}.parent_path());
    folder_.write(name, content);
  }
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  // Until a folder's last change is old enough for its list to be believed.
  void settle(const std::string& name) const {
    for (;;) {
      struct stat info{};
      REQUIRE(::stat(at(name).c_str(), &info) == 0);
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
      if (now.tv_sec - info.st_ctim.tv_sec >= server::variant_folders::settled_seconds) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }

private:
  temporary_folder folder_;

public:
  server::document_root root{folder_.path()};
};

void pass(std::chrono::milliseconds time) {
  const auto end = io::coarse_clock::now() + time;
  while (io::coarse_clock::now() <= end) std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

http::coding_set ask(server::variant_folders& folders, std::string_view path, unsigned times) {
  http::coding_set answer = 0;
  while (times-- > 0) answer = folders.possible(path);
  return answer;
}

}  // namespace

TEST_CASE("a folder is listed when it was asked about four times, and its changes show") {
  const site here;
  here.file("css/a.css");
  here.file("other/b.css");
  here.file("other/b.css.GZ");
  here.settle("css");
  here.settle("other");
  server::variant_folders folders{here.root};
  CHECK(ask(folders, "/css/a.css", 3) == all);
  CHECK(ask(folders, "/css/a.css", 1) == 0);
  CHECK(ask(folders, "/other/b.css", 4) == gzip);

  SECTION("a name is added") {
    here.file("css/a.css.br");
  }
  SECTION("a name is moved in") {
    fs::rename(here.at("other/b.css.GZ"), here.at("css/a.css.gz"));
  }
  SECTION("another folder takes its place") {
    fs::rename(here.at("css"), here.at("old"));
    fs::rename(here.at("other"), here.at("css"));
  }
  SECTION("it goes away") {
    fs::rename(here.at("css"), here.at("old"));
  }
  pass(server::variant_folders::trust);
  CHECK(ask(folders, "/css/a.css", 1) == all);
}

TEST_CASE("a folder that was changed just now is not listed") {
  const site here;
  here.file("css/a.css");
  const timespec tomorrow{std::time(nullptr) + 86400, 0};
  const timespec times[2]{tomorrow, tomorrow};
  REQUIRE(::utimensat(AT_FDCWD, here.at("css").c_str(), times, 0) == 0);
  server::variant_folders folders{here.root};
  CHECK(ask(folders, "/css/a.css", 64) == all);
}

TEST_CASE("a folder of many names is listed when it was asked about more often") {
  const site here;
  for (int i = 0; i < 200; ++i) here.file("many/" + std::to_string(i) + ".css");
  here.settle("many");
  server::variant_folders folders{here.root};
  CHECK(ask(folders, "/many/1.css", 7) == all);
  CHECK(ask(folders, "/many/1.css", 1) == 0);
}

TEST_CASE("a variant that comes or goes in a known folder shows when the file's time is over") {
  const site here;
  for (int i = 0; i < 8; ++i) here.file("css/" + std::to_string(i) + ".css");
  here.settle("css");
  server::file_cache files{here.root, 10, 1u << 20};
  server::file_ptr file;
  for (int i = 0; i < 8; ++i)
    REQUIRE(files.get("/css/" + std::to_string(i) + ".css", file) == server::lookup::file);
  CHECK(file->variants == 0);
  here.file("css/7.css.gz");
  pass(server::file_cache::life);
  REQUIRE(files.get("/css/7.css", file) == server::lookup::file);
  CHECK(file->variants == gzip);
  CHECK(file->validator_fields.find("Vary") != std::string::npos);
  fs::remove(here.at("css/7.css.gz"));
  pass(server::file_cache::life);
  REQUIRE(files.get("/css/7.css", file) == server::lookup::file);
  CHECK(file->variants == 0);
}

TEST_CASE("files that a full cache does not keep stay what they are while somebody has them") {
  const site here;
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("/f/" + std::to_string(i) + ".css");
    const auto size = static_cast<std::size_t>(i);
    here.file(names.back().substr(1), std::string(size, static_cast<char>('a' + i % 26)));
  }
  server::file_cache files{here.root, 2, 8 * 1100};
  std::vector<server::file_ptr> kept(names.size());
  for (int turn = 0; turn < 3; ++turn)
    for (std::size_t i = 0; i < names.size(); ++i) {
      // Every other one is let go again, as after an answer.
      server::file_ptr file;
      REQUIRE(files.get(names[i], file) == server::lookup::file);
      CHECK(file->bytes == std::string(i, static_cast<char>('a' + i % 26)));
      if (i % 2 == 0) kept[i] = file;
    }
  for (std::size_t i = 0; i < names.size(); i += 2) {
    CHECK(kept[i]->size == i);
    CHECK(kept[i]->bytes == std::string(i, static_cast<char>('a' + i % 26)));
  }
}

TEST_CASE("large files that a full cache does not keep are open while somebody has them") {
  const site here;
  const std::string content(server::file_cache::small_file_bytes + 1, 'l');
  for (int i = 0; i < 20; ++i) here.file("f/" + std::to_string(i) + ".bin", content);
  server::file_cache files{here.root, 2, 1u << 20};
  std::vector<server::file_ptr> kept(20);
  for (int i = 0; i < 20; ++i)
    REQUIRE(files.get("/f/" + std::to_string(i) + ".bin", kept[static_cast<std::size_t>(i)]) ==
            server::lookup::file);
  for (const auto& file : kept) {
    struct stat info{};
    CHECK(::fstat(file->descriptor.get(), &info) == 0);
    CHECK(info.st_ino == file->inode);
  }
}
