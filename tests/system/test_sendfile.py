"""X-Sendfile and X-Accel-Redirect: a script names a file, the server sends it."""
import harness


class Files(harness.TestCase):
    def setUp(self):
        super().setUp()
        (self.temp / "outside.txt").write_text("outside")
        self.server = self.serve()
        self.bytes = (self.root / "k.bin").read_bytes()

    def ask(self, header, value, headers=None, method="GET", more=""):
        target = f"/send.php?h={header}&v={value}{more}"
        with self.server.connect() as connection:
            reply = connection.request(method, target, headers)
            self.assertEqual(b"static text\n", connection.get("/a.txt").body, "in sync")
        return reply

    def test_a_named_file_is_sent_with_the_scripts_own_headers(self):
        for header, value in (("X-Sendfile", f"{self.root}/k.bin"), ("X-Accel-Redirect", "/k.bin")):
            reply = self.ask(header, value, more="&t=image/png&d=attachment")
            self.assertEqual((200, self.bytes), (reply.status, reply.body), header)
            self.assertEqual(("image/png", "attachment"),
                             (reply.header("Content-Type"), reply.header("Content-Disposition")))
            self.assertIsNone(reply.header(header))

    def test_a_named_file_has_ranges_and_head(self):
        for header, value in (("X-Sendfile", f"{self.root}/k.bin"), ("X-Accel-Redirect", "/k.bin")):
            reply = self.ask(header, value, {"Range": "bytes=10-19"})
            self.assertEqual((206, self.bytes[10:20]), (reply.status, reply.body))
            reply = self.ask(header, value, method="HEAD")
            self.assertEqual((200, b"", "1000"), (reply.status, reply.body, reply.header("Content-Length")))

    def test_nothing_outside_the_root_is_sent(self):
        for header, value in (("X-Sendfile", f"{self.temp}/outside.txt"), ("X-Sendfile", "/etc/passwd"),
                              ("X-Sendfile", f"{self.root}/../outside.txt"),
                              ("X-Sendfile", f"{self.root}x/a.txt"),
                              ("X-Sendfile", f"{self.root}//etc/passwd"),
                              ("X-Sendfile", f"{self.root}///etc/passwd"),
                              ("X-Sendfile", f"{self.root}/{self.temp}/outside.txt"),
                              ("X-Accel-Redirect", "//etc/passwd"), ("X-Accel-Redirect", "/%2fetc/passwd"),
                              ("X-Accel-Redirect", "/../outside.txt"),
                              ("X-Accel-Redirect", "/%2e%2e/outside.txt"),
                              ("X-Sendfile", f"{self.root}/nothing"), ("X-Accel-Redirect", "/nothing.txt")):
            reply = self.ask(header, value)
            self.assertGreaterEqual(reply.status, 400, (header, value))
            self.assertNotIn(b"outside", reply.body)
            self.assertNotIn(b"root:", reply.body)

    def test_a_path_put_together_carelessly_still_names_its_file(self):
        for value in (f"{self.root}//k.bin", f"{self.root}/./k.bin", f"{self.root}/dir/../k.bin"):
            reply = self.ask("X-Sendfile", value)
            self.assertEqual((200, self.bytes), (reply.status, reply.body), value)

    def test_source_is_not_sent_this_way_either(self):
        for header, value in (("X-Sendfile", f"{self.root}/env.php"), ("X-Accel-Redirect", "/.env")):
            (self.root / ".env").write_text("<?php")
            self.assertNotIn(b"<?php", self.ask(header, value).body)
