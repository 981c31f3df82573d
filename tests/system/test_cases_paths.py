"""Known hard cases 1 to 9: paths, CGI variables, the front controller and redirects."""
import os

import harness
import processes
from harness import on_every_php, variables


def copy_env(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((root / "env.php").read_bytes())


class Variables(harness.TestCase):
    @on_every_php
    def test_case_1_path_info_is_cut_off_script_name(self, server):
        expected = {"SCRIPT_NAME": "/env.php", "SCRIPT_FILENAME": f"{self.root}/env.php",
                    "PATH_INFO": "/foo/bar", "QUERY_STRING": "x=1", "REQUEST_URI": "/env.php/foo/bar?x=1",
                    "PHP_SELF": "/env.php/foo/bar"}
        with server.connect() as connection:
            for method, body in (("GET", None), ("POST", b"abc"), ("DELETE", None), ("PUT", b"")):
                got = variables(connection.request(method, "/env.php/foo/bar?x=1", body=body))
                self.assertEqual(expected, {name: got[name] for name in expected}, method)
                self.assertEqual((method, len(body or b"")), (got["REQUEST_METHOD"], got["input"]))
            for target in ("/env.php?x=1", "/env.php?/foo/bar", "/env.php"):
                got = variables(connection.get(target))
                self.assertEqual(("", "/env.php"), (got.get("PATH_INFO", ""), got["PHP_SELF"]), target)
            connection.send("GET /env.php/foo/bar?x=1 HTTP/1.0\r\n\r\n")
            got = variables(connection.read_reply())
            self.assertEqual(expected, {name: got[name] for name in expected}, "HTTP/1.0")

    def test_case_1_path_info_is_decoded_and_holds_what_it_likes(self):
        copy_env(self.root, "sub/env.php")
        server = self.serve()
        for target, script, info in (("/env.php/", "/env.php", "/"), ("/env.php/a.php", "/env.php", "/a.php"),
                                     ("/sub/env.php/env.php/x", "/sub/env.php", "/env.php/x"),
                                     ("/env.php/h%C3%A9%20b", "/env.php", "/hé b"),
                                     ("/env.php/.x/~y", "/env.php", "/.x/~y")):
            got = variables(server.get(target))
            self.assertEqual((script, info, target),
                             (got["SCRIPT_NAME"], got["PATH_INFO"], got["REQUEST_URI"]), target)

    def test_case_3_php_inside_another_word_is_no_split_point(self):
        copy_env(self.root, "php/sub/page.php", "index.phptest/show.php", "index.php.show.php",
                 "a.php.d/b.php", "x.php5.php")
        (self.root / "index.phptest/a.txt").write_text("a")
        server = self.serve()
        for target, file, info in (("/php/sub/page.php", "php/sub/page.php", ""),
                                   ("/index.phptest/show.php/q", "index.phptest/show.php", "/q"),
                                   ("/index.php.show.php", "index.php.show.php", ""),
                                   ("/a.php.d/b.php/c", "a.php.d/b.php", "/c"),
                                   ("/x.php5.php", "x.php5.php", "")):
            got = variables(server.get(target))
            self.assertEqual((f"{self.root}/{file}", info), (got["file"], got.get("PATH_INFO", "")), target)
        self.assertEqual(b"a", server.get("/index.phptest/a.txt").body)
        for target in ("/env.phpx", "/env.phpx/y", "/env.ph", "/xenv.php"):
            reply = server.get(target)
            self.assertTrue(reply.status == 404 or variables(reply)["file"] == f"{self.root}/index.php",
                            target)

    @on_every_php
    def test_case_4_the_front_controller_keeps_the_original_uri_and_query(self, server):
        with server.connect() as connection:
            for target, query in (("/blog/h%C3%A9llo?a=1&b=%20x&a=2", "a=1&b=%20x&a=2"), ("/blog?", ""),
                                  ("/", ""), ("/?", ""), ("/a//b/%2e/c;x?", ""), ("/?q=/x.php", "q=/x.php"),
                                  ("/x/%2F%2f?%00", "%00"), ("/blog?a?b=/../c", "a?b=/../c"),
                                  ("/missing.php?x", "x"), ("/empty/?x", "x")):
                got = variables(connection.get(target))
                self.assertEqual(("/index.php", target, query, f"{self.root}/index.php"),
                                 (got["SCRIPT_NAME"], got["REQUEST_URI"], got["QUERY_STRING"], got["file"]),
                                 target)
                self.assertEqual("/index.php" + got.get("PATH_INFO", ""), got["PHP_SELF"])
            for method, body in (("POST", b"hello"), ("PUT", b"hello"), ("PATCH", b""), ("DELETE", None)):
                got = variables(connection.request(method, "/api/x?y=1", body=body))
                self.assertEqual((method, len(body or b""), "/api/x?y=1"),
                                 (got["REQUEST_METHOD"], got["input"], got["REQUEST_URI"]))
            head = connection.request("HEAD", "/api/x?y=1")
            self.assertEqual((200, "application/json", b""),
                             (head.status, head.header("Content-Type").split(";")[0], head.body))
            connection.send("GET /blog?a=1 HTTP/1.0\r\n\r\n")
            self.assertEqual("/blog?a=1", variables(connection.read_reply())["REQUEST_URI"])

    def test_case_6_server_name_and_server_port_are_always_clean(self):
        server = self.serve()
        table = [("shop.example", "shop.example", "80"), ("shop.example:8443", "shop.example", "8443"),
                 ("shop.example:", "shop.example", "80"), ("192.0.2.1:81", "192.0.2.1", "81"),
                 ("[2001:db8::1]:8080", "[2001:db8::1]", "8080"), ("[2001:db8::1]", "[2001:db8::1]", "80")]
        for host, name, port in table:
            for target in ("/env.php", "/fallback"):
                got = variables(server.get(target, {"Host": host}))
                self.assertEqual((name, port, host),
                                 (got["SERVER_NAME"], got["SERVER_PORT"], got["HTTP_HOST"]))
        for head in ("GET /env.php HTTP/1.0\r\n\r\n", "GET /env.php HTTP/1.1\r\nHost:\r\n\r\n"):
            with server.connect() as connection:
                connection.send(head)
                got = variables(connection.read_reply())
            self.assertFalse(got.get("HTTP_HOST"))
            self.assertEqual(("127.0.0.1", str(server.port)), (got["SERVER_NAME"], got["SERVER_PORT"]))

    def test_case_6_on_a_unix_socket_too(self):
        server = self.serve(listen=f"unix:{self.temp}/web.sock")
        with server.connect() as connection:
            connection.send("GET /env.php HTTP/1.0\r\n\r\n")
            got = variables(connection.read_reply())
        self.assertTrue(got["SERVER_NAME"])
        self.assertTrue(got["SERVER_PORT"].isdigit())

    def test_case_8_a_release_switch_through_a_link_shows_at_once(self):
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


class Redirects(harness.TestCase):
    def check_folder(self, reply, *locations):
        self.assertIn(reply.status, (301, 308))
        self.assertIn(reply.header("Location"), locations)

    def test_case_9_a_directory_redirect_stays_on_the_clients_own_authority(self):
        server = self.serve("--trusted-proxy", "127.0.0.1")
        for more in ({}, {"X-Forwarded-Proto": "https"}, {"X-Forwarded-Host": "a.example:1"}):
            headers = {"Host": "localhost:3000", **more}
            with server.connect() as connection:
                self.check_folder(connection.get("/dir?x=1", headers), "/dir/?x=1", "dir/?x=1")
                self.check_folder(connection.request("HEAD", "/dir?x=1", headers), "/dir/?x=1", "dir/?x=1")
                self.check_folder(connection.request("POST", "/dir", headers, b"abc"), "/dir/", "dir/")
                self.assertEqual(b"<p>index of dir\n", connection.get("/dir/", headers).body)
        with server.connect() as connection:
            connection.send("GET http://localhost:3000/dir?x=1 HTTP/1.1\r\nHost: y\r\n\r\n")
            self.check_folder(connection.read_reply(), "/dir/?x=1", "dir/?x=1")
            connection.send("GET /dir?x=1 HTTP/1.0\r\n\r\n")
            self.check_folder(connection.read_reply(), "/dir/?x=1", "dir/?x=1")

    def test_case_9_a_folder_without_index_makes_no_loop(self):
        for server, expected in ((self.serve(), 200), (self.serve_static(), 404)):
            with server.connect() as connection:
                for target in ("/empty/", "/empty/?x=1", "/empty"):
                    reply = connection.get(target)
                    if reply.status in (301, 308):
                        self.assertEqual("/empty/", reply.header("Location"))
                        continue
                    self.assertEqual(expected, reply.status)
                    if expected == 200:
                        self.assertEqual(f"{self.root}/index.php", variables(reply)["file"])

    def test_case_9_the_redirect_leads_to_no_other_host_and_encodes_what_a_name_holds(self):
        for name in ("evil.example", "ä b\r\nX: y"):
            (self.root / name).mkdir()
            (self.root / name / "index.html").write_text("x")
        server = self.serve_static()
        for target in ("//evil.example", "///evil.example", "/%2fevil.example", "/./evil.example"):
            self.check_folder(server.get(target), "/evil.example/")
        reply = server.get("/%C3%A4%20b%0D%0AX:%20y")
        self.check_folder(reply, "/%C3%A4%20b%0D%0AX:%20y/")
        self.assertIsNone(reply.header("X"))
