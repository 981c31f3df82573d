"""Files: methods, index, redirects, validators, ranges, variants, types, and what is never sent."""
import email.utils
import gzip
import hashlib
import os

import harness
import processes

K = bytes(i % 256 for i in range(1000))


class Methods(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve_static()

    def test_get_sends_a_file_with_its_type_length_and_validators(self):
        reply = self.server.get("/a.txt")
        self.assertEqual((200, b"static text\n"), (reply.status, reply.body))
        self.assertEqual("text/plain; charset=utf-8", reply.header("Content-Type").lower())
        self.assertEqual("12", reply.header("Content-Length"))
        self.assertRegex(reply.header("ETag"), r'^"[^"]+"$')
        modified = email.utils.parsedate_to_datetime(reply.header("Last-Modified"))
        self.assertEqual(int((self.root / "a.txt").stat().st_mtime), int(modified.timestamp()))
        self.assertIsNotNone(email.utils.parsedate(reply.header("Date")))

    def test_head_is_get_without_the_body(self):
        with self.server.connect() as connection:
            got = connection.get("/a.txt")
            head = connection.request("HEAD", "/a.txt")
            self.assertEqual(b"static text\n", connection.get("/a.txt").body)

        def fields(reply):
            return [field for field in reply.fields if field[0] != "date"]
        self.assertEqual((200, b"", fields(got)), (head.status, head.body, fields(head)))

    def test_other_methods_are_405_with_allow(self):
        with self.server.connect() as connection:
            for method in ("POST", "PUT", "DELETE", "PATCH", "PROPFIND"):
                reply = connection.request(method, "/a.txt", body=b"abc")
                self.assertEqual(405, reply.status, method)
                allowed = {m.strip() for m in reply.header("Allow").split(",")}
                self.assertLessEqual({"GET", "HEAD"}, allowed)
            self.assertEqual(200, connection.get("/a.txt").status)

    def test_an_encoded_name_with_utf8_is_found(self):
        (self.root / "häl lo.txt").write_text("ä")
        self.assertEqual("ä", self.server.get("/h%C3%A4l%20lo.txt").text)

    def test_the_query_does_not_change_the_file(self):
        self.assertEqual(b"static text\n", self.server.get("/a.txt?x=1&y=/b.php").body)


class Directories(harness.TestCase):
    def test_a_folder_is_answered_by_its_index(self):
        reply = self.serve_static().get("/dir/")
        self.assertEqual((200, b"<p>index of dir\n"), (reply.status, reply.body))
        self.assertEqual("text/html; charset=utf-8", reply.header("Content-Type").lower())

    def test_a_folder_without_slash_is_redirected_on_the_clients_own_authority(self):  # case 9
        server = self.serve_static("--trusted-proxy", "127.0.0.1")
        for headers in ({"Host": "localhost:3000"}, {"Host": "localhost:3000", "X-Forwarded-Proto": "https"}):
            reply = server.get("/dir?x=1", headers)
            self.assertIn(reply.status, (301, 308))
            self.assertIn(reply.header("Location"), ("/dir/?x=1", "dir/?x=1"))

    def test_the_redirect_can_not_lead_to_another_host(self):
        (self.root / "evil.example").mkdir()
        (self.root / "evil.example/index.html").write_text("x")
        reply = self.serve_static().get("//evil.example")
        self.assertIn(reply.status, (301, 308))
        self.assertFalse(reply.header("Location").startswith("//"))

    def test_the_redirect_encodes_what_a_name_holds(self):
        (self.root / "ä b\r\nX: y").mkdir()
        (self.root / "ä b\r\nX: y/index.html").write_text("x")
        reply = self.serve_static().get("/%C3%A4%20b%0D%0AX:%20y")
        self.assertIn(reply.status, (301, 308))
        self.assertEqual("/%C3%A4%20b%0D%0AX:%20y/", reply.header("Location"))
        self.assertIsNone(reply.header("X"))

    def test_a_folder_without_index_is_no_listing(self):  # case 9
        server = self.serve_static()
        self.assertIn(server.get("/empty").status, (301, 308, 403, 404))
        self.assertIn(server.get("/empty/").status, (403, 404))

    def test_the_first_index_that_exists_wins(self):
        server = self.serve_static("--index", "start.txt", "--index", "a.txt")
        self.assertEqual(b"static text\n", server.get("/").body)
        (self.root / "start.txt").write_text("start")
        processes.wait_for(lambda: server.get("/").body == b"start", "the new index")

    def test_a_missing_file_is_404(self):
        reply = self.serve_static().get("/nothing")
        self.assertEqual(404, reply.status)
        self.assertNotIn(str(self.root), reply.text)


class Conditional(harness.TestCase):
    """The ladder of RFC 9110 13.2.2."""

    def setUp(self):
        super().setUp()
        os.utime(self.root / "k.bin", (1_600_000_000, 1_600_000_000))
        self.server = self.serve_static()
        reply = self.server.get("/k.bin")
        self.tag, self.date = reply.header("ETag"), reply.header("Last-Modified")
        self.before, self.after = (email.utils.formatdate(1_600_000_000 + d, usegmt=True) for d in (-60, 60))

    def check(self, expected, method="GET", **fields):
        names = {"im": "If-Match", "inm": "If-None-Match", "ims": "If-Modified-Since",
                 "ius": "If-Unmodified-Since"}
        with self.server.connect() as connection:
            reply = connection.request(method, "/k.bin", {names[k]: v for k, v in fields.items()})
            self.assertEqual(expected, reply.status, fields)
            if expected == 304:
                self.assertEqual((self.tag, b""), (reply.header("ETag"), reply.body))
                self.assertIsNone(reply.header("Transfer-Encoding"))
            self.assertEqual(b"static text\n", connection.get("/a.txt").body, "in sync")

    def test_if_none_match(self):
        for value, expected in ((self.tag, 304), ("W/" + self.tag, 304), (f'"x", {self.tag}', 304),
                                ("*", 304),
                                ('"x"', 200), ("nonsense", 200)):
            self.check(expected, inm=value)
        self.check(304, method="HEAD", inm=self.tag)

    def test_if_none_match_hides_if_modified_since(self):
        self.check(200, inm='"x"', ims=self.after)
        self.check(304, inm=self.tag, ims=self.before)

    def test_if_modified_since(self):
        for value, expected in ((self.date, 304), (self.after, 304), (self.before, 200), ("yesterday", 200)):
            self.check(expected, ims=value)

    def test_if_match(self):
        for value, expected in ((self.tag, 200), ("*", 200), ('"x"', 412), ("W/" + self.tag, 412)):
            self.check(expected, im=value)

    def test_if_unmodified_since(self):
        for value, expected in ((self.date, 200), (self.after, 200), (self.before, 412), ("junk", 200)):
            self.check(expected, ius=value)

    def test_if_match_hides_if_unmodified_since_and_is_checked_first(self):
        self.check(200, im=self.tag, ius=self.before)
        self.check(412, im='"x"', inm=self.tag)
        self.check(304, im=self.tag, inm=self.tag)

    def test_the_tag_changes_with_the_content(self):
        (self.root / "k.bin").write_bytes(K + b"!")
        processes.wait_for(lambda: self.server.get("/k.bin").header("ETag") != self.tag, "another tag")


class Ranges(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve_static()

    def ask(self, value, path="/k.bin", method="GET", **fields):
        headers = {"Range": value, **{k.replace("_", "-"): v for k, v in fields.items()}}
        with self.server.connect() as connection:
            reply = connection.request(method, path, headers)
            self.assertEqual(b"static text\n", connection.get("/a.txt").body, "in sync")
        return reply

    def test_one_range(self):  # case 62
        table = [("bytes=0-0", 0, 0), ("bytes=-5000", 0, 999), ("bytes=-5", 995, 999), ("bytes=10-", 10, 999),
                 ("bytes=5-9", 5, 9), ("bytes=990-5000", 990, 999), ("bytes=0-18446744073709551614", 0, 999)]
        for value, first, last in table:
            reply = self.ask(value)
            self.assertEqual(206, reply.status, value)
            self.assertEqual(f"bytes {first}-{last}/1000", reply.header("Content-Range"))
            self.assertEqual(K[first:last + 1], reply.body)

    def test_a_range_that_can_not_be_met_is_416(self):  # case 62
        for value in ("bytes=-0", "bytes=1000-", "bytes=5000-6000"):
            reply = self.ask(value)
            self.assertEqual((416, "bytes */1000"), (reply.status, reply.header("Content-Range")), value)

    def test_what_is_no_range_is_ignored(self):  # case 62
        for value in ("items=0-1", "bytes = 0-1", "bytes=a-b", "bytes=", "bytes=-", "bytes=1"):
            reply = self.ask(value)
            self.assertEqual((200, K), (reply.status, reply.body), value)
        self.assertIn(self.ask("bytes=9-5").status, (200, 416))

    def test_numbers_over_64_bits_do_not_wrap(self):  # case 62
        reply = self.ask("bytes=0-18446744073709551616")
        self.assertIn(reply.status, (200, 206, 416))
        if reply.status != 416:
            self.assertEqual(K, reply.body)
        self.assertIn(self.ask("bytes=18446744073709551616-").status, (200, 416))

    def test_several_ranges_are_multipart(self):  # case 62
        reply = self.ask("bytes=0-1,5-6,-1")
        if reply.status == 200:
            return self.assertEqual(K, reply.body)
        self.assertEqual(206, reply.status)
        kind, boundary = reply.header("Content-Type").split("; boundary=")
        self.assertEqual("multipart/byteranges", kind)
        parts = reply.body.split(b"--" + boundary.strip('"').encode())
        self.assertEqual(b"--", parts[-1].strip())
        found = [part.split(b"\r\n\r\n", 1) for part in parts[1:-1]]
        self.assertEqual([K[0:2] + b"\r\n", K[5:7] + b"\r\n", K[999:] + b"\r\n"], [body for _, body in found])
        for (head, _), text in zip(found, (b"bytes 0-1/1000", b"bytes 5-6/1000", b"bytes 999-999/1000")):
            self.assertIn(b"content-range: " + text, head.lower())

    def test_overlapping_ranges_are_no_amplifier(self):  # case 62
        reply = self.ask("bytes=" + ",".join(["0-"] * 500))
        self.assertIn(reply.status, (200, 206, 416))
        self.assertLess(len(reply.body), 2000)

    def test_head_has_no_range(self):  # case 62
        reply = self.ask("bytes=0-1", method="HEAD")
        self.assertIn(reply.status, (200, 206))
        self.assertEqual(b"", reply.body)

    def test_a_range_of_an_empty_file(self):  # case 62
        (self.root / "e.txt").touch()
        self.assertIn(self.ask("bytes=0-", "/e.txt").status, (200, 416))

    def test_if_range(self):
        got = self.server.get("/k.bin")
        tag, date = got.header("ETag"), got.header("Last-Modified")
        table = [(tag, 206), (date, 206), ('"x"', 200), ("W/" + tag, 200),
                 (email.utils.formatdate(1, usegmt=True), 200), ("junk", 200)]
        for value, expected in table:
            reply = self.ask("bytes=0-1", If_Range=value)
            self.assertEqual((expected, K[:2] if expected == 206 else K), (reply.status, reply.body), value)

    def test_ranges_are_announced(self):
        self.assertEqual("bytes", self.server.get("/k.bin").header("Accept-Ranges"))


class Variants(harness.TestCase):
    """Case 64: .br, .zst and .gz siblings."""

    PLAIN = b"console.log('plain');\n" * 20

    def setUp(self):
        super().setUp()
        (self.root / "app.js").write_bytes(self.PLAIN)
        self.stored = {"gzip": gzip.compress(self.PLAIN), "br": b"pretend brotli" * 3,
                       "zstd": b"pretend zstd"}
        for coding, extension in (("gzip", ".gz"), ("br", ".br"), ("zstd", ".zst")):
            (self.root / f"app.js{extension}").write_bytes(self.stored[coding])
        self.server = self.serve_static()

    def ask(self, accept, **more):
        headers = {"Accept-Encoding": accept} if accept is not None else {}
        reply = self.server.get("/app.js", {**headers, **{k.replace("_", "-"): v for k, v in more.items()}})
        self.assertIn("accept-encoding", (reply.header("Vary") or "").lower(), "Vary on every variant")
        return reply

    def test_the_best_accepted_variant_is_sent(self):
        table = [(None, None), ("gzip", "gzip"), ("br", "br"), ("zstd", "zstd"), ("gzip, br, zstd", "br"),
                 ("gzip;q=0, br", "br"), ("br;q=0.5, gzip;q=0.8", "gzip"), ("gzip;q=0", None),
                 ("deflate", None),
                 ("identity;q=0", None), ("GZIP", "gzip"), ("identity, gzip;q=0.1", None), ("", None)]
        for accept, coding in table:
            reply = self.ask(accept)
            self.assertEqual((200, coding), (reply.status, reply.header("Content-Encoding")), accept)
            self.assertEqual(self.stored.get(coding, self.PLAIN), reply.body)
            self.assertTrue(reply.header("Content-Type").startswith("text/javascript"))
        self.assertIn(self.ask("*").header("Content-Encoding"), (None, "br"))

    def test_every_variant_has_its_own_tag(self):
        tags = {self.ask(accept).header("ETag") for accept in (None, "gzip", "br", "zstd")}
        self.assertEqual(4, len(tags))

    def test_a_tag_is_compared_with_its_own_variant(self):
        tag = self.ask("gzip").header("ETag")
        self.assertEqual(304, self.ask("gzip", If_None_Match=tag).status)
        self.assertEqual(200, self.ask("br", If_None_Match=tag).status)

    def test_a_range_is_of_the_chosen_variant(self):
        reply = self.ask("gzip", Range="bytes=0-9")
        self.assertEqual((206, self.stored["gzip"][:10]), (reply.status, reply.body))
        self.assertEqual(f"bytes 0-9/{len(self.stored['gzip'])}", reply.header("Content-Range"))
        self.assertEqual("gzip", reply.header("Content-Encoding"))

    def test_head_says_what_get_would(self):
        reply = self.server.request("HEAD", "/app.js", {"Accept-Encoding": "gzip"})
        self.assertEqual(str(len(self.stored["gzip"])), reply.header("Content-Length"))
        self.assertEqual("gzip", reply.header("Content-Encoding"))

    def test_the_stored_file_itself_is_a_gzip_file(self):
        reply = self.server.get("/app.js.gz", {"Accept-Encoding": "gzip"})
        self.assertEqual((200, None), (reply.status, reply.header("Content-Encoding")))
        self.assertEqual("application/gzip", reply.header("Content-Type"))
        self.assertEqual(self.stored["gzip"], reply.body)

    def test_a_variant_alone_is_no_file_of_the_plain_name(self):
        (self.root / "only.css.gz").write_bytes(gzip.compress(b"x"))
        self.assertEqual(404, self.server.get("/only.css", {"Accept-Encoding": "gzip"}).status)


class Types(harness.TestCase):
    def test_types_and_charset(self):  # case 68
        table = {"x.wasm": "application/wasm", "x.mjs": "text/javascript; charset=utf-8",
                 "x.svg": "image/svg+xml",
                 "x.woff2": "font/woff2", "x.json": "application/json", "X.HTML": "text/html; charset=utf-8",
                 "x.tar.gz": "application/gzip", "x.png": "image/png", "x.css": "text/css; charset=utf-8",
                 "x.js": "text/javascript; charset=utf-8", "x.txt": "text/plain; charset=utf-8",
                 "x.pdf": "application/pdf"}
        for name in table:
            (self.root / name).write_bytes(b"x")
        (self.root / "noext").write_bytes(b"x")
        server = self.serve_static()
        found = {name: server.get("/" + name).header("Content-Type") for name in table}
        found["x.svg"] = found["x.svg"].split(";")[0]
        self.assertEqual(table, found)
        self.assertIn(server.get("/noext").header("Content-Type"), (None, "application/octet-stream"))

    def test_an_empty_file_has_length_zero(self):  # case 68
        (self.root / "e.txt").touch()
        reply = self.serve_static().get("/e.txt")
        self.assertEqual((200, "0", b""), (reply.status, reply.header("Content-Length"), reply.body))


class BigFiles(harness.TestCase):
    SIZE = 5 << 30

    def setUp(self):
        super().setUp()
        self.path = self.root / "huge.bin"
        with self.path.open("wb") as file:
            file.truncate(self.SIZE)
            file.seek(4294967290)
            file.write(b"hello world")
        self.server = self.serve_static()

    def test_a_file_over_4_gib_has_its_length_and_ranges(self):  # case 67
        head = self.server.request("HEAD", "/huge.bin")
        self.assertEqual(str(self.SIZE), head.header("Content-Length"))
        reply = self.server.get("/huge.bin", {"Range": "bytes=4294967290-4294967300"})
        self.assertEqual((206, b"hello world"), (reply.status, reply.body))
        self.assertEqual(f"bytes 4294967290-4294967300/{self.SIZE}", reply.header("Content-Range"))
        self.assertEqual(b"\0", self.server.get("/huge.bin", {"Range": "bytes=-1"}).body)

    def test_a_file_over_4_gib_is_sent_whole_in_bounded_memory(self):  # case 67
        connection = self.server.connect()
        connection.send("GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(str(self.SIZE), connection.read_head().header("Content-Length"))
        buffer, received = bytearray(1 << 20), len(connection.buffer)
        connection.buffer.clear()
        while received < self.SIZE:
            count = connection.socket.recv_into(buffer)
            self.assertGreater(count, 0)
            received += count
        self.assertEqual(self.SIZE, received)
        self.assertLess(processes.memory_kib(self.server.server_pid(), "VmHWM"),
                        1 << 20 if harness.SANITIZED else 65536)
        self.assertEqual(200, connection.get("/a.txt").status)


class Changes(harness.TestCase):
    """Case 66: files that change while they are sent. The small receive buffer keeps the server waiting."""

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

    def test_a_file_that_shrinks_ends_the_connection_short(self):
        connection = self.begin()
        os.truncate(self.path, 1_000_000)
        received = connection.read_all()
        self.assertLess(len(received), self.SIZE)
        self.assertEqual(self.content[:1_000_000], received[:1_000_000])
        self.assertEqual(200, self.server.get("/a.txt").status)
        self.assertEqual(1, self.server.stderr.text.count("serving "), "no new server process")

    def test_a_file_that_is_replaced_is_sent_to_its_old_end(self):
        connection = self.begin()
        (self.root / "new").write_bytes(b"new")
        os.rename(self.root / "new", self.path)
        self.assertEqual(self.content, connection.read_exactly(self.SIZE))
        self.assertEqual(b"new", connection.get("/f.bin").body)

    def test_a_file_that_grows_is_sent_as_announced(self):
        connection = self.begin()
        with self.path.open("ab") as file:
            file.write(b"more")
        self.assertEqual(self.content, connection.read_exactly(self.SIZE))
        self.assertEqual(200, connection.get("/a.txt").status)

    def test_an_overwritten_file_shows_within_a_moment(self):
        path = self.root / "o.txt"
        path.write_text("AAAA")
        self.assertEqual(b"AAAA", self.server.get("/o.txt").body)
        path.write_text("BBBB")
        processes.wait_for(lambda: self.server.get("/o.txt").body == b"BBBB", "the new bytes", timeout=5)
        path.unlink()
        processes.wait_for(lambda: self.server.get("/o.txt").status == 404, "404", timeout=5)
        path.write_text("CCCC")
        processes.wait_for(lambda: self.server.get("/o.txt").body == b"CCCC", "the file again", timeout=5)

    def test_a_reader_that_leaves_harms_nobody(self):
        for _ in range(5):
            self.begin().reset()
        self.assertEqual(self.content, self.server.get("/f.bin").body)
