"""Stored variants that come, go and change while the server runs."""
import os
import time

import harness
import processes

CODINGS = {"gzip": ".gz", "br": ".br", "zstd": ".zst"}


class Changes(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.folder = self.root / "assets"
        self.folder.mkdir()
        for number in range(20):
            (self.folder / f"{number}.css").write_text(f"plain {number}")

    def ask(self, number, coding):
        reply = self.server.get(f"/assets/{number}.css", {"Accept-Encoding": coding})
        self.assertEqual(200, reply.status)
        return reply

    def learn(self):
        """The server knows that the folder has no variants."""
        changed = os.stat(self.folder).st_ctime
        processes.wait_for(lambda: time.time() > changed + 3, "the folder's last change is some time ago")
        for number in range(20):
            self.assertEqual((f"plain {number}".encode(), None),
                             (self.ask(number, "gzip").body, self.ask(number, "gzip").header("Vary")))

    def follow(self):
        """A variant of each coding, from its coming to its end."""
        for number, (coding, extension) in enumerate(CODINGS.items()):
            stored = self.folder / f"{number}.css{extension}"

            def answered(content, vary, number=number, coding=coding):
                reply = self.ask(number, coding)
                return reply.body == content and (reply.header("Vary") is not None) == vary
            (self.folder / "being-made").write_text("first")
            (self.folder / "being-made").rename(stored)
            processes.wait_for(lambda: answered(b"first", True), f"{coding} appears")
            self.assertIsNotNone(self.ask(number, "identity").header("Vary"))
            stored.write_text("second")
            processes.wait_for(lambda: answered(b"second", True), f"{coding} changes")
            stored.unlink()
            processes.wait_for(lambda: answered(f"plain {number}".encode(), False), f"{coding} disappears")

    def test_variants_are_seen_in_a_folder_that_had_none(self):
        self.server = self.serve_static("--threads", "1")
        self.learn()
        self.follow()

    def test_variants_are_found_in_a_folder_that_can_not_be_listed(self):
        self.folder.chmod(0o711 if harness.AS_ROOT else 0o311)
        self.addCleanup(self.folder.chmod, 0o755)
        self.server = self.serve_static("--threads", "1")
        self.learn()
        self.follow()

    def test_variants_are_seen_behind_a_link_that_is_turned(self):
        self.folder.rename(self.root / "one")
        self.folder.symlink_to("one")
        (self.root / "two").mkdir()
        (self.root / "two" / "3.css").write_text("other")
        (self.root / "two" / "3.css.gz").write_text("packed")
        self.server = self.serve_static("--threads", "1")
        self.learn()
        (self.root / "turned").symlink_to("two")
        (self.root / "turned").rename(self.folder)
        processes.wait_for(lambda: self.ask(3, "gzip").body == b"packed", "the variant of the other folder")
