"""Known hard cases 25 to 32: the status, the head and the length of what PHP answers."""
import client
import harness
from fake_fpm import FakeFpm
from harness import on_every_php

A = b"static text\n"


class Answers(harness.TestCase):
    @on_every_php
    def test_case_25_204_205_and_304_have_no_content(self, server):
        for method in ("GET", "POST", "HEAD"):
            with server.connect() as connection:
                for code in (204, 304, 205):
                    connection.send(client.format_request(method, f"/s204.php?c={code}"))
                connection.send(client.format_request("GET", "/a.txt"))
                for code in (204, 304, 205):
                    reply = connection.read_reply(method)
                    self.assertEqual((code, b"", None),
                                     (reply.status, reply.body, reply.header("Transfer-Encoding")))
                    if code == 204:
                        self.assertIsNone(reply.header("Content-Length"))
                    if code == 205:
                        self.assertEqual("0", reply.header("Content-Length"))
                self.assertEqual(A, connection.read_reply().body)
        for code in (204, 304, 205):
            with server.connect() as connection:
                connection.send(f"GET /s204.php?c={code} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                self.assertEqual(code, connection.read_reply().status)
                connection.send("GET /a.txt HTTP/1.0\r\n\r\n")
                self.assertEqual(A, connection.read_reply().body)

    @on_every_php
    def test_case_26_head_of_a_script(self, server):
        with server.connect() as connection:
            for target in ("/inp.php", "/cl.php?n=5&m=5", "/sse.php", "/fallback", "/fatal.php",
                           "/bytes.php?n=9000"):
                connection.send(client.format_request("HEAD", target))
            connection.send(client.format_request("GET", "/a.txt"))
            replies = [connection.read_reply("HEAD") for _ in range(6)]
            self.assertEqual([200, 200, 200, 200, 500, 200], [reply.status for reply in replies])
            self.assertEqual([None, "5", None, None, None, None],
                             [reply.header("Content-Length") for reply in replies])
            self.assertEqual(A, connection.read_reply().body)
            connection.send("HEAD /inp.php HTTP/1.0\r\n\r\n")
            self.assertEqual(200, connection.read_reply("HEAD").status)
            self.assertTrue(connection.ended())

    def test_case_26_the_method_reaches_a_script_and_content_is_dropped(self):
        fake = FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\n" + r.params["REQUEST_METHOD"].encode()))
        with self.serve(php=fake).connect() as connection:
            for _ in range(2):  # php-fpm itself would send no content
                reply = connection.request("HEAD", "/inp.php")
                self.assertEqual((200, None), (reply.status, reply.header("Transfer-Encoding")))
            self.assertEqual(A, connection.get("/a.txt").body)
        self.assertEqual(["HEAD", "HEAD"], [request.params["REQUEST_METHOD"] for request in fake.requests])

    @on_every_php
    def test_case_27_status_and_location(self, server):
        with server.connect() as connection:
            reply = connection.get("/hdr.php")
            self.assertEqual((418, b"x"), (reply.status, reply.body))
            self.assertRegex(reply.raw_head, rb"^HTTP/1\.1 418 [ -~]+\r\n")
            reply = connection.get("/status2.php")
            self.assertEqual(404, reply.status)
            self.assertRegex(reply.raw_head, rb"^HTTP/1\.1 404 Not Found\r\n")
            for target, code, location in (("/loc.php?l=/a.txt", 302, "/a.txt"),
                                           ("/loc.php?s=201&l=/x", 201, "/x"),
                                           ("/loc.php?l=//h/p", 302, "//h/p"),
                                           ("/loc.php?l=http://h/%2f", 302, "http://h//"),
                                           ("/loc.php?l=?x", 302, "?x"),
                                           ("/loc.php?s=308&l=/x", 308, "/x")):
                reply = connection.get(target)
                self.assertEqual((code, location, b"moved"),
                                 (reply.status, reply.header("Location"), reply.body))
                self.assertIsNone(reply.header("Status"))
                head = connection.request("HEAD", target)
                self.assertEqual((code, location), (head.status, head.header("Location")))

    @on_every_php
    def test_case_28_repeated_and_colon_rich_headers(self, server):
        self.assertEqual(["a=1; Path=/", "b=2; Path=/"], server.get("/hdr.php").all("Set-Cookie"))
        for method in ("GET", "HEAD"):
            reply = server.request(method, "/hd2.php")
            self.assertEqual(["one=1", "two=2"], reply.all("Set-Cookie"))
            self.assertEqual("</x.css>; rel=preload, </y.css>; rel=preload", ", ".join(reply.all("Link")))
            self.assertEqual("accept, cookie", ", ".join(reply.all("Vary")).lower())
            self.assertEqual("12:30:00: z", reply.header("X-T"))
            self.assertIn(reply.header("X-Empty"), ("", None))

    @on_every_php
    def test_case_29_a_content_length_smaller_than_the_body(self, server):
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/cl.php?n=3&m=6"))
            connection.send(client.format_request("GET", "/cl.php?n=0&m=6"))
            connection.send(client.format_request("GET", "/a.txt"))
            self.assertEqual([b"ccc", b"", A], [connection.read_reply().body for _ in range(3)])
        server.stderr.wait_for(r"Content-Length is smaller.* 3 bytes")

    def test_case_29_a_content_length_larger_than_the_body_shows_as_incomplete(self):
        server = self.serve()
        with server.connect() as connection, self.assertRaises(client.Incomplete):
            reply = connection.get("/cl.php?n=100000&m=6")
            if reply.status == 502:  # nothing was sent yet, so this is honest too
                raise client.Incomplete("refused")
        server.stderr.wait_for(r"Content-Length is larger")

    @on_every_php
    def test_case_32_large_heads_are_whole(self, server):
        with server.connect() as connection:
            for count, size in ((1, 9000), (40, 1000), (1, 64_000), (200, 100)):
                for method in ("GET", "HEAD"):
                    reply = connection.request(method, f"/big.php?n={count}&s={size}")
                    self.assertEqual((200, b"ok" if method == "GET" else b""), (reply.status, reply.body))
                    self.assertEqual(["h" * size] * count, [reply.header(f"X-Big-{i}") for i in range(count)])
            self.assertEqual(502, connection.get("/big.php?n=1&s=2000000").status)
            self.assertEqual(A, connection.get("/a.txt").body)
        server.stderr.wait_for("larger than --max-php-head")


class Scripted(harness.TestCase):
    """A peer that says what php-fpm never would."""

    def ask(self, answer, method="GET", target="/inp.php"):
        fake = FakeFpm(self, answer, path=self.temp / f"fake{self.servers}.sock")
        self.servers += 1
        with self.serve(php=fake.address).connect() as connection:
            reply = connection.request(method, target)
            self.assertIsNone(reply.header("Status"))
            self.assertEqual(A, connection.get("/a.txt").body)
        return reply

    def setUp(self):
        super().setUp()
        self.servers = 0

    def test_case_27_status_lines_that_php_would_not_send(self):
        for status, expected in ((b"200", 200), (b"200 ", 200), (b"404: Not Found", 404), (b"0", 502),
                                 (b"abc", 502),
                                 (b"99", 502), (b"", 502), (b"2000", 502), (b"-200", 502), (b"200OK", 502),
                                 (b"100 Continue", 502), (b"999", 502)):
            head = b"Status: " + status + b"\r\nContent-Type: text/plain\r\n\r\n"
            reply = self.ask(lambda r: r.answer(head + b"ok"))
            self.assertEqual(expected, reply.status, status)

    def test_case_27_two_statuses_are_refused_and_none_means_200(self):
        self.assertEqual(502, self.ask(
            lambda r: r.answer(b"Status: 200 OK\r\nStatus: 404 Not Found\r\n\r\nok")).status)
        reply = self.ask(lambda r: r.answer(b"X: y\r\n\r\nok"))
        self.assertEqual((200, b"ok"), (reply.status, reply.body))

    def test_case_28_line_ends_of_lf_only_and_lower_case_names(self):
        reply = self.ask(lambda r: r.answer(b"status: 201 Made\ncontent-type: text/x\nx-a: b\n\nok"))
        self.assertEqual((201, "text/x", "b", b"ok"), (
            reply.status, reply.header("Content-Type"), reply.header("X-A"), reply.body))
