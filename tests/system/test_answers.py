"""What php-fpm answers, and what a scripted peer answers in its place."""
import time

import client
import harness
import processes
from fake_fpm import FakeFpm, STDERR, STDOUT, record
from harness import on_every_php


class Framing(harness.TestCase):
    @on_every_php
    def test_answers_without_content_stay_in_sync(self, server):  # case 25
        with server.connect() as connection:
            for code in (204, 304, 205):
                connection.send(client.format_request("GET", f"/s204.php?c={code}"))
            connection.send(client.format_request("GET", "/a.txt"))
            for code in (204, 304, 205):
                reply = connection.read_reply()
                self.assertEqual((code, b"", None),
                                 (reply.status, reply.body, reply.header("Transfer-Encoding")))
                if code == 204:
                    self.assertIsNone(reply.header("Content-Length"))
            self.assertEqual(b"static text\n", connection.read_reply().body)

    @on_every_php
    def test_head_of_a_script(self, server):  # case 26
        with server.connect() as connection:
            for target in ("/inp.php", "/cl.php?n=5&m=5", "/sse.php"):
                connection.send(client.format_request("HEAD", target))
            connection.send(client.format_request("GET", "/a.txt"))
            replies = [connection.read_reply("HEAD") for _ in range(3)]
            self.assertEqual([200, 200, 200], [reply.status for reply in replies])
            self.assertEqual([None, "5", None], [reply.header("Content-Length") for reply in replies])
            self.assertEqual(b"static text\n", connection.read_reply().body)

    @on_every_php
    def test_a_content_length_smaller_than_the_body(self, server):  # case 29
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/cl.php?n=3&m=6"))
            reply = connection.read_reply()
            self.assertEqual(b"ccc" if reply.framing == "length" else b"cccccc", reply.body)
            if not reply.closes:
                self.assertEqual(b"static text\n", connection.get("/a.txt").body)

    def test_a_content_length_larger_than_the_body_shows_as_incomplete(self):
        server = self.serve()
        with server.connect() as connection, self.assertRaises(client.Incomplete):
            reply = connection.get("/cl.php?n=100000&m=6")
            if reply.status == 502:  # nothing was sent yet, so this is honest too
                raise client.Incomplete("refused")

    def test_a_short_answer_has_a_content_length_and_a_long_one_is_chunked(self):
        server = self.serve()
        with server.connect() as connection:
            self.assertEqual("2", connection.get("/big.php?n=0&s=0").header("Content-Length"))
            reply = connection.get("/bytes.php?n=20000000")
            self.assertEqual(20_000_000, len(reply.body))
            self.assertEqual(bytes(range(251)) * 4, reply.body[:1004])
            self.assertEqual(200, connection.get("/a.txt").status)


class Heads(harness.TestCase):
    @on_every_php
    def test_status_and_location(self, server):  # case 27
        with server.connect() as connection:
            reply = connection.get("/hdr.php")
            self.assertEqual((418, b"x"), (reply.status, reply.body))
            self.assertEqual(404, connection.get("/status2.php").status)
            for target, code, location in (("/loc.php?l=/a.txt", 302, "/a.txt"),
                                           ("/loc.php?s=201&l=/x", 201, "/x"),
                                           ("/loc.php?l=//h/p", 302, "//h/p"),
                                           ("/loc.php?s=308&l=/x", 308, "/x")):
                reply = connection.get(target)
                self.assertEqual((code, location, b"moved"),
                                 (reply.status, reply.header("Location"), reply.body))
                self.assertIsNone(reply.header("Status"))

    @on_every_php
    def test_repeated_and_odd_headers_are_kept(self, server):  # case 28
        reply = server.get("/hd2.php")
        self.assertEqual(["one=1", "two=2"], reply.all("Set-Cookie"))
        self.assertEqual("</x.css>; rel=preload, </y.css>; rel=preload", ", ".join(reply.all("Link")))
        self.assertEqual("accept, cookie", ", ".join(reply.all("Vary")).lower())
        self.assertEqual("12:30:00: z", reply.header("X-T"))
        self.assertIn(reply.header("X-Empty"), ("", None))

    @on_every_php
    def test_large_heads_are_whole(self, server):  # case 32
        for count, size in ((1, 9000), (40, 1000), (1, 64_000)):
            reply = server.get(f"/big.php?n={count}&s={size}")
            self.assertEqual((200, b"ok"), (reply.status, reply.body))
            self.assertEqual(["h" * size] * count, [reply.header(f"X-Big-{i}") for i in range(count)])
        reply = server.get("/big.php?n=1&s=2000000")
        self.assertIn(reply.status, (200, 502))
        if reply.status == 502:
            server.stderr.wait_for(r"(?i)head.*(limit|large|long|bytes)")

    @on_every_php
    def test_a_missing_script_is_404_and_a_fatal_error_is_500(self, server):  # cases 34, 35
        self.assertEqual(500, server.get("/fatal.php").status)
        reply = server.get("/fatal.php?m=10")
        self.assertEqual((200, b"f" * 10), (reply.status, reply.body))
        server.stderr.wait_for("this_function_does_not_exist")


