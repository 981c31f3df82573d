"""HTTP/1.1 itself: keep-alive, pipelining, versions, framing, limits and slow clients."""
import os
import time

import client
import harness
import processes
from harness import on_every_php

A = b"static text\n"


class Connections(harness.TestCase):
    @on_every_php
    def test_pipelined_requests_are_answered_in_order(self, server):  # case 72
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/inp.php") + client.format_request("GET", "/a.txt")
                            + client.format_request("POST", "/inp.php", body=b"abc")
                            + client.format_request("GET", "/a.txt"))
            bodies = [connection.read_reply().body for _ in range(4)]
        self.assertRegex(bodies[0], b"len=0 m=GET")
        self.assertEqual([A, b"CL=3 len=3 m=POST", A], bodies[1:])

    def test_a_thousand_pipelined_requests(self):
        with self.serve_static().connect() as connection:
            connection.send(client.format_request("GET", "/a.txt") * 1000)
            for _ in range(1000):
                self.assertEqual(A, connection.read_reply().body)

    @on_every_php
    def test_http_1_0(self, server):  # case 72
        with server.connect() as connection:
            connection.send("GET /inp.php HTTP/1.0\r\n\r\n")
            reply = connection.read_reply()
            self.assertIn(b"m=GET", reply.body)
            self.assertNotEqual("chunked", reply.framing)
            self.assertTrue(connection.ended())
        with server.connect() as connection:
            connection.send("GET /inp.php HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            reply = connection.read_reply()
            self.assertNotEqual("chunked", reply.framing)
            if reply.framing == "length" and not reply.closes:
                connection.send("GET /a.txt HTTP/1.0\r\n\r\n")
                self.assertEqual(A, connection.read_reply().body)
            self.assertTrue(connection.ended())
        with server.connect() as connection:
            connection.send("GET /bytes.php?n=5000000 HTTP/1.0\r\n\r\n")
            reply = connection.read_reply()
            self.assertEqual((5_000_000, True), (len(reply.body), reply.framing != "chunked"))

    def test_connection_close_is_answered_then_closed(self):  # case 72
        server = self.serve()
        for target in ("/a.txt", "/sleep.php?s=0.1"):
            with server.connect() as connection:
                reply = connection.get(target, {"Connection": "close"})
                self.assertEqual((200, "close"), (reply.status, reply.header("Connection").lower()))
                self.assertTrue(connection.ended())

    def test_a_request_in_single_bytes(self):  # case 72
        server = self.serve()
        with server.connect() as connection:
            for byte in client.format_request("POST", "/inp.php", {"X-A": "b"}, b"abc"):
                connection.send(bytes([byte]))
            self.assertEqual("CL=3 len=3 m=POST", connection.read_reply().text)
            for byte in client.format_request("POST", "/inp.php", {"Transfer-Encoding": "chunked"},
                                              client.chunked(b"hello", 2)):
                connection.send(bytes([byte]))
            self.assertEqual("CL=5 len=5 m=POST", connection.read_reply().text)

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
    """Cases 22 and 24. An ambiguous request is one error and a close: what follows is never answered."""

    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def refused(self, data, *statuses):
        with self.server.connect() as connection:
            connection.send(data)
            try:
                connection.send(client.format_request("GET", "/a.txt"))
            except (BrokenPipeError, ConnectionResetError):
                pass
            reply = connection.read_reply()
            self.assertIn(reply.status, statuses or (400,), data)
            self.assertTrue(connection.ended(), f"the second request was answered after {data!r}")

    def accepted(self, data):
        with self.server.connect() as connection:
            connection.send(data)
            self.assertEqual(200, connection.read_reply().status, data)

    def test_a_length_and_chunked(self):
        self.refused("POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")

    def test_odd_transfer_codings(self):
        for value in ("xchunked", "chunked, identity", "\x0bchunked", "chunked\r\nTransfer-Encoding: chunked",
                      "gzip, chunked", "identity", "", "chunked, chunked"):
            self.refused(f"POST /inp.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {value}\r\n\r\n"
                         "3\r\nabc\r\n0\r\n\r\n", 400, 501)
        self.refused("POST /inp.php HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")

    def test_odd_lengths(self):
        for value in ("+5", "-1", "0x5", "5 5", "18446744073709551621", "5\r\nContent-Length: 6", "", "5,6",
                      "a"):
            self.refused(f"POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: {value}\r\n\r\nabcde")

    def test_a_length_said_twice_alike(self):
        for value in ("5, 5", "5\r\nContent-Length: 5"):
            with self.server.connect() as connection:
                connection.send(f"POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: {value}\r\n\r\nabcde")
                reply = connection.read_reply()
                self.assertTrue(reply.status == 400 or "len=5" in reply.text)

    def test_odd_chunks(self):
        for body in ("x\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n", "3\nabc\n0\n\n",
                     "3\r\nabcd\r\n0\r\n\r\n",
                     "0x3\r\nabc\r\n0\r\n\r\n", "10000000000000000\r\nabc", " 3\r\nabc\r\n0\r\n\r\n"):
            self.refused(f"POST /count.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{body}")
        self.assertEqual(0, self.count())

    def test_header_lines_of_a_bad_shape(self):
        for line in ("Bad : x", ": v", "no colon", "X-A: a\0b", "X-A: a\rb", "X A: b", "Héader: x",
                     "X-A: a\x01b"):
            self.refused(f"GET /env.php HTTP/1.1\r\nHost: x\r\n{line}\r\n\r\n")

    def test_a_folded_line_is_never_a_new_header(self):
        with self.server.connect() as connection:
            connection.send("GET /env.php HTTP/1.1\r\nHost: x\r\nX-Foo: a\r\n b\r\n\r\n")
            reply = connection.read_reply()
            self.assertTrue(reply.status == 400 or '"HTTP_X_FOO":"a b"' in reply.text)

    def test_bad_hosts(self):
        for fields in ("", "Host: x\r\nHost: x\r\n", "Host: a/b\r\n", "Host: a@b\r\n", "Host: a b\r\n",
                       "Host: a:b\r\n",
                       "Host: [::1\r\n", "Host: x\r\nHost: y\r\n", "Host: a\\b\r\n",
                       "Host: a?b\r\n"):
            self.refused(f"GET /env.php HTTP/1.1\r\n{fields}\r\n")

    def test_good_but_rare_requests(self):
        self.accepted("GET /env.php HTTP/1.0\r\n\r\n")
        self.accepted("\r\nGET /env.php HTTP/1.1\r\nHost: x\r\n\r\n")
        self.accepted("GET /env.php HTTP/1.9\r\nHost: x\r\n\r\n")
        self.accepted("GET /env.php HTTP/1.1\r\nhOsT:x\r\nX-Empty:\r\n\r\n")

    def test_bad_request_lines(self):
        for line in ("GET  /a.txt HTTP/1.1", "GET /a.txt", "GET /a.txt HTTP/1.1 x", "GET /a.txt http/1.1",
                     "/a.txt HTTP/1.1",
                     "GET a.txt HTTP/1.1", "GET /a.txt HTTP/1", "GET /a txt HTTP/1.1", "G@T /a.txt HTTP/1.1",
                     "GET /a.txt#f HTTP/1.1", "GET * HTTP/1.1", "GET ftp://x/ HTTP/1.1"):
            self.refused(f"{line}\r\nHost: x\r\n\r\n", 400)

    def test_connect_is_no_tunnel(self):
        with self.server.connect() as connection:
            self.assertIn(connection.request("CONNECT", "x:80").status, (400, 405, 501))

    def test_other_versions_are_505(self):
        for version in ("HTTP/2.0", "HTTP/0.9", "HTTP/3.1"):
            self.refused(f"GET /a.txt {version}\r\nHost: x\r\n\r\n", 505)

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
    """Case 71 with short limits."""

    def test_a_slow_head_ends_after_its_limit_in_total(self):
        server = self.serve_static("--header-timeout", "2s")
        connections = [server.connect() for _ in range(100)]
        for connection in connections:
            connection.send("GET /a.txt HTTP/1.1\r\nX: ")
            connection.socket.setblocking(False)
        began = time.monotonic()
        open_ones = list(connections)
        while open_ones:
            self.assertLess(time.monotonic() - began, 30, f"{len(open_ones)} connections are still open")
            for connection in list(open_ones):
                try:
                    connection.socket.send(b"x")  # a byte now and then must not buy more time
                    data = connection.socket.recv(1000)
                except BlockingIOError:
                    continue
                except OSError:
                    data = b""
                self.assertTrue(not data or data.startswith(b"HTTP/1.1 408 "), data)
                open_ones.remove(connection)
            self.assertEqual(200, server.get("/a.txt").status)
            time.sleep(0.1)  # the pace of the slow clients

    def test_an_idle_connection_is_closed_silently(self):
        server = self.serve_static("--idle-timeout", "1s", "--header-timeout", "1s")
        used, fresh = server.connect(), server.connect()
        self.assertEqual(200, used.get("/a.txt").status)
        self.assertTrue(used.ended())
        fresh.read_all()
        self.assertNotIn("[error]", server.stderr.text)

    def test_a_body_that_stops_is_408_and_not_run(self):
        server = self.serve("--body-timeout", "1s")
        with server.connect() as connection:
            connection.send("POST /count.php HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
            self.assertEqual(408, connection.read_reply().status)
            self.assertTrue(connection.ended())
        self.assertEqual(0, self.count())

    def test_slow_uploads_and_slow_readers_hold_no_worker(self):
        server = self.serve("--php-workers", "1")
        uploads = [server.connect() for _ in range(3)]
        for connection in uploads:
            connection.send("POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
            connection.send("x" * 10_000)
        reader = server.connect(receive_buffer=4096)
        reader.send(client.format_request("GET", "/bytes.php?n=700000"))
        reader.read_head()
        self.assertEqual(200, server.get("/inp.php").status)  # the one worker is free
        for connection in uploads:
            connection.send("x" * 990_000)
            self.assertEqual("CL=1000000 len=1000000 m=POST", connection.read_reply().text)

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
