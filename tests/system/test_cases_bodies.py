"""Known hard cases 40 to 45: request bodies and large parameters."""
import hashlib
import json
import os

import client
import harness
from harness import on_every_php, variables

A = b"static text\n"


class Bodies(harness.TestCase):
    @on_every_php
    def test_case_40_a_chunked_upload_gets_a_content_length(self, server):
        with server.connect() as connection:
            for method in ("POST", "PUT", "PATCH", "DELETE", "GET"):
                for body in (b"hello world", b""):
                    reply = connection.request(method, "/inp.php", {"Transfer-Encoding": "chunked"},
                                               client.chunked(body))
                    self.assertEqual(f"CL={len(body)} len={len(body)} m={method}", reply.text)
            got = variables(connection.request("POST", "/fallback", {"Transfer-Encoding": "chunked"},
                                               client.chunked(b"hello")))
            self.assertEqual(("5", 5, "/index.php"), (got["CONTENT_LENGTH"], got["input"],
                                                      got["SCRIPT_NAME"]))
            self.assertNotIn("HTTP_TRANSFER_ENCODING", got)

    def test_case_40_a_large_chunked_upload_is_spooled(self):
        server = self.serve("--max-body", "32M")
        body = os.urandom(1 << 20) * 20
        reply = server.request("POST", "/inp.php", {"Transfer-Encoding": "chunked"},
                               client.chunked(body, 65536))
        self.assertEqual(f"CL={len(body)} len={len(body)} m=POST", reply.text)

    def test_case_40_a_chunked_form_fills_what_a_counted_one_does(self):
        content, boundary = os.urandom(200_000), "xYzZy"
        body = (f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{boundary}\r\n'
                f'Content-Disposition: form-data; name="f"; filename="x.bin"\r\n\r\n').encode()
        body += content + f"\r\n--{boundary}--\r\n".encode()
        server = self.serve()
        for chunked in (False, True):
            headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
            if chunked:
                headers["Transfer-Encoding"] = "chunked"
            reply = server.post("/form.php", client.chunked(body, 5000) if chunked else body, headers)
            got = json.loads(reply.body)
            self.assertEqual({"a": "1"}, got["post"])
            self.assertEqual(["x.bin", len(content), 0, hashlib.md5(content).hexdigest()], got["files"]["f"])

    @on_every_php
    def test_case_41_empty_bodies(self, server):
        with server.connect() as connection:
            self.assertEqual("CL=0 len=0 m=POST", connection.request("POST", "/inp.php", body=b"").text)
            for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "GET"):
                self.assertIn(f"len=0 m={method}", connection.request(method, "/inp.php").text)
            for method in ("GET", "DELETE", "OPTIONS"):
                self.assertEqual(f"CL=3 len=3 m={method}", connection.request(method, "/inp.php",
                                                                              body=b"abc").text)
            connection.request("HEAD", "/inp.php", body=b"abc")
            self.assertEqual(A, connection.get("/a.txt").body)
            connection.send("POST /inp.php HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            self.assertIn("len=0 m=POST", connection.read_reply().text)
            self.assertEqual(A, connection.request("GET", "/a.txt", body=b"abc").body)
            self.assertEqual(A, connection.get("/a.txt").body)

    @on_every_php
    def test_case_42_a_truncated_upload_does_not_run_the_script(self, server):
        head = "POST /count.php HTTP/1.1\r\nHost: x\r\n"
        chunks = head + "Transfer-Encoding: chunked\r\n\r\n"
        for sent in (head + "Content-Length: 10\r\n\r\n", head + "Content-Length: 10\r\n\r\nabc", chunks,
                     chunks + "3", chunks + "3\r\nab", chunks + "3\r\nabc\r\n", chunks + "3\r\nabc\r\n0\r\n",
                     chunks + "3\r\nabc\r\n0\r\nX: y\r\n",
                     head.replace("count", "fallback") + "Content-Length: 10\r\n\r\nabc"):
            connection = server.connect()
            connection.send(sent)
            connection.end_sending()
            received = connection.read_all()
            self.assertTrue(not received or received.startswith(b"HTTP/1.1 400 "), received)
            connection = server.connect()
            connection.send(sent)
            connection.reset()
        self.assertEqual("CL=0 len=0 m=POST", server.post("/inp.php", b"").text)
        self.assertEqual(0, self.count())
        self.assertNotIn("[error]", server.stderr.text)

    def test_case_43_expect_100_continue_and_the_limit(self):
        server = self.serve("--max-body", "1M")
        for expect in ("100-continue", "100-Continue"):  # (a)
            with server.connect() as connection:
                connection.send("POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
                                f"Expect: {expect}\r\n\r\n")
                self.assertEqual(100, connection.read_head().status)
                connection.send("abc")
                self.assertEqual("CL=3 len=3 m=POST", connection.read_reply().text)
                self.assertEqual(A, connection.get("/a.txt").body)
        with server.connect() as connection:  # (b)
            connection.send("POST /count.php HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n"
                            "Expect: 100-continue\r\n\r\n")
            reply = connection.read_reply()
            self.assertEqual((413, []), (reply.status, reply.interim))
        with server.connect() as connection:  # (e)
            connection.send("POST /inp.php HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc")
            reply = connection.read_reply()
            self.assertEqual((200, []), (reply.status, reply.interim))
        with server.connect() as connection:  # no body, nothing to wait for
            reply = connection.request("POST", "/inp.php", {"Expect": "100-continue"}, b"")
            self.assertEqual((200, []), (reply.status, reply.interim))
            reply = connection.request("POST", "/a.txt", {"Expect": "100-continue", "Content-Length": "3"},
                                       b"")
            self.assertEqual((405, []), (reply.status, reply.interim))
        self.assertEqual(417, server.post("/inp.php", b"abc", {"Expect": "foo"}).status)  # (f)
        self.assertEqual(0, self.count())

    def test_case_43_a_body_over_the_limit_is_413_that_the_client_can_read(self):  # (c), (d)
        server = self.serve("--max-body", "1M")
        body = bytes(50_000_000)
        for headers, data in (({}, body), ({"Transfer-Encoding": "chunked"}, client.chunked(body, 1 << 16))):
            with server.connect() as connection:
                try:
                    connection.send(client.format_request("POST", "/count.php", headers, data))
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the answer must be there all the same
                reply = connection.read_reply()
                self.assertEqual(413, reply.status)
                self.assertTrue(reply.closes)
        self.assertEqual(0, self.count())
        self.assertEqual(200, server.post("/inp.php", bytes(1 << 20)).status)

    @on_every_php
    def test_case_45_parameters_near_record_limits(self, server):
        with server.connect() as connection:
            for size in (32_000, 32_768):
                got = variables(connection.get("/env.php?" + "q" * size))
                self.assertEqual("q" * size, got["QUERY_STRING"])
            for size in (127, 128, 20_000, 65_400):
                got = variables(connection.get("/env.php", {"X-Long": "v" * size}))
                self.assertEqual("v" * size, got["HTTP_X_LONG"])
            got = variables(connection.get("/env.php", {f"X-H-{i}": f"{i}" + "h" * 1000 for i in range(100)}))
            self.assertEqual([f"{i}" + "h" * 1000 for i in range(100)],
                             [got[f"HTTP_X_H_{i}"] for i in range(100)])
        for target in ("/env.php?", "/env.php/", "/", "/fallback?"):
            reply = server.get(target + "q" * 66_000)
            self.assertIn(reply.status, (414, 431), target)

    def test_case_45_a_query_of_33000_letters_is_sent_twice(self):
        reply = self.serve().get("/env.php?" + "q" * 33_000)
        self.assertEqual(33_000, len(variables(reply)["QUERY_STRING"]))

    def test_case_45_a_value_too_long_for_php_is_431_and_never_502(self):
        server = self.serve()
        for size in range(65_480, 65_560, 8):
            reply = server.get("/env.php", {"X-Long": "v" * size})
            self.assertIn(reply.status, (200, 431), size)
            if reply.status == 200:
                self.assertEqual(size, len(variables(reply)["HTTP_X_LONG"]))

    @on_every_php
    def test_case_45_bodies_of_every_size_arrive_byte_for_byte(self, server):
        with server.connect() as connection:
            for size in (0, 1, 65_535, 65_536, 65_537, 131_071, 3_000_000):
                body = os.urandom(size)
                self.assertEqual(body, connection.request("POST", "/echo.php", body=body).body, size)