class DeadWorkers(harness.TestCase):
    @on_every_php
    def test_a_worker_that_dies_never_makes_a_complete_answer(self, server):  # case 35
        # The first is 502, unless this PHP sends its head at a flush() without content (8.4 does).
        for target in ("/kill2.php?m=0", "/kill2.php?m=20000", "/kill2.php?m=20&cl=100"):
            with server.connect() as connection:
                try:
                    reply = connection.get(target)
                    self.assertEqual(502, reply.status, "complete, so it must be an error")
                except client.Incomplete:
                    pass
            self.assertEqual(200, server.get("/inp.php").status)


    def test_a_script_that_php_fpm_ends_is_an_error_and_the_next_one_runs(self):  # case 51
        server = self.serve(php=self.php_fpm(pool=["request_terminate_timeout = 1s"]))
        self.assertIn(server.get("/sleep.php?s=30").status, (502, 504))
        self.assertEqual(200, server.get("/inp.php").status)
        server.stderr.wait_for(r"\[error\].*sleep\.php")

    def test_a_late_answer_is_given_to_nobody_else(self):  # case 51
        server = self.serve("--php-timeout", "1s", "--php-workers", "1")
        with server.connect() as connection:
            self.assertEqual(504, connection.get("/sleep.php?s=3").status)
            for _ in range(5):
                self.assertIn("m=GET", connection.get("/inp.php").text)


class Streams(harness.TestCase):
    def check_events(self, server, headers):
        """The order of what happens proves streaming: the first event is here while the script runs."""
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/sse.php", headers))
            began = time.monotonic()
            head = connection.read_head()
            self.assertTrue(head.header("Content-Type").startswith("text/event-stream"))
            self.assertIsNone(head.header("Content-Encoding"))
            self.assertEqual("chunked", head.header("Transfer-Encoding"))
            arrived = []
            while chunk := connection.read_chunk():
                arrived.append((time.monotonic() - began, chunk))
        self.assertEqual([f"data: {i}\n\n".encode() for i in range(1, 5)], [chunk for _, chunk in arrived])
        # The script takes 1.5 s: one that was held back would bring all events at the end.
        self.assertGreater(arrived[-1][0] - arrived[0][0], 1.0)

    @on_every_php
    def test_events_arrive_as_they_are_flushed(self, server):  # case 37
        self.check_events(server, {})

    def test_events_arrive_to_a_client_that_takes_gzip(self):  # case 37
        self.check_events(self.serve(), {"Accept-Encoding": "gzip"})

    def test_a_flush_without_any_header_streams_too(self):  # case 37
        server = self.serve()
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/flush.php"))
            connection.read_head()
            self.assertEqual(b"hello", connection.read_chunk())
            first = time.monotonic()
            self.assertEqual(b"world", connection.read_chunk())
            self.assertGreater(time.monotonic() - first, 1.0)
            self.assertEqual(b"", connection.read_chunk())

    def test_a_reader_that_leaves_does_not_keep_the_worker(self):
        server = self.serve("--php-workers", "1")
        connection = server.connect()
        connection.send(client.format_request("GET", "/bytes.php?n=500000000"))
        connection.read_head()
        connection.reset()
        self.assertEqual(200, server.get("/inp.php").status)


