"""Our own small site, docker/www."""
import re
import shutil

import harness
from server import TOP

SITE = TOP / "docker/www"


class OwnSite(harness.TestCase):
    def setUp(self):
        super().setUp()
        copy = self.temp / "www"  # the clone may be closed to www-data
        shutil.copytree(SITE, copy)
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        self.server = self.serve(root=copy)

    def test_the_php_page_shows_that_php_runs(self):
        text = self.server.get("/").text
        self.assertRegex(text, r"PHP \d+\.\d+\.\d+")
        self.assertIn("fpm-fcgi", text)
        self.assertNotIn("<?", text)

    def test_what_a_client_sends_is_escaped(self):
        nasty = "<script>alert(1)</script>"
        reply = self.server.get("/?" + nasty, {"User-Agent": nasty})
        self.assertNotIn(nasty, reply.text)
        self.assertIn("&lt;script&gt;", reply.text)
        reply = self.server.post("/index.php", b"text=%3Cscript%3E%22%27",
                                 {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertIn("&lt;script&gt;&quot;&#039;", reply.text)

    def test_every_reference_of_both_pages_is_there(self):
        for page in ("/", "/about.html"):
            text = self.server.get(page).text
            for reference in re.findall(r'(?:src|href|action)="([^"]+)"', text):
                self.assertEqual(200, self.server.get(reference).status, reference)
        self.assertEqual("image/png", self.server.get("/icon.png").header("Content-Type"))
        self.assertTrue(self.server.get("/picture.svg").header("Content-Type").startswith("image/svg+xml"))
