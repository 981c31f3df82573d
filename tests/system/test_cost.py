"""What a request costs in instructions, compared with cost.json: a slow-down fails without any clock.

callgrind counts the same whatever else the machine does. The counts depend on the compiler, so cost.json has them for
each; HTTPD_RECORD_COST=1 writes those of this build there, for a commit that says why they changed."""
import json
import os
import pathlib
import re
import shutil
import unittest

import harness
from fake_fpm import FakeFpm
from server import binary

BASELINE = pathlib.Path(__file__).with_name("cost.json")
MARGIN = 1.05
ONCE, MANY = 20, 1000  # requests of each kind before the difference, and in it

HEAD = b" HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n"
FULL = 2000  # files of 4 KiB that fill the cache


def one_of_many(number):
    """Each file once, and of a type that has no variants: nothing depends on how long ago something was."""
    return b"GET /many/%d.png" % number + HEAD + b"\r\n"


KINDS = {
    "a small file": (b"GET /page.html" + HEAD + b"\r\n", 200),
    "a large file": (b"GET /large.bin" + HEAD + b"\r\n", 200),
    "a file of 1 MiB": (b"GET /1m.bin" + HEAD + b"\r\n", 200),
    "a file that is not kept": (one_of_many, 200),
    "an unchanged file": (b"GET /page.html" + HEAD + b'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n\r\n', 304),
    "a missing file": (b"GET /missing.html" + HEAD + b"\r\n", 404),
    "a script": (b"GET /hello.php?a=b" + HEAD + b"\r\n", 200),
    "a form": (b"POST /hello.php" + HEAD + b"Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000,
               200),
}


def compiler():
    """Named by the compiler in the program itself."""
    found = re.search(rb"GCC: \([^)]*\) [\d.]+", pathlib.Path(binary()).read_bytes())
    return found[0].decode() if found else "unknown"


@unittest.skipIf(harness.SANITIZED, "counts those of the sanitizers")
class Cost(harness.TestCase):
    def setUp(self):
        super().setUp()
        if not shutil.which("valgrind"):
            self.fail("valgrind is not installed; tests/run does that")
        (self.root / "page.html").write_bytes(b"p" * 12812)
        (self.root / "large.bin").write_bytes(b"l" * 200_000)
        (self.root / "1m.bin").write_bytes(b"m" * (1 << 20))
        (self.root / "many").mkdir()
        for number in range(FULL + MANY):
            (self.root / "many" / f"{number}.png").write_bytes(b"f" * 4096)
        (self.root / "hello.php").write_text("never read")
        # In a file: the server's process title takes the place of the arguments, which valgrind reads again.
        (self.temp / ".valgrindrc").write_text(f"--trace-children=yes --callgrind-out-file={self.temp}/count.%p\n")

    def instructions(self, **counts):
        """Of a server process that answers ONCE of each kind, and so many more."""
        fake = FakeFpm(self, lambda r: r.answer(b"Content-Type: text/html\r\n\r\nHello"),
                       path=self.temp / f"php{len(list(self.temp.glob('*.sock')))}.sock")
        # As root it would become www-data, who may not write the counts; nor may a confined process.
        open_to = ["--no-sandbox", *(["--user", "root"] if harness.AS_ROOT else [])]
        server = self.serve("--threads", "1", "--access-log", "off", "--front-controller", "none",
                            "--keepalive-requests", "0", *open_to, php=fake, cwd=self.temp,
                            prefix=["valgrind", "-q", "--tool=callgrind"])
        with_pid = server.server_pid()
        with server.connect() as connection:
            for name, (request, status) in KINDS.items():
                once = FULL if callable(request) else ONCE
                for number in range(once + counts.get(name, 0)):
                    connection.send(request(number) if callable(request) else request)
                    reply = connection.read_reply()
                    self.assertEqual(status, reply.status, name)
        server.stop()
        text = (self.temp / f"count.{with_pid}").read_text()
        return int(re.search(r"^summary: (\d+)", text, re.M)[1])

    def test_no_kind_of_request_costs_more_than_it_did(self):
        known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
        recording = os.environ.get("HTTPD_RECORD_COST")
        if compiler() not in known and not recording:
            self.skipTest(f"cost.json has no counts for {compiler()}")
        base = self.instructions()
        found = {name: round((self.instructions(**{name: MANY}) - base) / MANY) for name in KINDS}
        if recording:
            BASELINE.write_text(json.dumps({**known, compiler(): found}, indent=2) + "\n")
            return
        dearer = {name: f"{count} instead of {known[compiler()][name]}" for name, count in found.items()
                  if count > known[compiler()][name] * MARGIN}
        self.assertEqual({}, dearer, "instructions for each request; HTTPD_RECORD_COST=1 records them anew")
