"""The limits of a request and of a connection: below, at and above each, and what follows on it."""
import json

import client
import harness


class Limits(harness.TestCase):
    def settings(self, *options, **keywords):
        result = self.run_binary("-d", self.root, "--php-fpm", "none", *options, "--print-config", **keywords)
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        return json.loads(result.stdout)

    def in_sync(self, connection):
        """The connection is kept, and what comes next is the answer to what is asked next."""
        self.assertEqual(b"static text\n", connection.get("/a.txt").body)

    def refuse(self, server, request, status):
        """One complete answer with the status, and the end: nothing after it is a request."""
        method = request.split()[0].decode()
        with server.connect() as connection:
            connection.send(request + b"GET /a.txt HTTP/1.1\r\nHost: x\r\n\r\n")
            reply = connection.read_reply(method)
            self.assertEqual(status, reply.status)
            self.assertTrue(reply.closes)
            self.assertEqual(method != "HEAD", str(status).encode() in reply.body)
            self.assertTrue(connection.ended())


class Options(Limits):
    def test_the_defaults_are_those_of_the_readme(self):
        settings = self.settings()
        expected = {"max-head": 128 << 10, "max-target": 33280, "max-fields": 200, "max-body": 8 << 20,
                    "keepalive-requests": 1000, "max-php-head": 256 << 10, "php-buffer": 128 << 10}
        self.assertEqual(expected, {name: settings[name] for name in expected})
        self.assertLessEqual(settings["php-spool"], 1 << 30)
        self.assertIn("open files", settings["max-connections"])

    def test_each_is_an_option_and_a_variable_and_nonsense_is_refused(self):
        for name, value, shown, bad in (("max-head", "1k", 1024, "0"), ("max-target", "100", 100, "1M"),
                                        ("max-fields", "7", 7, "0"), ("max-connections", "9", 9, "0"),
                                        ("keepalive-requests", "3", 3, "-1"),
                                        ("max-php-head", "2k", 2048, "0"),
                                        ("php-buffer", "64k", 65536, "1"), ("php-spool", "0", 0, "much")):
            with self.subTest(name):
                self.assertEqual(shown, self.settings(f"--{name}", value)[name])
                variable = "HTTPD_" + name.upper().replace("-", "_")
                self.assertEqual(shown, self.settings(env={variable: value})[name])
                self.refused("-d", self.root, f"--{name}", bad, says=[f"--{name}", bad])
                self.refused("-d", self.root, env={variable: bad}, says=[variable])

    def test_the_room_for_answers_is_small_where_it_takes_memory(self):
        with open("/proc/meminfo") as file:
            memory = int(file.readline().split()[1]) * 1024
        with open("/proc/mounts") as file:
            folders = [line.split()[1] for line in file if line.split()[2] == "tmpfs" and " rw," in line]
        self.assertTrue(folders, "no tmpfs anywhere")
        self.assertLessEqual(self.settings(env={"TMPDIR": folders[0]})["php-spool"], memory // 8)


class Head(Limits):
    def request(self, size, method="GET", version="1.1", target="/a.txt"):
        """A head of exactly so many bytes."""
        start = f"{method} {target} HTTP/{version}\r\nHost: x\r\nX-Fill: ".encode()
        return start + b"f" * (size - len(start) - 4) + b"\r\n\r\n"

    def test_the_size_of_a_head(self):
        server = self.serve_static("--max-head", "1000")
        with server.connect() as connection:
            for size in (999, 1000):
                connection.send(self.request(size))
                self.assertEqual(200, connection.read_reply().status, size)
            connection.send(self.request(1000, "HEAD"))
            reply = connection.read_reply("HEAD")
            self.assertEqual((200, b""), (reply.status, reply.body))
            self.in_sync(connection)
        for request in (self.request(1001), self.request(1001, "HEAD"), self.request(1001, version="1.0"),
                        self.request(5000), self.request(100_000)):
            self.refuse(server, request, 431)

    def test_the_size_of_a_head_that_comes_in_pieces_or_never_ends(self):
        server = self.serve_static("--max-head", "1000")
        for size, status in ((1000, 200), (1001, 431)):
            with server.connect() as connection:
                request = self.request(size)
                for at in range(0, size, 90):
                    connection.send(request[at:at + 90])
                self.assertEqual(status, connection.read_reply().status)
        with server.connect() as connection:
            connection.send(self.request(1002)[:999])
            connection.send(b"f")
            self.assertEqual(431, connection.read_reply().status, "at once, not at its end")

    def test_a_large_head_is_taken_by_default_and_a_larger_one_refused(self):
        server = self.serve_static()
        with server.connect() as connection:
            connection.send(self.request(128 << 10))
            self.assertEqual(200, connection.read_reply().status)
            self.in_sync(connection)
        self.refuse(server, self.request((128 << 10) + 1), 431)

    def test_the_size_of_a_target(self):
        server = self.serve_static("--max-target", "100")
        target = "/a.txt?" + "q" * 93
        with server.connect() as connection:
            self.assertEqual(200, connection.get(target[:-1]).status)
            self.assertEqual(200, connection.get(target).status)
            self.assertEqual(200, connection.request("HEAD", target).status)
            self.in_sync(connection)
        for method in ("GET", "HEAD", "POST"):
            for version in ("1.1", "1.0"):
                self.refuse(server, f"{method} {target}q HTTP/{version}\r\nHost: x\r\n\r\n".encode(), 414)
        with server.connect() as connection:
            connection.send(f"GET {target}q")  # it can only become longer
            self.assertEqual(414, connection.read_reply().status)

    def test_the_default_size_of_a_target(self):
        server = self.serve_static()
        target = "/a.txt?" + "q" * (33280 - 7)
        with server.connect() as connection:
            self.assertEqual(200, connection.get(target).status)
            self.in_sync(connection)
        self.refuse(server, f"GET {target}q HTTP/1.1\r\nHost: x\r\n\r\n".encode(), 414)

    def test_a_target_at_the_greatest_limit_reaches_php_or_is_refused(self):
        server = self.serve("--max-target", "63k")
        query = "q" * ((63 << 10) - len("/env.php?"))
        with server.connect() as connection:
            got = harness.variables(connection.get("/env.php?" + query))
            self.assertEqual((query, "/env.php?" + query), (got["QUERY_STRING"], got["REQUEST_URI"]))
            self.in_sync(connection)
        self.assertEqual(414, server.get("/env.php?q" + query).status)

    def test_the_number_of_fields(self):
        def request(count, method="GET", version="1.1"):
            lines = "".join(f"X-{i}: v\r\n" for i in range(count - 1))
            return f"{method} /a.txt HTTP/{version}\r\nHost: x\r\n{lines}\r\n".encode()
        for options, most in (((), 200), (("--max-fields", "20"), 20)):
            server = self.serve_static(*options)
            with server.connect() as connection:
                for count in (most - 1, most):
                    connection.send(request(count))
                    self.assertEqual(200, connection.read_reply().status)
                self.in_sync(connection)
            for method, version in (("GET", "1.1"), ("HEAD", "1.1"), ("GET", "1.0")):
                self.refuse(server, request(most + 1, method, version), 431)


class KeptAlive(Limits):
    def test_the_number_of_requests_of_a_connection(self):
        (self.root / "large.bin").write_bytes(bytes(100_000))
        server = self.serve("--keepalive-requests", "4")
        for target in ("/a.txt", "/large.bin", "/inp.php", "/nothing/here.txt"):
            with server.connect() as connection, self.subTest(target):
                for count in (1, 2, 3):
                    self.assertFalse(connection.get(target).closes, count)
                reply = connection.get(target)
                self.assertEqual("close", reply.header("Connection"))
                self.assertTrue(connection.ended())
        with server.connect() as connection:
            replies = [connection.request("HEAD", "/a.txt") for _ in range(4)]
            self.assertEqual([False] * 3 + [True], [reply.closes for reply in replies])
            self.assertTrue(connection.ended())

    def test_what_was_pipelined_behind_the_last_request_is_not_answered(self):
        server = self.serve_static("--keepalive-requests", "3")
        with server.connect() as connection:
            connection.send(b"GET /a.txt HTTP/1.1\r\nHost: x\r\n\r\n" * 5)
            self.assertEqual([False, False, True], [connection.read_reply().closes for _ in range(3)])
            self.assertTrue(connection.ended())

    def test_http_1_0_is_told_the_same(self):
        server = self.serve_static("--keepalive-requests", "2")
        with server.connect() as connection:
            request = b"GET /a.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            connection.send(request)
            self.assertEqual("keep-alive", connection.read_reply().header("Connection"))
            connection.send(request)
            self.assertEqual("close", connection.read_reply().header("Connection"))
            self.assertTrue(connection.ended())

    def test_one_request_or_any_number(self):
        server = self.serve_static("--keepalive-requests", "1")
        self.assertTrue(server.connect().get("/a.txt").closes)
        for options, count in (((), 999), (("--keepalive-requests", "0"), 1500)):
            server = self.serve_static(*options, "--access-log", "off")
            with server.connect() as connection:
                for first in range(0, count, 50):
                    many = min(50, count - first)
                    connection.send(b"GET /a.txt HTTP/1.1\r\nHost: x\r\n\r\n" * many)
                    for _ in range(many):
                        self.assertFalse(connection.read_reply().closes)
                self.assertEqual(count == 999, connection.get("/a.txt").closes, "the thousandth is the last")


class Body(Limits):
    def test_the_size_of_a_body(self):
        server = self.serve("--max-body", "1000")
        with server.connect() as connection:
            for size in (999, 1000):
                body = b"b" * size
                for headers, data in (({}, body), ({"Transfer-Encoding": "chunked"}, client.chunked(body))):
                    reply = connection.request("POST", "/inp.php", headers, data)
                    self.assertEqual(f"CL={size} len={size} m=POST", reply.text)
            self.in_sync(connection)
        above = b"b" * 1001
        for headers, data in (({}, above), ({"Transfer-Encoding": "chunked"}, client.chunked(above))):
            for method in ("POST", "PUT", "GET"):
                self.refuse(server, client.format_request(method, "/count.php", headers, data), 413)
        self.refuse(server, b"POST /count.php HTTP/1.0\r\nContent-Length: 1001\r\n\r\n" + above, 413)
        self.assertEqual(0, self.count(), "no script ran")

    def test_a_refused_upload_that_goes_on_for_long_still_reads_its_answer(self):
        """The client reads only when it has sent everything, as most do."""
        server = self.serve("--max-body", "1000")
        with server.connect() as connection:
            connection.send(b"POST /count.php HTTP/1.1\r\nHost: x\r\nContent-Length: 300000000\r\n\r\n")
            for _ in range(300):
                connection.send(bytes(1_000_000))
            reply = connection.read_reply()
            self.assertEqual((413, True), (reply.status, reply.closes))
        self.assertEqual(0, self.count())

    def test_a_refused_upload_that_never_ends_is_cut_and_holds_nobody(self):
        server = self.serve("--max-body", "1000", "--threads", "1")
        with server.connect() as connection:
            connection.send(b"POST /count.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(b"400\r\n" + bytes(1024) + b"\r\n")
            self.assertEqual(413, connection.read_reply().status)
            self.assertEqual(200, server.get("/inp.php").status)
            self.assertTrue(connection.ended(), "after five seconds without a byte")
