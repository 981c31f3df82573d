"""Request bodies on their way to a script."""
import harness


class Bodies(harness.TestCase):
    def test_a_temporary_folder_that_cannot_be_written_loses_no_body(self):
        server = self.serve(env={"TMPDIR": "/nothing/here"})
        server.stderr.wait_for("cannot write in /nothing/here: PHP's temporary files go to /tmp")
        reply = server.connect().request("POST", "/inp.php", {"Content-Length": "3000000"}, b"x" * 3000000)
        self.assertIn("len=3000000", reply.text)

    def test_no_limit_and_a_large_body(self):
        server = self.serve("--max-body", "100M")
        self.assertIn("len=60000000 ", server.post("/inp.php", bytes(60_000_000)).text)
