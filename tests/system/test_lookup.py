"""Which file a path names: what is never sent, and errors of the look-up."""
import os
import socket

import harness


class NeverSent(harness.TestCase):
    """Cases 11, 12, 19 and 20 without PHP; test_php.py has them with it."""

    def setUp(self):
        super().setUp()
        secret = "<?php echo 'secret';"
        for name in ("UP.PHP", "x.phtml", "x.phar", "x.php5", "env.php~", "env.php.bak", ".env.php.swp",
                     "#env.php#", "x.phps",
                     ".env", ".git/config", "dir/.htaccess", "onlyidx/index.php", "notes.txt~",
                     "env.php.orig"):
            path = self.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(secret)
        challenge = self.root / ".well-known/acme-challenge"
        challenge.mkdir(parents=True)
        (challenge / "t").write_text("token")
        (self.temp / "outside.txt").write_text(secret)
        self.server = self.serve_static()

    def check(self, *targets, statuses=(400, 403, 404)):
        for target in targets:
            reply = self.server.get(target)
            self.assertIn(reply.status, statuses, target)
            self.assertNotIn(b"<?php", reply.body, target)

    def test_scripts_are_404_without_php_and_never_sent(self):  # case 12
        self.check("/env.php", "/env.php/x", "/env%2ephp", "/env.ph%70", "/index.php", "/nosuch.php",
                   statuses=(404,))
        self.check("/env.php/", "/env.php.", "/env.php%20", "/env.php::$DATA", "/env.php%2f", "/UP.PHP",
                   "/x.phtml",
                   "/x.phar", "/x.php5", "/x.phps", "/onlyidx/", "/onlyidx/index.php", "//env.php",
                   "/./env.php", "/dir/../env.php")

    def test_copies_of_editors_are_never_sent(self):  # case 12
        self.check("/env.php~", "/env.php.bak", "/.env.php.swp", "/%23env.php%23", "/notes.txt~",
                   "/env.php.orig")

    def test_dotfiles_are_never_sent_but_well_known(self):  # case 19
        self.check("/.env", "/.git/config", "/dir/.htaccess", "/%2eenv", "/dir/..%2f.env", "//.env", "/.env/",
                   "/.git/",
                   "/.git", "/.well-known/.env")
        self.assertEqual(b"token", self.server.get("/.well-known/acme-challenge/t").body)

    def test_nothing_outside_the_root_is_sent(self):  # case 20
        self.check("/../outside.txt", "/%2e%2e/outside.txt", "/%2e%2e/%2e%2e/etc/passwd",
                   "/dir/..%2f..%2foutside.txt",
                   "/dir/..\\..\\outside.txt", "/dir/../../outside.txt", "/..%2foutside.txt",
                   "/.%2e/outside.txt")
        self.assertIn(b" 400 ", self.server.raw(b"GET ../outside.txt HTTP/1.1\r\nHost: x\r\n\r\n"))

    def test_a_nul_in_the_path_is_refused(self):  # case 11
        self.check("/env.php%00.jpg", "/a.txt%00.html", "/index.php%00", "/a.txt%00", statuses=(400, 404))

    def test_a_broken_escape_is_refused(self):
        self.check("/a%zz", "/a%4", "/%", statuses=(400,))

    def test_a_name_that_only_has_php_in_it_is_a_file(self):  # case 3
        (self.root / "index.phptest").mkdir()
        (self.root / "index.phptest/a.txt").write_text("a")
        self.assertEqual(b"a", self.server.get("/index.phptest/a.txt").body)


class Lookup(harness.TestCase):
    """Case 65: errors of the look-up are not the server's."""

    def setUp(self):
        super().setUp()
        self.server = self.serve_static()

    def test_long_and_odd_paths_are_404(self):
        (self.root / "loop").symlink_to("loop")
        for target in ("/" + "x" * 300, "/" + "x/" * 2500, "/a.txt/x", "/loop", "/loop/x"):
            self.assertEqual(404, self.server.get(target).status, target[:40])

    def test_a_file_with_a_slash_behind_it_is_not_sent(self):
        reply = self.server.get("/a.txt/")
        self.assertEqual(404, reply.status)
        self.assertNotIn(b"static text", reply.body)

    @harness.needs_root
    def test_a_file_that_may_not_be_read_is_403(self):
        (self.root / "noperm.txt").write_text("x")
        (self.root / "noperm.txt").chmod(0o600)
        self.assertEqual(403, self.server.get("/noperm.txt").status)

    def test_what_is_no_regular_file_is_answered_at_once(self):
        os.mkfifo(self.root / "fifo")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.root / "socket"))
            for target in ("/fifo", "/socket"):
                self.assertIn(self.server.get(target).status, (403, 404), target)

    def test_links_to_files_are_followed(self):
        (self.root / "link.txt").symlink_to("a.txt")
        self.assertEqual(b"static text\n", self.server.get("/link.txt").body)
