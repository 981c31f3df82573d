"""Known hard cases 22, 24, 71 and 72: framing, the shape of a head, slow clients, pipelining and HTTP/1.0.

test_desync.py has a thousand relatives of 22 and 24."""
import time

import client
import harness
from harness import on_every_php, variables

A = b"static text\n"
NEXT = client.format_request("GET", "/a.txt")


class Framing(harness.TestCase):
    """An ambiguous request is one error and a close: what follows is never answered."""

    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def refused(self, data, *statuses):
        self.assert_one_answer(self.server, data, statuses or (400,))

    def accepted(self, data, content=None):
        with self.server.connect() as connection:
            connection.send(data)
            reply = connection.read_reply()
            self.assertEqual(200, reply.status, data)
            if content:
                self.assertIn(content, reply.text)
            if not reply.closes:
                self.assertEqual(A, connection.get("/a.txt").body)

    def test_case_22_a_length_and_chunked(self):
        chunks = "3\r\nabc\r\n0\r\n\r\n"
        for fields in ("Content-Length: 4\r\nTransfer-Encoding: chunked",
                       "Transfer-Encoding: chunked\r\nContent-Length: 4",
                       "Content-Length: 0\r\nTransfer-Encoding: chunked",
                       "transfer-encoding: Chunked\r\nCONTENT-LENGTH: 4"):
            for method in ("POST", "GET", "PUT"):
                self.refused(f"{method} /count.php HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\n{chunks}")
        for value in ("xchunked", "chunked, identity", "\x0bchunked", "chunked\r\nTransfer-Encoding: chunked",
                      "gzip, chunked", "identity", "", "chunked, chunked",
                      "chunked\r\nTransfer-Encoding: identity"):
            self.refused(f"POST /count.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {value}\r\n\r\n{chunks}",
                         400, 501)
        self.refused(f"POST /count.php HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}")
        for value in ("5,6", "+5", "-1", "0x5", "5 5", "18446744073709551621", "5\r\nContent-Length: 6", "",
                      "a", "5;"):
            self.refused(f"POST /count.php HTTP/1.1\r\nHost: x\r\nContent-Length: {value}\r\n\r\nabcde")
        self.assertEqual(0, self.count())

    def test_case_22_a_length_said_twice_alike_is_one(self):
        for value in ("5, 5", "5\r\nContent-Length: 5"):
            self.accepted(f"POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: {value}\r\n\r\nabcde",
                          "len=5")

    def test_case_24_the_shape_of_a_head_and_the_host(self):
        for line in ("Host : y", "Bad : x", ": v", "no colon", "X-A: a\0b", "X-A: a\rb", "X A: b",
                     "Héader: x",
                     "X-A: a\x01b", "X-Foo: a\r\n b", "X-Foo: a\r\n\tb", " X-Foo: a"):
            self.refused(f"GET /env.php HTTP/1.1\r\nHost: x\r\n{line}\r\n\r\n")
        for fields in ("", "Host: x\r\nHost: x\r\n", "Host: x\r\nhost: y\r\n", "Host: a/b\r\n",
                       "Host: a@b\r\n",
                       "Host: a b\r\n", "Host: a:b\r\n", "Host: [::1\r\n", "Host: a\\b\r\n", "Host: a?b\r\n",
                       "Host: a, b\r\n", "Host: a:99999\r\n", "Host: http://a\r\n"):
            self.refused(f"GET /env.php HTTP/1.1\r\n{fields}\r\n")
        for line in ("GET  /a.txt HTTP/1.1", "GET /a.txt  HTTP/1.1", "GET /a.txt", "GET /a.txt HTTP/1.1 ",
                     "GET /a.txt http/1.1", "/a.txt HTTP/1.1", "GET a.txt HTTP/1.1", "GET /a.txt HTTP/1",
                     "GET /a txt HTTP/1.1", "G@T /a.txt HTTP/1.1", "GET /a.txt#f HTTP/1.1", "GET * HTTP/1.1",
                     "GET ftp://x/ HTTP/1.1", "GET\t/a.txt HTTP/1.1", " GET /a.txt HTTP/1.1"):
            self.refused(f"{line}\r\nHost: x\r\n\r\n")
        for version in ("HTTP/2.0", "HTTP/0.9", "HTTP/3.1"):
            self.refused(f"GET /a.txt {version}\r\nHost: x\r\n\r\n", 505)

    def test_case_24_good_but_rare_heads(self):
        self.accepted("GET /env.php HTTP/1.0\r\n\r\n")
        self.accepted("\r\nGET /env.php HTTP/1.1\r\nHost: x\r\n\r\n")
        self.accepted("GET /env.php HTTP/1.9\r\nHost: x\r\n\r\n")
        self.accepted("GET /env.php HTTP/1.1\r\nhOsT:x\r\nX-Empty:\r\n\r\n")
        self.accepted("GET /env.php HTTP/1.1\r\nHost: x\r\nX-A:\t b \t\r\n\r\n", '"HTTP_X_A":"b"')


