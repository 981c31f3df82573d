"""Access lines on standard output: whole, and not to be forged."""
import json
import re

import harness
import processes
from load import Load

QUOTED = r'"((?:[^"\\]|\\.)*)"'
COMBINED = re.compile(r"^(\S+) (\S+) (\S+) \[(\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "
                      + QUOTED + r" (\d{3}) (\d+|-) " + QUOTED + " " + QUOTED)


class Access(harness.TestCase):
    """One thread where the order of lines counts: each thread writes its own, in its own rhythm."""

    def test_a_combined_line(self):
        server = self.serve()
        server.get("/a.txt?x=1", {"User-Agent": "Tester/1.0", "Referer": "http://from.example/"})
        line = server.stdout.wait_for(r"[^\n]+\n")[0][0].rstrip("\n")
        match = COMBINED.match(line)
        self.assertTrue(match, line)
        self.assertEqual(("127.0.0.1", "GET /a.txt?x=1 HTTP/1.1", "200", "12", "http://from.example/",
                          "Tester/1.0"),
                         tuple(match[i] for i in (1, 5, 6, 7, 8, 9)))

    def test_a_json_line(self):
        server = self.serve("--threads", "1", "--log-format", "json")
        server.get("/a.txt?x=1", {"User-Agent": 'Te"st\\er', "Referer": "http://from.example/ä"})
        server.get("/inp.php")
        lines = [m[0] for m in server.stdout.wait_for(r"[^\n]+\n", 2)]
        first, second = (json.loads(line) for line in lines)
        text = json.dumps(first)
        for part in ("/a.txt?x=1", "GET", "200", "127.0.0.1"):
            self.assertIn(part, text)
        self.assertIn('Te"st\\er', first.values())
        self.assertLessEqual(first.keys(), second.keys())  # PHP adds its time in the queue

    def test_every_answer_has_its_line_errors_too(self):
        server = self.serve("--threads", "1")
        server.get("/nothing.txt/x")
        server.get("/inp.php")
        server.post("/a.txt", b"")
        server.raw(b"BAD\r\n\r\n")
        lines = [m[0] for m in server.stdout.wait_for(r"[^\n]+\n", 4)]
        self.assertEqual(["200", "200", "405", "400"], [COMBINED.match(line)[6] for line in lines])

    def test_a_client_can_not_forge_a_line(self):
        nasty = 'x" 200 1 "-" "-"\x1b[31m\xff\\'
        for log in ("combined", "json"):
            server = self.serve("--log-format", log)
            server.get("/%0a%22", {"User-Agent": nasty.replace("\x1b", "\t"),
                                   "Referer": nasty.replace("\x1b", "\t")})
            server.raw(b'GET /"\\\xc3\xa9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
                       b'User-Agent: \xff\xfe"\r\n\r\n')
            server.raw(b"GET /\x1b[31m\x07 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            server.stdout.wait_for(r"[^\n]+\n", 3)
            server.stop()
            data = server.stdout.bytes
            self.assertEqual(3, data.count(b"\n"), data)
            self.assertFalse(re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", data), data)
            for line in data.decode("utf-8").splitlines():
                if log == "json":
                    json.loads(line)
                else:
                    self.assertTrue(COMBINED.match(line), line)

    def test_the_log_can_be_a_file_or_off(self):
        log = self.temp / "access.log"
        server = self.serve_static("--access-log", log)
        server.get("/a.txt")
        processes.wait_for(lambda: log.exists() and "/a.txt" in log.read_text(), "the line")
        self.assertEqual("", server.stdout.text)
        server = self.serve_static("--access-log", "off")
        server.get("/a.txt")
        server.stop()
        self.assertEqual("", server.stdout.text)

    def test_a_line_gives_the_bytes_that_were_sent(self):
        server = self.serve("--threads", "1")
        server.get("/bytes.php?n=100000")
        server.request("HEAD", "/k.bin")
        lines = [m[0] for m in server.stdout.wait_for(r"[^\n]+\n", 2)]
        self.assertEqual(["100000", "0"], [COMBINED.match(line)[7].replace("-", "0") for line in lines])

    def test_two_thousand_lines_are_whole(self):
        server = self.serve_static("--threads", "2")
        Load(server, "/a.txt", 8, 2000, keep_alive=True).join()
        server.stop()
        lines = server.stdout.lines
        self.assertEqual(2000, len(lines))
        self.assertEqual([], [line for line in lines if not COMBINED.match(line)])
