"""Request bodies on their way to a script."""
import json
import os

import client
import harness
from harness import on_every_php, variables


class Bodies(harness.TestCase):
    @on_every_php
    def test_a_chunked_upload_gets_a_content_length(self, server):  # case 40
        with server.connect() as connection:
            for method in ("POST", "PUT"):
                for body in (b"hello world", b""):
                    reply = connection.request(method, "/inp.php", {"Transfer-Encoding": "chunked"},
                                               client.chunked(body))
                    self.assertEqual(f"CL={len(body)} len={len(body)} m={method}", reply.text)

    def test_a_large_chunked_upload_is_spooled(self):  # case 40
        server = self.serve("--max-body", "32M")
        body = os.urandom(1 << 20) * 20
        reply = server.request("POST", "/inp.php", {"Transfer-Encoding": "chunked"},
                               client.chunked(body, 65536))
        self.assertEqual(f"CL={len(body)} len={len(body)} m=POST", reply.text)

    @on_every_php
    def test_bodies_of_every_size_arrive_byte_for_byte(self, server):  # case 45
        with server.connect() as connection:
            for size in (0, 1, 65_535, 65_536, 65_537, 131_071, 3_000_000):
                body = os.urandom(size)
                self.assertEqual(body, connection.request("POST", "/echo.php", body=body).body, size)

    def test_what_the_server_lets_in_php_does_not_drop(self):
        server = self.serve("--max-body", "12M")
        for name in ("post_max_size", "upload_max_filesize"):
            self.assertEqual(str(12 << 20), server.get(f"/ini.php?n={name}").text)
        content = os.urandom(1 << 20) * 10  # above what Debian's php.ini lets in
        body = (b'--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n' + content +
                b"\r\n--b--\r\n")
        reply = server.request("POST", "/form.php", {"Content-Type": "multipart/form-data; boundary=b"}, body)
        self.assertEqual(["x", len(content), 0], json.loads(reply.body)["files"]["f"][:3])

    def test_a_limit_that_was_set_for_php_stays(self):
        folder = self.temp / "conf.d"
        folder.mkdir()
        (folder / "site.ini").write_text("post_max_size = 3M\n")
        server = self.serve("--max-body", "12M", "--php-value", "upload_max_filesize=2M",
                            env={"PHP_INI_SCAN_DIR": f":{folder}"})
        self.assertEqual("3M", server.get("/ini.php?n=post_max_size").text)
        self.assertEqual("2M", server.get("/ini.php?n=upload_max_filesize").text)

    def test_a_form_with_a_file_is_read_by_php(self):
        content, boundary = os.urandom(200_000), "xYzZy"
        body = (f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{boundary}\r\n'
                f'Content-Disposition: form-data; name="f"; filename="x.bin"\r\n\r\n').encode()
        body += content + f"\r\n--{boundary}--\r\n".encode()
        for chunked in (False, True):
            headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
            if chunked:
                headers["Transfer-Encoding"] = "chunked"
            reply = self.serve().post("/form.php", client.chunked(body, 5000) if chunked else body, headers)
            got = json.loads(reply.body)
            self.assertEqual({"a": "1"}, got["post"])
            self.assertEqual(["x.bin", len(content), 0], got["files"]["f"][:3])

    @on_every_php
    def test_empty_bodies(self, server):  # case 41
        with server.connect() as connection:
            self.assertEqual("CL=0 len=0 m=POST", connection.request("POST", "/inp.php", body=b"").text)
            self.assertIn("len=0 m=POST", connection.request("POST", "/inp.php").text)
            self.assertIn("len=0 m=DELETE", connection.request("DELETE", "/inp.php").text)
            self.assertRegex(connection.request("GET", "/inp.php", body=b"abc").text, "len=[03] m=GET")
            self.assertIn("len=0 m=GET", connection.get("/inp.php").text)

    def test_a_truncated_upload_does_not_run_the_script(self):  # case 42
        server = self.serve()
        head = "POST /count.php HTTP/1.1\r\nHost: x\r\n"
        for sent, end in ((head + "Content-Length: 10\r\n\r\nabc", "fin"),
                          (head + "Content-Length: 10\r\n\r\nabc", "rst"),
                          (head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "fin")):
            connection = server.connect()
            connection.send(sent)
            if end == "rst":
                connection.reset()
                continue
            connection.end_sending()
            received = connection.read_all()
            self.assertTrue(not received or received.startswith(b"HTTP/1.1 400 "), received)
        self.assertEqual("CL=0 len=0 m=POST", server.post("/inp.php", b"").text)
        self.assertEqual(0, self.count())
        self.assertNotIn("[error]", server.stderr.text)

    def test_expect_continue_and_the_limit_of_a_body(self):  # case 43
        server = self.serve("--max-body", "1M")
        with server.connect() as connection:  # (a)
            connection.send("POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
                            "Expect: 100-continue\r\n\r\n")
            self.assertEqual(100, connection.read_head().status)
            connection.send("abc")
            self.assertEqual("CL=3 len=3 m=POST", connection.read_reply().text)
        with server.connect() as connection:  # (b)
            connection.send("POST /count.php HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n"
                            "Expect: 100-continue\r\n\r\n")
            reply = connection.read_reply()
            self.assertEqual((413, []), (reply.status, reply.interim))
        with server.connect() as connection:  # (e)
            connection.send("POST /inp.php HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc")
            reply = connection.read_reply()
            self.assertEqual((200, []), (reply.status, reply.interim))
        self.assertIn(server.post("/inp.php", b"abc", {"Expect": "foo"}).status, (200, 417))  # (f)
        self.assertEqual(0, self.count())

    def test_a_body_over_the_limit_is_413_that_the_client_can_read(self):  # case 43 (c), (d)
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

    def test_a_temporary_folder_that_cannot_be_written_loses_no_body(self):
        server = self.serve(env={"TMPDIR": "/nothing/here"})
        server.stderr.wait_for("cannot write in /nothing/here: PHP's temporary files go to /tmp")
        reply = server.connect().request("POST", "/inp.php", {"Content-Length": "3000000"}, b"x" * 3000000)
        self.assertIn("len=3000000", reply.text)

    def test_no_limit_and_a_large_body(self):
        server = self.serve("--max-body", "100M")
        self.assertIn("len=60000000 ", server.post("/inp.php", bytes(60_000_000)).text)

    @on_every_php
    def test_large_parameters_arrive_whole(self, server):  # case 45
        with server.connect() as connection:
            got = variables(connection.get("/env.php?" + "q" * 32_000))
            self.assertEqual("q" * 32_000, got["QUERY_STRING"])
            reply = connection.get("/env.php?" + "q" * 33_000)
            self.assertIn(reply.status, (200, 414))
        for size in (127, 128, 20_000):
            self.assertEqual("v" * size, variables(server.get("/env.php",
                                                              {"X-Long": "v" * size}))["HTTP_X_LONG"])
        got = variables(server.get("/env.php", {f"X-H-{i}": f"{i}" + "h" * 1000 for i in range(100)}))
        self.assertEqual([f"{i}" + "h" * 1000 for i in range(100)],
                         [got[f"HTTP_X_H_{i}"] for i in range(100)])
        self.assertIn(server.get("/env.php?" + "q" * 66_000).status, (200, 414, 431))

    def test_a_query_of_33000_letters_is_sent_twice(self):  # case 45
        reply = self.serve().get("/env.php?" + "q" * 33_000)
        self.assertEqual(33_000, len(variables(reply)["QUERY_STRING"]))
