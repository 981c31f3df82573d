"""Which file a path names; test_cases_files.py and test_cases_security.py have the hard cases of it."""
import harness


class Lookup(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve_static()

    def test_links_to_files_are_followed(self):
        (self.root / "link.txt").symlink_to("a.txt")
        self.assertEqual(b"static text\n", self.server.get("/link.txt").body)

    def test_a_broken_escape_is_refused(self):
        for target in ("/a%zz", "/a%4", "/%"):
            self.assertEqual(400, self.server.get(target).status, target)
