"""Known hard cases 11 to 20: what is never sent or run, and header names on their way to CGI."""
import harness
from harness import variables

SECRET = "<?php echo 'PWN';"


class Guarded(harness.TestCase):
    """Files that hold SECRET; a pool that would run anything (security.limit_extensions is empty)."""

    def put(self, *names):
        for name in names:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SECRET)

    def open_pool(self):
        return self.php_fpm(pool=["security.limit_extensions ="])

    def servers(self):
        """With PHP and a front controller, with PHP alone, and without PHP."""
        php = self.open_pool()
        return [self.serve(php=php), self.serve("--front-controller", "none", php=php), self.serve_static()]

    def check_refused(self, server, *targets, statuses=(400, 403, 404)):
        """Neither sent nor run, by any method; the front controller may answer. The connection stays good."""
        for target in targets:
            for method in ("GET", "HEAD", "POST"):
                with server.connect() as connection:
                    reply = connection.request(method, target)
                    self.assertNotIn(b"<?", reply.body, target)
                    self.assertNotIn(b"PWN", reply.body, target)
                    if reply.status == 200 and method != "HEAD":
                        self.assertEqual(f"{self.root}/index.php", variables(reply)["file"], target)
                    elif reply.status != 200:
                        self.assertIn(reply.status, statuses, target)
                    if not reply.closes:
                        self.assertEqual(b"static text\n", connection.get("/a.txt").body)

    def test_case_11_a_nul_in_the_path_is_refused(self):
        self.put("avatar.jpg")
        for server in self.servers():
            for target in ("/env.php%00.jpg", "/avatar.jpg%00.php", "/a.txt%00.html", "/index.php%00",
                           "/a.txt%00",
                           "/%00", "/dir%00/", "/env.php/x%00", "/avatar.jpg/%00.php", "/x/%00/../a.txt"):
                for method in ("GET", "HEAD", "POST"):
                    with server.connect() as connection:
                        reply = connection.request(method, target)
                        self.assertEqual((400, True), (reply.status, reply.closes), target)
                        self.assertNotIn(b"static text", reply.body)
                        self.assertTrue(connection.ended())
            with server.connect() as connection:
                connection.send(b"GET /env.php\0.jpg HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertEqual(400, connection.read_reply().status)

    def test_case_12_script_source_is_never_sent(self):
        self.put("UP.PHP", "x.phtml", "x.phar", "x.php5", "x.phps", "x.inc", "env.php~", "env.php.bak",
                 ".env.php.swp", "#env.php#", "env.php.orig", "notes.txt~", ".hidden.php", "x.php.txt")
        (self.root / "onlyidx").mkdir()
        (self.root / "onlyidx/index.php").write_bytes((self.root / "env.php").read_bytes())
        refused = ("/UP.PHP", "/UP.PHP/x", "/x.phtml", "/x.phar", "/x.php5", "/x.phps", "/x.inc", "/env.php~",
                   "/env.php%7e", "/env.php.bak", "/.env.php.swp", "/%23env.php%23", "/env.php.orig",
                   "/notes.txt~",
                   "/.hidden.php", "/x.php.txt", "/env.php.", "/env.php%20", "/env.php::$DATA", "/env.php%2e",
                   "/u%50.PHP")
        with_controller, alone, static = self.servers()
        for server in (with_controller, alone, static):
            self.check_refused(server, *refused)
        for target in ("/env%2ephp", "/env.ph%70", "/%65nv.php", "/env.php/", "/env.php%2f", "//env.php",
                       "/./env.php", "/dir/../env.php", "/dir%2f..%2fenv.php"):
            self.assertEqual(f"{self.root}/env.php", variables(with_controller.get(target))["file"], target)
            self.assertEqual(404, static.get(target).status, target)
        self.assertEqual(f"{self.root}/onlyidx/index.php", variables(alone.get("/onlyidx/"))["file"])
        self.check_refused(static, "/onlyidx/", "/onlyidx/index.php", "/index.php", "/", statuses=(403, 404))

    def test_case_12_a_page_as_front_controller_is_never_source(self):
        for name in ("page.phtml", "page.inc", "page.php.txt"):
            self.put(name)
            reply = self.serve_static("--front-controller", f"/{name}").get("/nothing")
            self.assertEqual(404, reply.status, name)
            self.assertNotIn("PWN", reply.text)

    def test_case_14_an_image_is_not_run_as_php(self):
        self.put("img/avatar.jpg", "avatar.jpg", "dir.php/x.txt")
        targets = ("/img/avatar.jpg/x.php", "/img/avatar.jpg/.php", "/nosuch.php/x.php", "/avatar.jpg/x.php",
                   "/avatar.jpg/x.php/y.php", "/img/nosuch.jpg/x.php", "/dir.php/nosuch.php",
                   "/a.txt/env.php")
        with_controller, alone, static = self.servers()
        self.check_refused(with_controller, *targets)
        for server in (alone, static):
            for target in targets:
                self.assertEqual(404, server.get(target).status, target)

    def test_case_19_dotfiles_are_not_sent(self):
        self.put(".env", ".git/config", "dir/.htaccess", "dir/.php", ".well-known/.env")
        challenge = self.root / ".well-known/acme-challenge"
        challenge.mkdir(parents=True)
        (challenge / "t").write_text("token")
        for server in self.servers():
            self.check_refused(server, "/.env", "/.git/config", "/dir/.htaccess", "/%2eenv", "/dir/..%2f.env",
                               "//.env", "/.env/", "/.git/", "/.git", "/./.env", "/dir/.php",
                               "/.well-known/.env",
                               "/.well-known/../.env", "/.env?x", "/%2e%67it/config", "/.GIT/config",
                               "/.env;x")
            reply = server.get("/.well-known/acme-challenge/t")
            self.assertEqual((200, b"token"), (reply.status, reply.body))

    def test_case_20_nothing_outside_the_root_and_rules_see_the_normal_path(self):
        secret = self.temp / "secret"
        secret.write_text(SECRET)
        (self.temp / "site-2").mkdir()
        (self.temp / "site-2/f.txt").write_text(SECRET)
        self.put(".private/f")  # the rule of dotfiles stands for any rule about paths
        up = "/.." * 20
        for server in self.servers():
            self.check_refused(server, "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/.%2e/secret",
                               "/dir/..%2f..%2fsecret", "/dir/../../secret", "/dir/..\\..\\secret",
                               "/..\\secret",
                               "/dir/..%5c..%5csecret", "/../site-2/f.txt", "/%2e%2e%2fsite-2/f.txt",
                               f"{up}{secret}", f"{up.replace('..', '%2e%2e')}{secret}", f"/{secret}",
                               "/%252e%252e/secret", "/..;/secret", "/..%00/secret", "/.../secret",
                               "/%c0%ae%c0%ae/secret", "/env.php/../../secret")
            self.check_refused(server, "/dir/..%2f.private/f", "//.private/f", "/./.private/f",
                               "/%2e%70rivate/f",
                               "/.private//f", "/dir/../.private/f", "/x/%2e%2e/.private/f",
                               "/.private/../.private/f")
            for target in ("../secret", "secret", "a.txt", "?x", "\\a.txt", "*", "..", "file:///etc/passwd",
                           f"file://{secret}"):
                with server.connect() as connection:
                    connection.send(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")
                    self.assertEqual(400, connection.read_reply().status, target)
                    self.assertTrue(connection.ended())


class HeaderNames(harness.TestCase):
    def test_case_16_a_dash_and_an_underscore_are_not_one_header(self):
        server = self.serve()
        both = [("X-Foo", "good"), ("X_Foo", "evil")]
        for fields in (both, both[::-1], [*both, ("X_FOO", "evil")], [("x_foo", "evil"), ("x-foo", "good")]):
            self.assertEqual("good", variables(server.get("/env.php", fields))["HTTP_X_FOO"])
        for name, variable in (("X_Foo", "HTTP_X_FOO"), ("X_Forwarded_For", "HTTP_X_FORWARDED_FOR"),
                               ("X.Foo", "HTTP_X_FOO"), ("X!Foo", "HTTP_X_FOO"), ("X-Forwarded_For",
                                                                                "HTTP_X_FORWARDED_FOR"),
                               ("Authorization_", "HTTP_AUTHORIZATION_"), ("_", "HTTP__")):
            for target in ("/env.php", "/fallback"):
                self.assertNotIn(variable, variables(server.get(target, [(name, "1.2.3.4")])), name)
        for method in ("GET", "POST"):
            got = variables(server.request(method, "/env.php", [("Content_Length", "99"), ("Content_Type",
                                                                                           "x/y"),
                                                                 ("Transfer_Encoding", "chunked")]))
            self.assertIn(got.get("CONTENT_LENGTH", ""), ("", "0"))
            self.assertFalse(got.get("CONTENT_TYPE"))
            self.assertEqual(0, got["input"])

    def test_case_18_headers_with_a_meaning_in_cgi(self):
        server = self.serve()
        for name in ("Proxy", "proxy", "PROXY"):
            self.assertNotIn("HTTP_PROXY", variables(server.get("/env.php", {name: "http://evil.example:1"})))
        got = variables(server.get("/env.php", {"Authorization": "Basic dTpw"}))
        self.assertEqual(("u", "p", "Basic dTpw"),
                         (got["PHP_AUTH_USER"], got["PHP_AUTH_PW"], got["HTTP_AUTHORIZATION"]))
        got = variables(server.get("/env.php", {"Authorization": "Bearer t"}))
        self.assertEqual("Bearer t", got["HTTP_AUTHORIZATION"])
        for target in ("/env.php", "/fallback"):
            got = variables(server.post(target, b"xy", {"Content-Type": "a/b"}))
            self.assertEqual(("a/b", "2", 2), (got["CONTENT_TYPE"], got["CONTENT_LENGTH"], got["input"]))
            self.assertNotIn("HTTP_CONTENT_LENGTH", got)
        # Not what a variable of the server itself is made from.
        got = variables(server.get("/env.php", {"Https": "on", "Remote-Addr": "6.6.6.6",
                                                "Script-Filename": "/x"}))
        self.assertNotIn("HTTPS", got)
        self.assertEqual(("127.0.0.1", f"{self.root}/env.php"), (got["REMOTE_ADDR"], got["SCRIPT_FILENAME"]))
