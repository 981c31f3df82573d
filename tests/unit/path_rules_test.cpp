// http/path_rules: where a script ends in a path, and what is never sent.
#include "http/path_rules.hpp"

#include "catch.hpp"

#include <string>
#include <vector>

using namespace httpd::http;

namespace {

std::vector<std::string> script_prefixes(std::string_view path) {
  std::vector<std::string> found;
  for (std::size_t end = next_script_prefix(path); end != 0; end = next_script_prefix(path, end))
    found.emplace_back(path.substr(0, end));
  return found;
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("case 1: the script ends at a slash or at the end of the path") {
  CHECK(script_prefixes("/env.php") == list{"/env.php"});
  CHECK(script_prefixes("/env.php/") == list{"/env.php"});
  CHECK(script_prefixes("/env.php/foo/bar") == list{"/env.php"});
  CHECK(script_prefixes("/a/b/env.php/foo") == list{"/a/b/env.php"});
  CHECK(next_script_prefix("/env.php/foo") == 8);
}

TEST_CASE("case 3: php inside another word is no split point") {
  CHECK(script_prefixes("/php/sub/page.php") == list{"/php/sub/page.php"});
  CHECK(script_prefixes("/index.phptest/show.php/q") == list{"/index.phptest/show.php"});
  CHECK(script_prefixes("/index.php.show.php") == list{"/index.php.show.php"});
  for (const char* path : {"/env.phpx", "/env.php.", "/env.php ", "/env.php~", "/env.PHP", "/env.Php",
      "/envphp", "/php", "/.php",
                           "/a/.php/b", "/", "", "env", "/env.ph", "/env.php\n"}) {
    CAPTURE(path);
    CHECK(script_prefixes(path).empty());
  }
}

TEST_CASE("case 14: every prefix that looks like a script is offered in order") {
  CHECK(script_prefixes("/nosuch.php/x.php") == list{"/nosuch.php", "/nosuch.php/x.php"});
  CHECK(script_prefixes("/a.php/b/c.php/d") == list{"/a.php", "/a.php/b/c.php"});
  CHECK(script_prefixes("/img/avatar.jpg/x.php") == list{"/img/avatar.jpg/x.php"});
  CHECK(script_prefixes("/img/avatar.jpg/.php").empty());
}

TEST_CASE("a search may begin anywhere in the path") {
  const std::string_view path = "/a.php/b/c.php/d";
  for (std::size_t from = 0; from <= path.size() + 2; ++from)
    CHECK(next_script_prefix(path, from) == (from < 6 ? 6u : from < 14 ? 14u : 0u));
}

TEST_CASE("case 12: names that PHP could run are refused in any case and disguise") {
  for (const char* path :
       {"/env.php", "/UP.PHP", "/x.phtml", "/x.PhTmL", "/x.phar", "/x.pht", "/x.phps", "/x.php3", "/x.php4",
           "/x.php5", "/x.php6",
        "/x.php7", "/x.PHP8", "/env.php.", "/env.php...", "/env.php ", "/env.php. .", "/env.php::$DATA",
        "/env.php::$data",
        "/env.php::$DATA.", "/a/b/env.php", "/env.php~", "/env.php.bak", "/env.phtml.save", "/env.php.swp",
        "/env.php~ ",
        "/env.php.bak.", "/#env.php#", "/.php"}) {
    CAPTURE(path);
    CHECK(is_refused(path));
  }
}

TEST_CASE("case 12: source under a further extension is refused") {
  for (const char* path : {"/b.php.txt", "/b.php.gz", "/c.php.br", "/b.PHP.zip", "/b.php.1", "/b.php.dist", "/b.php-dist",
                           "/b.php_", "/b.php.html", "/b.phtml.txt", "/b.inc", "/config.inc.txt", "/b.php copy"}) {
    CAPTURE(path);
    CHECK(is_refused(path));
  }
}

TEST_CASE("case 12: copies that editors and packagers leave are refused") {
  for (const char* path : {"/a~", "/a.txt~", "/a.bak", "/A.BAK", "/a.swp", "/a.swo", "/a.swn", "/a.orig",
      "/a.save", "/a.old", "/a.tmp",
                           "/a.dpkg-dist", "/a.dpkg-old", "/a.rej", "/#a#", "/dir/#a.txt#",
                           "/config.inc.old"}) {
    CAPTURE(path);
    CHECK(is_refused(path));
  }
}

TEST_CASE("case 19: dotfiles are refused wherever they are") {
  for (const char* path : {"/.env", "/.git/config", "/dir/.htaccess", "/.env/", "/a/.b/c", "/.", "/..",
      "/...", "/.well-known",
                           "/.well-knownx/a", "/.Well-Known/a", "/a/.well-known/b", "/.well-known/.env",
                           "/.well-known/a/.git/x",
                           "/.well-known/x.php", "/.well-known/x~"}) {
    CAPTURE(path);
    CHECK(is_refused(path));
  }
  CHECK_FALSE(is_refused("/.well-known/"));
  CHECK_FALSE(is_refused("/.well-known/acme-challenge/t"));
}

TEST_CASE("ordinary names are sent") {
  for (const char* path : {"/", "/a.txt", "/dir/", "/dir/index.html", "/app.js", "/app.js.gz", "/a.b.c",
      "/php", "/php/", "/php.html", "/x.phpx",
                           "/x.php9", "/x.phpinfo.html", "/include", "/phar", "/bak", "/old/x", "/~user/a", "/#", "/#a",
                           "/a#", "/a.", "/a..", "/ ", "/swp",
                           "/x.backup", "/env.php/", "/a b", "/\xc3\xa9.png", ""}) {
    CAPTURE(path);
    CHECK_FALSE(is_refused(path));
  }
}
