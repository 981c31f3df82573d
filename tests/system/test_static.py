"""Files: methods, index and validators; test_cases_ranges.py and test_cases_files.py have the hard cases."""
import email.utils
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