class Scripted(harness.TestCase):
    """A peer that says what php-fpm never would."""

    def ask(self, answer, method="GET", target="/inp.php", listen="unix"):
        fake = FakeFpm(self, answer, listen=listen, path=self.temp / f"fake{len(self.servers)}.sock")
        server = self.serve(php=fake.address)
        self.servers.append(server)
        return server.request(method, target)

    def setUp(self):
        super().setUp()
        self.servers = []

    def test_status_lines(self):  # case 27
        for status, expected in ((b"200", 200), (b"404: Not Found", 404), (b"0", 502), (b"abc", 502),
                                 (b"99", 502)):
            head = b"Status: " + status + b"\r\nContent-Type: text/plain\r\n\r\n"
            reply = self.ask(lambda r: r.answer(head + b"ok"))
            self.assertEqual(expected, reply.status, status)
            self.assertIsNone(reply.header("Status"))

    def test_two_status_lines_are_refused(self):  # case 27
        reply = self.ask(lambda r: r.answer(b"Status: 200 OK\r\nStatus: 404 Not Found\r\n\r\nok"))
        self.assertEqual(502, reply.status)

    def test_line_ends_of_lf_only_and_lower_case_names(self):  # case 28
        reply = self.ask(lambda r: r.answer(b"status: 201 Made\ncontent-type: text/x\nx-a: b\n\nok"))
        self.assertEqual((201, "text/x", "b", b"ok"), (
            reply.status, reply.header("Content-Type"), reply.header("X-A"), reply.body))

    def test_a_head_in_single_bytes(self):
        def answer(request):
            for byte in b"Status: 200 OK\r\nContent-Type: text/plain\r\n\r\nok":
                request.out(bytes([byte]))
            request.end()
        reply = self.ask(answer)
        self.assertEqual((200, b"ok"), (reply.status, reply.body))

    def test_hop_by_hop_headers_of_a_script_are_not_passed(self):
        head = (b"Connection: upgrade\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n"
                b"Keep-Alive: timeout=1\r\nContent-Type: text/plain\r\n\r\n")
        reply = self.ask(lambda r: r.answer(head + b"ok"))
        self.assertEqual((200, b"ok"), (reply.status, reply.body))
        self.assertIsNone(reply.header("Upgrade"))
        self.assertIsNone(reply.header("Keep-Alive"))

    def test_stderr_mixed_with_the_answer_goes_to_the_log_alone(self):  # case 34
        def first(request):
            request.err(b"note one")
            request.answer(b"Content-type: text/plain\r\n\r\nok")

        def between(request):
            request.out(b"Content-ty")
            request.err(b"note two")
            request.out(b"pe: text/plain\r\n\r\nok")
            request.end()

        def after(request):
            request.out(b"Content-type: text/plain\r\n\r\nok")
            request.err(b"note three")
            request.end()

        def much(request):
            request.err(b"m" * 2_000_000)
            request.answer(b"Content-type: text/plain\r\n\r\nok")

        for answer, note in ((first, "note one"), (between, "note two"), (after, "note three"),
                             (much, "mmmm")):
            reply = self.ask(answer)
            self.assertEqual((200, b"ok", "text/plain"),
                             (reply.status, reply.body, reply.header("Content-Type")))
            self.servers[-1].stderr.wait_for(note)

    def test_stderr_alone_is_no_answer(self):  # case 34
        def answer(request):
            request.err(b"only this")
            request.end()
        self.assertEqual(502, self.ask(answer).status)
        self.servers[-1].stderr.wait_for("only this")

    def test_nothing_or_nonsense_is_502(self):
        for answer in (lambda r: None, lambda r: r.raw(b"HTTP/1.1 200 OK\r\n\r\nhello, this is no FastCGI"),
                       lambda r: r.end(), lambda r: r.out(b"Content-Type: text/plain\r\n"),
                       lambda r: r.answer(b"no colon here\r\n\r\nok"),
                       lambda r: r.raw(record(STDOUT, b"x: y\r\n\r\n")[:-3])):
            self.assertEqual(502, self.ask(answer).status)

    def test_an_end_without_end_request_is_no_complete_answer(self):  # case 35
        def answer(request):
            request.out(b"Content-Type: text/plain\r\n\r\n" + b"x" * 200_000)
        with self.assertRaises(client.Incomplete):
            if self.ask(answer).status == 502:
                raise client.Incomplete("an error instead is honest too")

    def test_a_busy_or_refusing_peer_is_502_or_503(self):
        for code in (1, 2, 3):  # cannot multiplex, overloaded, unknown role
            self.assertIn(self.ask(lambda r: r.end(protocol_status=code)).status, (502, 503))

    def test_records_with_padding_and_of_other_kinds_are_read(self):
        def answer(request):
            request.raw(record(STDOUT, b"Content-Type: text/plain\r\n", padding=7))
            request.raw(record(11, b"\x09\0\0\0\0\0\0\0", request_id=0))  # UNKNOWN_TYPE, a management record
            request.raw(record(STDERR, b"", padding=255))
            request.raw(record(STDOUT, b"\r\nok", padding=255))
            request.end()
        reply = self.ask(answer)
        self.assertEqual((200, b"ok"), (reply.status, reply.body))

    def test_over_tcp_too(self):
        self.assertEqual(b"ok", self.ask(lambda r: r.answer(b"X: y\r\n\r\nok"), listen="tcp").body)

    def test_a_script_that_is_silent_too_long_is_504_and_its_connection_is_ended(self):  # case 51
        ended = []
        fake = FakeFpm(self, lambda request: ended.append(request.wait_for_close()))
        server = self.serve("--php-timeout", "1s", php=fake.address)
        self.assertEqual(504, server.get("/inp.php").status)
        processes.wait_for(lambda: ended == [True], "the end of the FastCGI connection")

    def test_the_variables_of_cgi_in_the_right_order_and_once(self):
        fake = FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\nok"))
        server = self.serve(php=fake.address)
        server.post("/inp.php/info?q", b"abc", {"Content-Type": "a/b", "X-A": "1"})
        names = [name for name, _ in fake.requests[0].pairs]
        self.assertEqual(len(names), len(set(names)), names)
        self.assertEqual(b"abc", fake.requests[0].stdin)
        self.assertFalse(fake.requests[0].keep)
