"""Request bodies on their way to a script."""
import json
import os

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
