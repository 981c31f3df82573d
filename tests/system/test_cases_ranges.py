"""Known hard cases 62 and 64: ranges and stored variants."""
import email.utils
import gzip
import os

import harness
import processes

A = b"static text\n"
K = bytes(i % 256 for i in range(1000))


class Ranges(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve_static("--threads", "1")  # each thread looks at a file again in its own time

    def ask(self, value, path="/k.bin", method="GET", **fields):
        headers = {"Range": value, **{k.replace("_", "-"): v for k, v in fields.items()}}
        with self.server.connect() as connection:
            reply = connection.request(method, path, headers)
            self.assertEqual(A, connection.get("/a.txt").body, "in sync")
        return reply

    def test_case_62_one_range(self):
        table = [("bytes=0-0", 0, 0), ("bytes=-5000", 0, 999), ("bytes=-5", 995, 999), ("bytes=10-", 10, 999),
                 ("bytes=5-9", 5, 9), ("bytes=990-5000", 990, 999), ("bytes=0-18446744073709551614", 0, 999),
                 ("bytes=0-18446744073709551616", 0, 999), ("bytes=999-", 999, 999), ("Bytes=0-0", 0, 0)]
        for value, first, last in table:
            reply = self.ask(value)
            self.assertEqual(206, reply.status, value)
            self.assertEqual(f"bytes {first}-{last}/1000", reply.header("Content-Range"))
            self.assertEqual(K[first:last + 1], reply.body)

    def test_case_62_a_range_that_can_not_be_met_is_416(self):
        for value in ("bytes=-0", "bytes=1000-", "bytes=5000-6000", "bytes=1000-1000", "bytes=-0,1000-",
                      "bytes=18446744073709551615-"):
            reply = self.ask(value)
            self.assertEqual((416, "bytes */1000"), (reply.status, reply.header("Content-Range")), value)

    def test_case_62_what_is_no_range_is_ignored(self):
        for value in ("items=0-1", "bytes = 0-1", "bytes=a-b", "bytes=", "bytes=-", "bytes=1", "bytes=9-5",
                      "bytes=0x0-1", "bytes=0-1 2", "bytes=--1", "bytes=+0-1", "0-1"):
            reply = self.ask(value)
            self.assertEqual((200, K), (reply.status, reply.body), value)
        for method in ("POST", "DELETE"):
            self.assertEqual(405, self.ask("bytes=0-1", method=method).status)

    def test_case_62_several_ranges_are_multipart(self):
        reply = self.ask("bytes=0-1,5-6,-1")
        self.assertEqual(206, reply.status)
        kind, boundary = reply.header("Content-Type").split("; boundary=")
        self.assertEqual("multipart/byteranges", kind)
        parts = reply.body.split(b"--" + boundary.strip('"').encode())
        self.assertEqual(b"--", parts[-1].strip())
        found = [part.split(b"\r\n\r\n", 1) for part in parts[1:-1]]
        self.assertEqual([K[0:2] + b"\r\n", K[5:7] + b"\r\n", K[999:] + b"\r\n"], [body for _, body in found])
        for (head, _), text in zip(found, (b"bytes 0-1/1000", b"bytes 5-6/1000", b"bytes 999-999/1000")):
            self.assertIn(b"content-range: " + text, head.lower())

    def test_case_62_overlapping_ranges_are_no_amplifier(self):
        for one in ("0-", "-1000", "0-999", "500-"):
            reply = self.ask("bytes=" + ",".join([one] * 500))
            self.assertIn(reply.status, (200, 206))
            self.assertLess(len(reply.body), 2000)

    def test_case_62_head_and_an_empty_file_have_no_range(self):
        reply = self.ask("bytes=0-1", method="HEAD")
        self.assertEqual((200, "1000", b""), (reply.status, reply.header("Content-Length"), reply.body))
        (self.root / "e.txt").touch()
        for value in ("bytes=0-", "bytes=-1", "bytes=0-0"):
            self.assertIn(self.ask(value, "/e.txt").status, (200, 416))

    def test_case_62_if_range(self):
        got = self.server.get("/k.bin")
        tag = got.header("ETag")
        os.utime(self.root / "k.bin", (1_600_000_000, 1_600_000_000))
        processes.wait_for(lambda: self.server.get("/k.bin").header("ETag") != tag, "the new tag")
        self.assertEqual(200, self.ask("bytes=0-1", If_Range=tag).status, "the tag of older content")
        got = self.server.get("/k.bin")
        tag, date = got.header("ETag"), got.header("Last-Modified")
        table = [(tag, 206), (date, 206), ('"x"', 200), ("W/" + tag, 200),
                 (email.utils.formatdate(1, usegmt=True), 200), ("junk", 200)]
        for value, expected in table:
            reply = self.ask("bytes=0-1", If_Range=value)
            self.assertEqual((expected, K[:2] if expected == 206 else K), (reply.status, reply.body), value)


class Variants(harness.TestCase):
    """.br, .zst and .gz siblings."""

    PLAIN = b"console.log('plain');\n" * 20

    def setUp(self):
        super().setUp()
        (self.root / "app.js").write_bytes(self.PLAIN)
        self.stored = {"gzip": gzip.compress(self.PLAIN), "br": b"pretend brotli" * 3,
                       "zstd": b"pretend zstd"}
        for coding, extension in (("gzip", ".gz"), ("br", ".br"), ("zstd", ".zst")):
            (self.root / f"app.js{extension}").write_bytes(self.stored[coding])
        self.server = self.serve_static()

    def ask(self, accept, method="GET", **more):
        headers = {"Accept-Encoding": accept} if accept is not None else {}
        headers.update({k.replace("_", "-"): v for k, v in more.items()})
        reply = self.server.request(method, "/app.js", headers)
        self.assertIn("accept-encoding", (reply.header("Vary") or "").lower(), "Vary on every variant")
        return reply

    def test_case_64_the_best_accepted_variant_is_sent(self):
        table = [(None, None), ("gzip", "gzip"), ("br", "br"), ("zstd", "zstd"), ("gzip, br, zstd", "br"),
                 ("gzip;q=0, br", "br"), ("br;q=0.5, gzip;q=0.8", "gzip"), ("gzip;q=0", None),
                 ("deflate", None), ("identity;q=0", None), ("GZIP", "gzip"), ("x-gzip", "gzip"),
                 ("identity, gzip;q=0.1", None), ("", None), ("gzip;q=0.000", None), ("*;q=0", None)]
        for accept, coding in table:
            reply = self.ask(accept)
            if accept == "x-gzip" and reply.header("Content-Encoding") is None:
                continue  # an old name that a server need not know
            self.assertEqual((200, coding), (reply.status, reply.header("Content-Encoding")), accept)
            self.assertEqual(self.stored.get(coding, self.PLAIN), reply.body)
            self.assertTrue(reply.header("Content-Type").startswith("text/javascript"))
        self.assertIn(self.ask("*").header("Content-Encoding"), (None, "br"))

    def test_case_64_every_variant_has_its_own_tag(self):
        tags = {accept: self.ask(accept).header("ETag") for accept in (None, "gzip", "br", "zstd")}
        self.assertEqual(4, len(set(tags.values())))
        for accept, tag in tags.items():
            for other in tags:
                reply = self.ask(other, If_None_Match=tag)
                self.assertEqual(304 if accept == other else 200, reply.status)

    def test_case_64_a_range_is_of_the_chosen_variant(self):
        stored = self.stored["gzip"]
        reply = self.ask("gzip", Range="bytes=0-9")
        self.assertEqual((206, stored[:10], f"bytes 0-9/{len(stored)}", "gzip"),
                         (reply.status, reply.body, reply.header("Content-Range"),
                          reply.header("Content-Encoding")))
        reply = self.ask(None, Range="bytes=0-9")
        self.assertEqual((206, self.PLAIN[:10], None),
                         (reply.status, reply.body, reply.header("Content-Encoding")))

    def test_case_64_head_says_what_get_would(self):
        for accept in (None, "gzip", "br"):
            got, head = self.ask(accept), self.ask(accept, method="HEAD")
            for name in ("Content-Length", "Content-Encoding", "ETag", "Content-Type"):
                self.assertEqual(got.header(name), head.header(name))

    def test_case_64_the_stored_file_itself_is_a_gzip_file(self):
        reply = self.server.get("/app.js.gz", {"Accept-Encoding": "gzip"})
        self.assertEqual((200, None), (reply.status, reply.header("Content-Encoding")))
        self.assertEqual("application/gzip", reply.header("Content-Type"))
        self.assertEqual(self.stored["gzip"], reply.body)
        (self.root / "only.css.gz").write_bytes(gzip.compress(b"x"))
        self.assertEqual(404, self.server.get("/only.css", {"Accept-Encoding": "gzip"}).status)
