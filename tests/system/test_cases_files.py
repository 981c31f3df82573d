"""Known hard cases 65 to 68: look-up errors, files that change, large files, types."""
import hashlib
import os
import socket

import harness
import processes

A = b"static text\n"


class Lookup(harness.TestCase):
    def servers(self):
        """Without and with PHP: errors of the look-up go to the front controller, or are 404."""
        return (self.serve_static(), 404), (self.serve(), 200)

    def check(self, server, missing, target):
        for method in ("GET", "HEAD"):
            with server.connect() as connection:
                reply = connection.request(method, target)
                self.assertEqual(missing, reply.status, target[:40])
                self.assertNotIn(A, reply.body)
                self.assertEqual(A, connection.get("/a.txt").body)

    def test_case_65_long_and_odd_paths_are_missing_files(self):
        (self.root / "loop").symlink_to("loop")
        (self.root / "nowhere").symlink_to("nothing")
        for server, missing in self.servers():
            for target in ("/" + "x" * 300, "/" + "x" * 5000, "/" + "x/" * 2500, "/a.txt/x", "/a.txt/",
                           "/a.txt//",
                           "/loop", "/loop/x", "/nowhere", "/" + "y" * 255, "/dir/" + "z" * 256,
                           "/k.bin/../x"):
                self.check(server, missing, target)
            for target in ("/" + "x" * 300 + ".php", "/" + "x/" * 2500 + "y.php", "/loop/x.php",
                           "/a.txt/x.php"):
                self.check(server, missing, target)

    @harness.needs_root
    def test_case_65_what_may_not_be_read_is_403(self):
        (self.root / "noperm.txt").write_text("x")
        (self.root / "noperm.txt").chmod(0o600)
        (self.root / "closed").mkdir(0o700)
        (self.root / "closed/f.txt").write_text("x")
        for server, _ in self.servers():
            self.check(server, 403, "/noperm.txt")
            self.check(server, 403, "/closed/f.txt")

    def test_case_65_what_is_no_regular_file_is_answered_at_once(self):
        os.mkfifo(self.root / "fifo")
        os.mkfifo(self.root / "fifo.php")
        (self.root / "folder.php").mkdir()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.root / "socket"))
            for server, _ in self.servers():
                for target in ("/fifo", "/socket", "/fifo.php", "/folder.php/x", "/folder.php"):
                    reply = server.get(target)
                    self.assertTrue(reply.status in (301, 403,
                                                     404) or b'"SCRIPT_NAME":"/index.php"' in reply.body,
                                    target)


