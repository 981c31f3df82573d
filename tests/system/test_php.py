"""Scripts: CGI variables, bodies and answers, with our own php-fpm and with external ones on Unix and TCP."""
import os

import harness
import processes
from harness import on_every_php, variables


class Variables(harness.TestCase):
    @on_every_php
    def test_path_info_is_cut_off_script_name(self, server):  # case 1
        got = variables(server.get("/env.php/foo/bar?x=1"))
        expected = {"SCRIPT_NAME": "/env.php", "SCRIPT_FILENAME": f"{self.root}/env.php",
                    "PATH_INFO": "/foo/bar",
                    "QUERY_STRING": "x=1", "REQUEST_URI": "/env.php/foo/bar?x=1",
                    "PHP_SELF": "/env.php/foo/bar"}
        self.assertEqual(expected, {name: got[name] for name in expected})
        got = variables(server.get("/env.php?x=1"))
        self.assertFalse(got.get("PATH_INFO"))
        self.assertEqual("/env.php", got["PHP_SELF"])

    @on_every_php
    def test_the_standard_variables_are_there(self, server):
        with server.connect() as connection:
            mine = connection.socket.getsockname()
            got = variables(connection.get("/env.php", {"Host": f"localhost:{server.port}"}))
        expected = {"DOCUMENT_ROOT": str(self.root), "DOCUMENT_URI": "/env.php", "REQUEST_METHOD": "GET",
                    "REQUEST_SCHEME": "http", "SERVER_PROTOCOL": "HTTP/1.1", "GATEWAY_INTERFACE": "CGI/1.1",
                    "SERVER_ADDR": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1", "REMOTE_PORT": str(mine[1]),
                    "HTTP_HOST": f"localhost:{server.port}", "SERVER_NAME": "localhost",
                    "SERVER_PORT": str(server.port), "QUERY_STRING": ""}
        self.assertEqual(expected, {name: got.get(name) for name in expected})
        self.assertNotIn("HTTPS", got)
        self.assertIn("httpd-php-fpm", got["SERVER_SOFTWARE"])

    def test_php_inside_a_word_is_no_split_point(self):  # case 3
        for name in ("php/sub/page.php", "index.phptest/show.php", "index.php.show.php"):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((self.root / "env.php").read_bytes())
        server = self.serve()
        for target, file, info in (("/php/sub/page.php", "php/sub/page.php", ""),
                                   ("/index.phptest/show.php/q", "index.phptest/show.php", "/q"),
                                   ("/index.php.show.php", "index.php.show.php", "")):
            got = variables(server.get(target))
            self.assertEqual((f"{self.root}/{file}", info), (got["file"], got.get("PATH_INFO", "")), target)
        self.assertEqual(f"{self.root}/index.php", variables(server.get("/env.phpx"))["file"])

    @on_every_php
    def test_the_front_controller_keeps_the_original_uri_and_query(self, server):  # case 4
        for target, query in (("/blog/h%C3%A9llo?a=1&b=%20x&a=2", "a=1&b=%20x&a=2"), ("/blog?", ""),
                              ("/", ""),
                              ("/a//b/%2e/c;x?", ""), ("/?q=/x.php", "q=/x.php")):
            got = variables(server.get(target))
            self.assertEqual(("/index.php", target, query, f"{self.root}/index.php"),
                             (got["SCRIPT_NAME"], got["REQUEST_URI"], got["QUERY_STRING"], got["file"]),
                             target)
            self.assertEqual("/index.php" + got.get("PATH_INFO", ""), got["PHP_SELF"])
        got = variables(server.post("/api/x?y=1", b"hello"))
        self.assertEqual(("POST", 5, "5"), (got["REQUEST_METHOD"], got["input"], got["CONTENT_LENGTH"]))

    def test_the_front_controller_can_be_another_one_or_none(self):
        (self.root / "app.php").write_bytes((self.root / "env.php").read_bytes())
        self.assertEqual("/app.php", variables(self.serve("--front-controller",
                                                          "/app.php").get("/x"))["SCRIPT_NAME"])
        self.assertEqual(404, self.serve("--front-controller", "none").get("/x").status)

    def test_a_front_controller_is_never_source(self):
        for name in ("page.phtml", "page.inc", "page.php.txt"):
            (self.root / name).write_text("<?php secret")
            reply = self.serve_static("--front-controller", f"/{name}").get("/nothing")
            self.assertEqual(404, reply.status, name)
            self.assertNotIn("secret", reply.text)

    def test_without_index_php_there_is_no_front_controller(self):
        (self.root / "index.php").unlink()
        server = self.serve()
        self.assertEqual(404, server.get("/x").status)
        self.assertEqual(404, server.get("/x.php").status)

    def test_a_folder_is_answered_by_its_index_script(self):
        (self.root / "sub").mkdir()
        (self.root / "sub/index.php").write_bytes((self.root / "env.php").read_bytes())
        got = variables(self.serve().get("/sub/?a=b"))
        self.assertEqual(("/sub/index.php", "/sub/?a=b", "a=b"),
                         (got["SCRIPT_NAME"], got["REQUEST_URI"], got["QUERY_STRING"]))

    def test_server_name_and_port_are_clean(self):  # case 6
        server = self.serve()
        table = [("shop.example", "shop.example", "80"), ("shop.example:8443", "shop.example", "8443"),
                 ("[2001:db8::1]:8080", "[2001:db8::1]", "8080"), ("[2001:db8::1]", "[2001:db8::1]", "80")]
        for host, name, port in table:
            got = variables(server.get("/env.php", {"Host": host}))
            self.assertEqual((name, port, host), (got["SERVER_NAME"], got["SERVER_PORT"], got["HTTP_HOST"]))
        with server.connect() as connection:
            connection.send("GET /env.php HTTP/1.0\r\n\r\n")
            got = variables(connection.read_reply())
        self.assertNotIn("HTTP_HOST", got)
        self.assertEqual((str(server.port), "HTTP/1.0"), (got["SERVER_PORT"], got["SERVER_PROTOCOL"]))
        self.assertTrue(got["SERVER_NAME"])

    def test_a_dash_and_an_underscore_are_not_one_header(self):  # case 16
        server = self.serve()
        both = [("X-Foo", "good"), ("X_Foo", "evil")]
        for fields in (both, both[::-1]):
            reply = server.get("/env.php", fields)
            self.assertTrue(reply.status == 400 or variables(reply)["HTTP_X_FOO"] == "good")
        for name, variable in (("X_Foo", "HTTP_X_FOO"), ("X_Forwarded_For", "HTTP_X_FORWARDED_FOR"),
                               ("X.Foo", "HTTP_X_FOO"), ("X Foo".replace(" ", "!"), "HTTP_X_FOO")):
            self.assertNotIn(variable, variables(server.get("/env.php", [(name, "1.2.3.4")])))
        got = variables(server.get("/env.php", [("Content_Length", "99"), ("Content_Type", "x/y")]))
        self.assertIn(got.get("CONTENT_LENGTH", ""), ("", "0"))
        self.assertFalse(got.get("CONTENT_TYPE"))

    def test_headers_with_a_meaning_in_cgi(self):  # case 18
        server = self.serve()
        self.assertNotIn("HTTP_PROXY", variables(server.get("/env.php", {"Proxy": "http://evil.example:1"})))
        got = variables(server.get("/env.php", {"Authorization": "Basic dTpw"}))
        self.assertEqual(("u", "p", "Basic dTpw"),
                         (got["PHP_AUTH_USER"], got["PHP_AUTH_PW"], got["HTTP_AUTHORIZATION"]))
        got = variables(server.get("/env.php", {"Authorization": "Bearer t"}))
        self.assertEqual("Bearer t", got["HTTP_AUTHORIZATION"])
        got = variables(server.post("/env.php", b"xy", {"Content-Type": "a/b"}))
        self.assertEqual(("a/b", "2", 2), (got["CONTENT_TYPE"], got["CONTENT_LENGTH"], got["input"]))

    def test_repeated_headers_are_one_list(self):
        got = variables(self.serve().get("/env.php",
                                         [("X-A", "1"), ("X-A", "2"), ("Cookie", "a=1"), ("Cookie", "b=2")]))
        self.assertEqual(("1, 2", "a=1; b=2"), (got["HTTP_X_A"], got["HTTP_COOKIE"]))

    def test_php_sees_the_root_that_the_external_php_fpm_has(self):
        (self.temp / "elsewhere").symlink_to(self.root)
        server = self.serve("--php-root", self.temp / "elsewhere", php=self.php_fpm())
        got = variables(server.get("/env.php"))
        self.assertEqual((f"{self.temp}/elsewhere/env.php", f"{self.temp}/elsewhere"),
                         (got["SCRIPT_FILENAME"], got["DOCUMENT_ROOT"]))

    def test_a_release_switch_through_a_link_shows_at_once(self):  # case 8
        for number in "12":
            release = self.temp / "releases" / number
            release.mkdir(parents=True)
            (release / "who.php").write_bytes((self.root / "who.php").read_bytes())
            (release / "s.txt").write_text(number)
        current = self.temp / "current"
        current.symlink_to("releases/1")
        server = self.serve("--php-value", "opcache.enable=1", root=current)
        with server.connect() as connection:
            old, new = (str(self.temp / "releases" / n) for n in "12")
            for _ in range(20):
                self.assertEqual([old, f"{old}/who.php", old], connection.get("/who.php").text.split("\n"))
            (self.temp / "next").symlink_to("releases/2")
            os.rename(self.temp / "next", current)
            processes.wait_for(lambda: connection.get("/s.txt").body == b"2", "the new release", timeout=5)
            for _ in range(20):
                self.assertEqual([new, f"{new}/who.php", new], connection.get("/who.php").text.split("\n"))


