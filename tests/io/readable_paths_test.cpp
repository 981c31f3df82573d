// server/readable_paths: what the confined server may read, and never more than a site needs.
#include "server/readable_paths.hpp"

#include "catch.hpp"
#include "io/fixture.hpp"

#include <algorithm>
#include <filesystem>

using namespace httpd;
using namespace httpd::test;
namespace fs = std::filesystem;

namespace {

using strings = std::vector<std::string>;

// A folder of its own; names are relative to it.
class tree {
public:
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  void folder(const std::string& name) const { fs::create_directories(at(name)); }
  void file(const std::string& name) const {
    fs::create_directories(fs::path{at(name)}.parent_path());
    folder_.write(name, "x");
  }
  void link(const std::string& name, const std::string& target) const {
    fs::create_directories(fs::path{at(name)}.parent_path());
    fs::create_symlink(target, at(name));
  }
  // What is found for a root, relative to this tree and in order.
  strings found(const std::string& root) const {
    strings all;
    for (const auto& path : server::find_readable_paths(at(root)).paths) {
      const auto inside = folder_.path() + "/";
      all.push_back(path.starts_with(inside) ? path.substr(inside.size()) : path);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

private:
  temporary_folder folder_;
};

}  // namespace

TEST_CASE("a root may be read, and the folder that holds it") {
  const tree here;
  here.file("www/site/index.html");
  CHECK(here.found("www/site") == strings{"www", "www/site"});
  CHECK(here.found("www/missing") == strings{"www/missing"});
}

TEST_CASE("a folder directly below / is not read because it holds a root") {
  const temporary_folder root;  // /tmp/httpd-io-...
  REQUIRE(fs::path{root.path()}.parent_path().parent_path() == "/");
  CHECK(server::find_readable_paths(root.path()).paths == strings{root.path()});
  CHECK(server::find_readable_paths("/", 10).paths == strings{"/"});
}

TEST_CASE("the folder that holds what a link in the root's path leads to may be read") {
  const tree here;
  here.folder("app/releases/5/public");
  here.link("app/current", "releases/5");
  CHECK(here.found("app/current") == strings{"app/releases", "app/releases/5"});
  CHECK(here.found("app/current/public") ==
        strings{"app/releases", "app/releases/5", "app/releases/5/public"});
  here.link("absolute", here.at("app/releases/5"));
  CHECK(here.found("absolute") == strings{"app/releases", "app/releases/5"});
}

TEST_CASE("links that lead to links are followed to every target") {
  const tree here;
  here.folder("data/all/5");
  here.link("data/newest", "all");
  here.link("site/b", "../data/newest/5");
  here.link("site/a", "./b/../../all/5");  // b is in data/all, so ".." is there
  CHECK(here.found("site/b") == strings{"data", "data/all", "data/all/5"});
  CHECK(here.found("site/a") == here.found("site/b"));
}

TEST_CASE("links in a circle end") {
  const tree here;
  here.link("a", "b");
  here.link("b", "a");
  CHECK(here.found("a") == strings{"a"});
  here.file("www/site/index.html");
  here.link("www/site/self", ".");
  here.link("www/site/loop", "loop");
  CHECK(here.found("www/site") == strings{"www", "www/site"});
}

TEST_CASE("what links below the root lead to may be read") {
  const tree here;
  here.file("www/site/deep/er/x.txt");
  here.file("storage/public/a.png");
  here.file("elsewhere/one.txt");
  here.file("elsewhere/two.txt");
  here.file("beyond/x.txt");
  here.link("www/site/storage", "../../storage/public");
  here.link("www/site/deep/er/one.txt", here.at("elsewhere/one.txt"));
  here.link("www/site/.well-known/acme", here.at("beyond"));
  CHECK(here.found("www/site") ==
        strings{"beyond", "elsewhere/one.txt", "storage/public", "www", "www/site"});
}

TEST_CASE("links that lead nowhere, stay inside or are never served allow nothing") {
  const tree here;
  here.file("www/site/x.txt");
  here.file("www/beside.txt");
  here.file("elsewhere/x.txt");
  here.link("www/site/dangling", "../../elsewhere/missing");
  here.link("www/site/inside", "x.txt");
  here.link("www/site/neighbour", "../beside.txt");
  here.link("www/site/.git/x", here.at("elsewhere"));
  here.link("www/site/.hidden", here.at("elsewhere"));
  here.link("www/site/sub/.well-known", here.at("elsewhere"));
  here.link("www/site/device", "/dev/null");
  CHECK(here.found("www/site") == strings{"www", "www/site"});
}

TEST_CASE("a link to a folder of the system is refused and named") {
  const tree here;
  for (const std::string target : {"/", "/etc", "/tmp", "/usr", "/proc", "/proc/self", "/dev"}) {
    here.link("www/site/link", target);
    const auto found = server::find_readable_paths(here.at("www/site"));
    CHECK(found.paths == strings{here.at("www/site"), here.at("www")});
    REQUIRE(found.refused.size() == 1);
    CHECK(found.refused[0].starts_with(here.at("www/site/link") + " leads to /"));
    fs::remove(here.at("www/site/link"));
  }
}

TEST_CASE("what is allowed anyway is neither listed nor refused") {
  const tree here;
  here.file("outside/x");
  here.link("www/site/link", here.at("outside"));
  here.link("www/site/system", "/etc");
  const strings known{here.at("outside"), "/etc/", here.at("nothing")};
  const auto found = server::find_readable_paths(here.at("www/site"), 100, known);
  CHECK(found.paths == strings{here.at("www/site"), here.at("www")});
  CHECK(found.refused.empty());
}

TEST_CASE("with too many names the upper ones count, and what was not seen is named") {
  const tree here;
  here.file("upper/x");
  here.file("lower/x");
  here.link("www/site/link", here.at("upper"));
  here.link("www/site/a/b/c/link", here.at("lower"));
  const auto with = [&here](std::size_t most) {
    return server::find_readable_paths(here.at("www/site"), most);
  };
  const auto all = with(5);  // a, link, b, c, link
  CHECK(all.paths.size() == 4);
  CHECK(all.unseen.empty());
  const auto some = with(4);
  CHECK(some.paths == strings{here.at("www/site"), here.at("www"), here.at("upper")});
  CHECK(some.unseen == here.at("www/site/a/b/c"));
}