class Changes(harness.TestCase):
    """The small receive buffer keeps the server waiting while the file changes."""

    SIZE = 50_000_000

    def setUp(self):
        super().setUp()
        self.path = self.root / "f.bin"
        block = hashlib.sha512(b"seed").digest() * 1000
        self.content = (block * (self.SIZE // len(block) + 1))[:self.SIZE]
        self.path.write_bytes(self.content)
        self.server = self.serve_static()

    def begin(self):
        connection = self.server.connect(receive_buffer=65536)
        connection.send("GET /f.bin HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(str(self.SIZE), connection.read_head().header("Content-Length"))
        return connection

    def test_case_66_a_reader_that_leaves_harms_nobody(self):
        for _ in range(5):
            self.begin().reset()
        self.assertEqual(self.content, self.server.get("/f.bin").body)

    def test_case_66_a_file_that_shrinks_ends_the_connection_short(self):
        connection = self.begin()
        os.truncate(self.path, 1_000_000)
        received = connection.read_all()
        self.assertLess(len(received), self.SIZE)
        self.assertEqual(self.content[:1_000_000], received[:1_000_000])
        self.assertEqual(200, self.server.get("/a.txt").status)
        self.assertEqual(1, self.server.stderr.text.count("serving "), "no new server process")

    def test_case_66_a_file_that_is_replaced_is_sent_to_its_old_end(self):
        connection = self.begin()
        (self.root / "new").write_bytes(b"new")
        os.rename(self.root / "new", self.path)
        self.assertEqual(self.content, connection.read_exactly(self.SIZE))
        self.assertEqual(b"new", connection.get("/f.bin").body)

    def test_case_66_a_file_that_grows_is_sent_as_announced(self):
        connection = self.begin()
        with self.path.open("ab") as file:
            file.write(b"more")
        self.assertEqual(self.content, connection.read_exactly(self.SIZE))
        self.assertEqual(200, connection.get("/a.txt").status)

    def test_case_66_an_overwritten_file_shows_within_a_moment(self):
        path = self.root / "o.txt"
        path.write_text("AAAA")
        self.assertEqual(b"AAAA", self.server.get("/o.txt").body)
        path.write_text("BBBB")
        processes.wait_for(lambda: self.server.get("/o.txt").body == b"BBBB", "the new bytes", timeout=5)
        path.unlink()
        processes.wait_for(lambda: self.server.get("/o.txt").status == 404, "404", timeout=5)
        path.write_text("CCCC")
        processes.wait_for(lambda: self.server.get("/o.txt").body == b"CCCC", "the file again", timeout=5)


class BigFiles(harness.TestCase):
    SIZE = 5 << 30

    def setUp(self):
        super().setUp()
        with (self.root / "huge.bin").open("wb") as file:
            file.truncate(self.SIZE)
            file.seek(4294967290)
            file.write(b"hello world")

    def test_case_67_a_file_over_4_gib_has_its_length_and_ranges(self):
        server = self.serve_static()
        head = server.request("HEAD", "/huge.bin")
        self.assertEqual(str(self.SIZE), head.header("Content-Length"))
        for first, content in ((4294967290, b"hello world"), (self.SIZE - 1, b"\0"), (2147483647, bytes(11))):
            last = first + len(content) - 1
            reply = server.get("/huge.bin", {"Range": f"bytes={first}-{last}"})
            self.assertEqual((206, content), (reply.status, reply.body))
            self.assertEqual(f"bytes {first}-{last}/{self.SIZE}", reply.header("Content-Range"))
        self.assertEqual(b"\0", server.get("/huge.bin", {"Range": "bytes=-1"}).body)
        self.assertEqual(416, server.get("/huge.bin", {"Range": f"bytes={self.SIZE}-"}).status)

    def test_case_67_a_file_over_4_gib_is_sent_whole_in_bounded_memory(self):
        server = self.serve_static()
        connection = server.connect()
        connection.send("GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(str(self.SIZE), connection.read_head().header("Content-Length"))
        buffer, received = bytearray(1 << 20), len(connection.buffer)
        connection.buffer.clear()
        while received < self.SIZE:
            count = connection.socket.recv_into(buffer)
            self.assertGreater(count, 0)
            received += count
        self.assertEqual(self.SIZE, received)
        self.assertLess(processes.memory_kib(server.server_pid(), "VmHWM"),
                        1 << 20 if harness.SANITIZED else 65536)
        self.assertEqual(200, connection.get("/a.txt").status)

    def test_case_67_an_upload_of_3_gb_is_counted_in_64_bits(self):
        server = self.serve("--max-body", "4G")
        for length, status in ((3_000_000_000, 100), (4 << 30, 100), ((4 << 30) + 1, 413), ((1 << 63) + 1,
                                                                                            413),
                               ((1 << 64) - 1, 413), (1 << 64, 400)):
            with server.connect() as connection:
                connection.send("POST /inp.php HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                                f"Content-Length: {length}\r\n\r\n")
                self.assertEqual(status, connection.read_head().status, length)


class Types(harness.TestCase):
    def test_case_68_types_and_charset(self):
        table = {"x.wasm": "application/wasm", "x.mjs": "text/javascript; charset=utf-8",
                 "x.svg": "image/svg+xml", "x.woff2": "font/woff2", "x.json": "application/json",
                 "X.HTML": "text/html; charset=utf-8", "x.tar.gz": "application/gzip", "x.png": "image/png",
                 "x.css": "text/css; charset=utf-8", "x.js": "text/javascript; charset=utf-8",
                 "x.txt": "text/plain; charset=utf-8", "x.pdf": "application/pdf",
                 "y.WASM": "application/wasm",
                 "a.b.json": "application/json"}
        for name in table:
            (self.root / name).write_bytes(b"x")
        (self.root / "noext").write_bytes(b"x")
        server = self.serve_static()
        for method in ("GET", "HEAD"):
            found = {name: server.request(method, "/" + name).header("Content-Type") for name in table}
            found["x.svg"] = found["x.svg"].split(";")[0]
            self.assertEqual(table, found)
        self.assertIn(server.get("/noext").header("Content-Type"), (None, "application/octet-stream"))

    def test_case_68_an_empty_file_has_length_zero(self):
        (self.root / "e.txt").touch()
        with self.serve_static().connect() as connection:
            for method in ("GET", "HEAD", "GET"):
                reply = connection.request(method, "/e.txt")
                self.assertEqual((200, "0", b""), (reply.status, reply.header("Content-Length"), reply.body))