class Slow(harness.TestCase):
    def slow_heads(self, server, count):
        connections = [server.connect() for _ in range(count)]
        for connection in connections:
            connection.send("GET /a.txt HTTP/1.1\r\nX: ")
            connection.socket.setblocking(False)
        return connections

    def still_open(self, connections):
        """One more byte to each; those that the server has not closed."""
        left = []
        for connection in connections:
            try:
                connection.socket.send(b"x")  # a byte now and then must not buy more time
                data = connection.socket.recv(1000)
            except BlockingIOError:
                left.append(connection)
                continue
            except OSError:
                data = b""
            self.assertTrue(not data or data.startswith(b"HTTP/1.1 408 "), data)
        return left

    def test_case_71_slow_heads_slow_uploads_and_slow_readers_do_not_hold_a_worker(self):
        server = self.serve("--php-workers", "1", "--header-timeout", "2s", "--body-timeout", "5m")
        uploads = [server.connect() for _ in range(3)]
        for connection in uploads:
            connection.send("POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
                            + "x" * 10_000)
        uploads.append(server.connect())
        uploads[-1].send("POST /inp.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n"
                         + "x" * 5000)
        reader = server.connect(receive_buffer=4096)
        reader.send(client.format_request("GET", "/bytes.php?n=700000"))
        reader.read_head()
        began = time.monotonic()
        slow = self.slow_heads(server, 500)
        while slow:
            self.assertLess(time.monotonic() - began, 60, f"{len(slow)} connections are still open")
            slow = self.still_open(slow)
            self.assertEqual(200, server.get("/inp.php").status)  # the one worker is free
            for connection in uploads[:3]:
                connection.send("x")
            time.sleep(0.1)  # the pace of the slow clients
        for connection in uploads[:3]:
            self.assertEqual(200, server.get("/inp.php").status)
        uploads[-1].send("x" * 5000 + "\r\n0\r\n\r\n")
        self.assertEqual("CL=10000 len=10000 m=POST", uploads[-1].read_reply().text)

    def test_case_71_an_idle_connection_is_closed_silently(self):
        server = self.serve_static("--idle-timeout", "1s", "--header-timeout", "1s")
        used, fresh = server.connect(), server.connect()
        self.assertEqual(200, used.get("/a.txt").status)
        self.assertTrue(used.ended())
        self.assertTrue(fresh.ended())
        self.assertEqual(200, server.get("/a.txt").status)
        self.assertNotIn("[error]", server.stderr.text)


class Order(harness.TestCase):
    @on_every_php
    def test_case_72_pipelined_requests_are_answered_in_order(self, server):
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/inp.php") + NEXT
                            + client.format_request("POST", "/inp.php", body=b"abc") + NEXT
                            + client.format_request("HEAD", "/inp.php")
                            + client.format_request("GET", "/sleep.php?s=0.2")
                            + client.format_request("POST", "/inp.php", {"Transfer-Encoding": "chunked"},
                                                    client.chunked(b"hello")) + NEXT)
            methods = ["GET", "GET", "POST", "GET", "HEAD", "GET", "POST", "GET"]
            bodies = [connection.read_reply(method).body for method in methods]
        self.assertRegex(bodies[0], b"len=0 m=GET")
        self.assertEqual([A, b"CL=3 len=3 m=POST", A, b"", b"ok", b"CL=5 len=5 m=POST", A], bodies[1:])

    @on_every_php
    def test_case_72_http_1_0(self, server):
        for target in ("/inp.php", "/a.txt", "/fallback", "/bytes.php?n=5000000"):
            with server.connect() as connection:
                connection.send(f"GET {target} HTTP/1.0\r\n\r\n")
                reply = connection.read_reply()
                self.assertEqual((200, True), (reply.status, reply.framing != "chunked"))
                self.assertTrue(connection.ended())
            if target.startswith("/bytes"):
                self.assertEqual(5_000_000, len(reply.body))
        with server.connect() as connection:
            connection.send("GET /inp.php HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            reply = connection.read_reply()
            self.assertNotEqual("chunked", reply.framing)
            if reply.framing == "length" and not reply.closes:
                connection.send("GET /a.txt HTTP/1.0\r\n\r\n")
                self.assertEqual(A, connection.read_reply().body)
            self.assertTrue(connection.ended())

    def test_case_72_connection_close_is_answered_then_closed(self):
        server = self.serve()
        for target in ("/a.txt", "/sleep.php?s=1", "/fallback", "/nothing/"):
            for value in ("close", "Close", "x, close"):
                with server.connect() as connection:
                    connection.send(client.format_request("GET", target, {"Connection": value}) + NEXT)
                    reply = connection.read_reply()
                    self.assertEqual((200, "close"), (reply.status, reply.header("Connection").lower()))
                    self.assertTrue(connection.ended())

    def test_case_72_a_request_in_single_bytes(self):
        server = self.serve()
        with server.connect() as connection:
            for byte in client.format_request("POST", "/inp.php", {"X-A": "b"}, b"abc"):
                connection.send(bytes([byte]))
            self.assertEqual("CL=3 len=3 m=POST", connection.read_reply().text)
            for byte in client.format_request("POST", "/inp.php", {"Transfer-Encoding": "chunked"},
                                              client.chunked(b"hello", 2)):
                connection.send(bytes([byte]))
            self.assertEqual("CL=5 len=5 m=POST", connection.read_reply().text)
            for byte in client.format_request("GET", "/env.php?q=1", {"X-A": "b"}):
                connection.send(bytes([byte]))
            got = variables(connection.read_reply())
            self.assertEqual(("b", "q=1"), (got["HTTP_X_A"], got["QUERY_STRING"]))
