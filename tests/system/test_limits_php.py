"""The limits of answers from PHP."""
import harness
from fake_fpm import FakeFpm


class PhpHead(harness.TestCase):
    def head(self, size):
        """A CGI head of exactly so many bytes, its empty line counted."""
        start = b"Content-Type: text/plain\r\nX-Fill: "
        return start + b"f" * (size - len(start) - 4) + b"\r\n\r\n"

    def check(self, most, *options):
        sizes = iter((most - 1, most, most + 1, most))

        def answer(request):
            size = next(sizes)
            # In two records, so that the limit holds across them.
            request.out(self.head(size)[:-7])
            request.out(self.head(size)[-7:] + b"ok")
            request.end()

        server = self.serve(*options, php=FakeFpm(self, answer))
        with server.connect() as connection:
            for size in (most - 1, most):
                reply = connection.get("/env.php")
                self.assertEqual((200, "ok"), (reply.status, reply.text))
                self.assertEqual(len(self.head(size)) - 38, len(reply.header("X-Fill")))
            reply = connection.get("/env.php")
            self.assertEqual(502, reply.status)
            self.assertNotIn(b"ffff", reply.raw_head + reply.body)
            server.stderr.wait_for(r"\[error\].*--max-php-head.*GET /env\.php")
            self.assertEqual(b"static text\n", connection.get("/a.txt").body, "kept, and in sync")
            reply = connection.request("HEAD", "/env.php")
            self.assertEqual((200, b""), (reply.status, reply.body))

    def test_the_default_limit(self):
        self.check(256 << 10)

    def test_a_limit_of_ones_own(self):
        self.check(1000, "--max-php-head", "1000")

    def test_the_real_php_fpm_below_and_above(self):
        server = self.serve("--max-php-head", "4k")
        with server.connect() as connection:
            self.assertEqual("ok", connection.get("/big.php?n=1&s=3000").text)
            self.assertEqual(502, connection.get("/big.php?n=1&s=5000").status)
            server.stderr.wait_for("--max-php-head")
            self.assertEqual("ok", connection.get("/big.php?n=3&s=1000").text)
