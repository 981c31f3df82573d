"""HTTP/1.1 itself: keep-alive, pipelining, versions, framing, limits and slow clients."""
import os

import client
import harness
import processes

A = b"static text\n"


class Connections(harness.TestCase):
    def test_a_thousand_pipelined_requests(self):
        with self.serve_static().connect() as connection:
            connection.send(client.format_request("GET", "/a.txt") * 1000)
            for _ in range(1000):
                self.assertEqual(A, connection.read_reply().body)

    def test_chunk_extensions_and_trailers_are_read_past(self):
        with self.serve().connect() as connection:
            connection.send("POST /inp.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "3;a=b;c=\"d\"\r\nabc\r\n0\r\nX-Trailer: y\r\n\r\n")
            self.assertEqual("CL=3 len=3 m=POST", connection.read_reply().text)
            self.assertEqual(A, connection.get("/a.txt").body)

    def test_absolute_form(self):
        server = self.serve()
        with server.connect() as connection:
            connection.send("GET http://other.example:81/env.php/p?q=1 HTTP/1.1\r\nHost: ignored\r\n\r\n")
            reply = connection.read_reply()
            self.assertEqual(200, reply.status)
            for part in ('"HTTP_HOST":"other.example:81"', '"SERVER_NAME":"other.example"',
                         '"PATH_INFO":"/p"',
                         '"REQUEST_URI":"/env.php/p?q=1"'):
                self.assertIn(part, reply.text)
            connection.send("GET http://other.example/a.txt HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertEqual(A, connection.read_reply().body)

    def test_options_of_everything(self):
        with self.serve().connect() as connection:
            reply = connection.request("OPTIONS", "*")
            self.assertIn(reply.status, (200, 204))
            self.assertIn("GET", reply.header("Allow"))
            self.assertEqual(A, connection.get("/a.txt").body)

    def test_a_method_that_php_knows_reaches_it(self):
        with self.serve().connect() as connection:
            for method in ("OPTIONS", "PATCH", "PROPFIND", "X-OWN"):
                self.assertIn(f"m={method}", connection.request(method, "/inp.php").text)

    def test_the_error_answers_are_short_pages_with_a_length(self):
        reply = self.serve_static().get("/nothing")
        self.assertEqual("length", reply.framing)
        self.assertLess(len(reply.body), 1000)

    def test_many_connections_at_once_are_served(self):
        server = self.serve_static()
        connections = [server.connect() for _ in range(300)]
        for connection in connections:
            connection.send(client.format_request("GET", "/a.txt"))
        for connection in connections:
            self.assertEqual(A, connection.read_reply().body)


class Framing(harness.TestCase):
    """An ambiguous request is one error and a close: what follows is never answered."""

    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def refused(self, data, *statuses):
        self.assert_one_answer(self.server, data, statuses or (400,))

    def test_odd_chunks(self):
        for body in ("x\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n", "3\nabc\n0\n\n",
                     "3\r\nabcd\r\n0\r\n\r\n",
                     "0x3\r\nabc\r\n0\r\n\r\n", "10000000000000000\r\nabc", " 3\r\nabc\r\n0\r\n\r\n"):
            self.refused(f"POST /count.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{body}")
        self.assertEqual(0, self.count())

    def test_connect_is_no_tunnel(self):
        with self.server.connect() as connection:
            self.assertIn(connection.request("CONNECT", "x:80").status, (400, 405, 501))

    def test_tls_on_the_plain_port_is_400_or_a_close(self):
        with self.server.connect() as connection:
            connection.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64))
            data = connection.read_all()
            self.assertTrue(not data or data.startswith(b"HTTP/1.1 400 "), data)

    def test_limits_of_the_head(self):
        self.refused("GET /" + "x" * 100_000 + " HTTP/1.1\r\nHost: x\r\n\r\n", 414)
        self.refused("GET /a.txt HTTP/1.1\r\nHost: x\r\nX-A: " + "x" * 300_000 + "\r\n\r\n", 431)
        self.refused("GET /a.txt HTTP/1.1\r\nHost: x\r\n" + "X-A: b\r\n" * 5000 + "\r\n", 431)


class Slow(harness.TestCase):
    def test_a_body_that_stops_is_408_and_not_run(self):
        server = self.serve("--body-timeout", "1s")
        with server.connect() as connection:
            connection.send("POST /count.php HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
            self.assertEqual(408, connection.read_reply().status)
            self.assertTrue(connection.ended())
        self.assertEqual(0, self.count())

    @harness.needs_root  # to look at a process that cannot be dumped
    def test_a_reader_that_stops_is_ended(self):
        server = self.serve_static("--send-timeout", "1s")
        (self.root / "f.bin").write_bytes(bytes(50_000_000))
        pid = server.server_pid()
        before = sockets_of(pid)
        connection = server.connect(receive_buffer=4096)
        connection.send(client.format_request("GET", "/f.bin"))
        connection.read_head()
        self.assertEqual(before + 1, sockets_of(pid))
        processes.wait_for(lambda: sockets_of(pid) == before, "the connection to be closed")


def sockets_of(pid):
    folder = f"/proc/{pid}/fd"
    return sum(os.readlink(f"{folder}/{entry}").startswith("socket:") for entry in os.listdir(folder))