class NeverSent(harness.TestCase):
    """Cases 11, 12, 14 and 19 with PHP and a front controller."""

    def test_source_is_never_sent_and_encoded_names_run(self):
        secret = "<?php echo 'PWN';"
        for name in ("UP.PHP", "x.phtml", "env.php~", ".env", "avatar.jpg", "img/avatar.jpg", ".hidden.php"):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(secret)
        (self.root / "onlyidx").mkdir()
        (self.root / "onlyidx/index.php").write_bytes((self.root / "env.php").read_bytes())
        php = self.php_fpm(pool=["security.limit_extensions ="])
        server = self.serve(php=php)
        for target in ("/env%2ephp", "/env.ph%70", "/env.php/", "/env.php%2f", "//env.php"):
            got = variables(server.get(target))
            self.assertEqual(f"{self.root}/env.php", got["file"], target)
        self.assertEqual(f"{self.root}/onlyidx/index.php", variables(server.get("/onlyidx/"))["file"])
        for target in ("/UP.PHP", "/x.phtml", "/env.php~", "/.env", "/%2eenv", "/env.php.", "/env.php%20",
                       "/env.php::$DATA",
                       "/avatar.jpg/x.php", "/img/avatar.jpg/.php", "/nosuch.php/x.php", "/env.php%00.jpg",
                       "/avatar.jpg%00.php", "/index.php%00", "/.hidden.php", "/dir/..%2f.env"):
            reply = server.get(target)
            self.assertNotIn(b"<?php", reply.body, target)
            self.assertNotIn(b"PWN", reply.body, target)
            self.assertIn(reply.status, (200, 400, 403, 404), target)
            if reply.status == 200:
                self.assertEqual(f"{self.root}/index.php", variables(reply)["file"], target)

    def test_a_script_that_is_no_regular_file_is_not_run(self):
        (self.root / "folder.php").mkdir()
        os.mkfifo(self.root / "fifo.php")
        server = self.serve("--front-controller", "none")
        for target in ("/folder.php/x", "/fifo.php", "/missing.php"):
            self.assertIn(server.get(target).status, (403, 404), target)


class FinishRequest(harness.TestCase):
    def test_what_comes_after_finish_request_holds_nobody_up(self):  # case 38
        server = self.serve("--php-workers", "2")
        with server.connect() as connection:
            self.assertEqual("Before", connection.get("/fin.php").text)
            for _ in range(3):
                self.assertEqual(200, connection.get("/inp.php").status)
            self.assertFalse((self.state / "fin").exists(), "answered while the background part still ran")
        self.assert_file("fin", "done")
