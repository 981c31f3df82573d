"""Known hard cases 34 to 38: what a worker says beside its answer, how it dies, and what it streams."""
import time

import client
import harness
from fake_fpm import FakeFpm
from harness import on_every_php

OK = b"Content-type: text/plain\r\n\r\nok"


class Messages(harness.TestCase):
    def ask(self, answer):
        fake = FakeFpm(self, answer, path=self.temp / f"fake{self.asked}.sock")
        self.asked += 1
        server = self.serve(php=fake.address)
        return server, server.get("/inp.php?which")

    def setUp(self):
        super().setUp()
        self.asked = 0

    def test_case_34_messages_mixed_with_the_answer_go_to_the_log_alone(self):
        def first(request):
            request.err(b"note one")
            request.answer(OK)

        def between(request):
            request.out(OK[:10])
            request.err(b"note two")
            request.out(OK[10:])
            request.end()

        def after(request):
            request.out(OK)
            request.err(b"note three")
            request.end()

        def much(request):
            request.err(b"m" * 2_000_000)
            request.answer(OK)

        for answer, note in ((first, "note one"), (between, "note two"), (after, "note three"), (much,
                                                                                                 "mmmm")):
            server, reply = self.ask(answer)
            self.assertEqual((200, b"ok", "text/plain"),
                             (reply.status, reply.body, reply.header("Content-Type")))
            server.stderr.wait_for(note + r".*inp\.php\?which")

    def test_case_34_messages_alone_are_no_answer(self):
        def answer(request):
            request.err(b"only this")
            request.end()
        server, reply = self.ask(answer)
        self.assertEqual(502, reply.status)
        server.stderr.wait_for(r"only this.*inp\.php\?which")

    @on_every_php
    def test_case_34_a_missing_script_is_404_and_a_fatal_error_is_500(self, server):
        with server.connect() as connection:
            self.assertEqual(500, connection.get("/fatal.php").status)
            self.assertEqual(200, connection.get("/inp.php").status)
        self.assertEqual(404, self.serve("--front-controller", "none").get("/nosuch.php").status)

    def test_case_34_a_script_missing_at_php_fpm_alone_is_404(self):
        # php-fpm says so on STDERR before it says Status: 404.
        (self.temp / "elsewhere").mkdir()
        server = self.serve("--php-root", self.temp / "elsewhere", php=self.php_fpm())
        with server.connect() as connection:
            self.assertEqual(404, connection.get("/env.php").status)
            self.assertEqual(b"static text\n", connection.get("/a.txt").body)
        server.stderr.wait_for("Primary script unknown.*env.php")


class DeadWorkers(harness.TestCase):
    @on_every_php
    def test_case_35_a_worker_that_dies_never_makes_a_complete_answer(self, server):
        # The first is 502, unless this PHP sends its head at a flush() without content (8.4 does).
        for target in ("/kill2.php?m=0", "/kill2.php?m=20000", "/kill2.php?m=20&cl=100"):
            with server.connect() as connection:
                try:
                    reply = connection.get(target)
                    self.assertEqual(502, reply.status, "complete, so it must be an error")
                except client.Incomplete:
                    self.assertTrue(connection.ended())
            self.assertEqual(200, server.get("/inp.php").status)

    def test_case_35_http_1_0_sees_it_too(self):
        server = self.serve()
        with server.connect() as connection, self.assertRaises(client.Incomplete):
            connection.send("GET /kill2.php?m=20000 HTTP/1.0\r\n\r\n")
            if connection.read_reply().status == 502:
                raise client.Incomplete("an error instead is honest too")
        self.assertEqual(200, server.get("/inp.php").status)

    @on_every_php
    def test_case_35_a_fatal_error_is_no_death(self, server):
        with server.connect() as connection:
            self.assertEqual(500, connection.get("/fatal.php").status)
            reply = connection.get("/fatal.php?m=10")
            self.assertEqual((200, b"f" * 10), (reply.status, reply.body))
            self.assertEqual(200, connection.get("/inp.php").status)
        server.stderr.wait_for("this_function_does_not_exist")

    def test_case_35_an_end_without_end_request_is_no_complete_answer(self):
        def answer(request):
            request.out(b"Content-Type: text/plain\r\n\r\n" + b"x" * 200_000)
        server = self.serve(php=FakeFpm(self, answer))
        with self.assertRaises(client.Incomplete):
            if server.get("/inp.php").status == 502:
                raise client.Incomplete("an error instead is honest too")


class Streams(harness.TestCase):
    def check_events(self, server, headers):
        """The order of what happens proves streaming: the first event is here while the script runs."""
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/sse.php", headers))
            head = connection.read_head()
            self.assertTrue(head.header("Content-Type").startswith("text/event-stream"))
            self.assertEqual((None, "chunked", None), (head.header("Content-Encoding"),
                                                       head.header("Transfer-Encoding"),
                                                       head.header("X-Accel-Buffering")))
            arrived = []
            while chunk := connection.read_chunk():
                arrived.append((time.monotonic(), chunk))
        self.assertEqual([f"data: {i}\n\n".encode() for i in range(1, 5)], [chunk for _, chunk in arrived])
        # The script takes 1.5 s: one that was held back would bring all events at the end.
        self.assertGreater(arrived[-1][0] - arrived[0][0], 1.0)

    @on_every_php
    def test_case_37_events_arrive_as_they_are_flushed(self, server):
        self.check_events(server, {})

    def test_case_37_events_arrive_to_a_client_that_takes_gzip(self):
        self.check_events(self.serve(), {"Accept-Encoding": "gzip"})

    def test_case_37_a_flush_without_any_header_streams_too(self):
        server = self.serve()
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/flush.php"))
            connection.read_head()
            self.assertEqual(b"hello", connection.read_chunk())
            first = time.monotonic()
            self.assertEqual(b"world", connection.read_chunk())
            self.assertGreater(time.monotonic() - first, 1.0)
            self.assertEqual(b"", connection.read_chunk())

    @on_every_php
    def test_case_38_what_comes_after_finish_request_holds_nobody_up(self, server):
        mark = self.state / "fin"
        mark.unlink(missing_ok=True)
        with server.connect() as connection:
            self.assertEqual("Before", connection.get("/fin.php").text)
            for _ in range(3):
                self.assertEqual(200, connection.get("/inp.php").status)
            self.assertFalse(mark.exists(), "answered while the background part still ran")
        self.assert_file("fin", "done")

    def test_case_38_with_two_workers_and_head(self):
        server = self.serve("--php-workers", "2")
        with server.connect() as connection:
            connection.send(client.format_request("HEAD", "/fin.php") + client.format_request("GET",
                                                                                              "/inp.php") * 3)
            connection.read_reply("HEAD")
            for _ in range(3):
                self.assertEqual(200, connection.read_reply().status)
            self.assertFalse((self.state / "fin").exists(), "answered while the background part still ran")
        self.assert_file("fin", "done")
