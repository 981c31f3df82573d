"""What php-fpm answers, and what a scripted peer answers in its place."""
import client
import harness
from fake_fpm import FakeFpm, STDERR, STDOUT, record


class Framing(harness.TestCase):
    def test_a_short_answer_has_a_content_length_and_a_long_one_is_chunked(self):
        server = self.serve()
        with server.connect() as connection:
            self.assertEqual("2", connection.get("/big.php?n=0&s=0").header("Content-Length"))
            reply = connection.get("/bytes.php?n=20000000")
            self.assertEqual(20_000_000, len(reply.body))
            self.assertEqual(bytes(range(251)) * 4, reply.body[:1004])
            self.assertEqual(200, connection.get("/a.txt").status)


class Streams(harness.TestCase):
    def test_a_reader_that_leaves_does_not_keep_the_worker(self):
        server = self.serve("--php-workers", "1")
        connection = server.connect()
        connection.send(client.format_request("GET", "/bytes.php?n=500000000"))
        connection.read_head()
        connection.reset()
        self.assertEqual(200, server.get("/inp.php").status)


class Scripted(harness.TestCase):
    """A peer that says what php-fpm never would."""

    def ask(self, answer, method="GET", target="/inp.php", listen="unix"):
        fake = FakeFpm(self, answer, listen=listen, path=self.temp / f"fake{len(self.servers)}.sock")
        server = self.serve(php=fake.address)
        self.servers.append(server)
        return server.request(method, target)

    def setUp(self):
        super().setUp()
        self.servers = []

    def test_a_head_in_single_bytes(self):
        def answer(request):
            for byte in b"Status: 200 OK\r\nContent-Type: text/plain\r\n\r\nok":
                request.out(bytes([byte]))
            request.end()
        reply = self.ask(answer)
        self.assertEqual((200, b"ok"), (reply.status, reply.body))

    def test_hop_by_hop_headers_of_a_script_are_not_passed(self):
        head = (b"Connection: upgrade\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n"
                b"Keep-Alive: timeout=1\r\nContent-Type: text/plain\r\n\r\n")
        reply = self.ask(lambda r: r.answer(head + b"ok"))
        self.assertEqual((200, b"ok"), (reply.status, reply.body))
        self.assertIsNone(reply.header("Upgrade"))
        self.assertIsNone(reply.header("Keep-Alive"))

    def test_nothing_or_nonsense_is_502(self):
        for answer in (lambda r: None, lambda r: r.raw(b"HTTP/1.1 200 OK\r\n\r\nhello, this is no FastCGI"),
                       lambda r: r.end(), lambda r: r.out(b"Content-Type: text/plain\r\n"),
                       lambda r: r.answer(b"no colon here\r\n\r\nok"),
                       lambda r: r.raw(record(STDOUT, b"x: y\r\n\r\n")[:-3])):
            self.assertEqual(502, self.ask(answer).status)

    def test_a_busy_or_refusing_peer_is_502_or_503(self):
        for code in (1, 2, 3):  # cannot multiplex, overloaded, unknown role
            self.assertIn(self.ask(lambda r: r.end(protocol_status=code)).status, (502, 503))

    def test_records_with_padding_and_of_other_kinds_are_read(self):
        def answer(request):
            request.raw(record(STDOUT, b"Content-Type: text/plain\r\n", padding=7))
            request.raw(record(11, b"\x09\0\0\0\0\0\0\0", request_id=0))  # UNKNOWN_TYPE, a management record
            request.raw(record(STDERR, b"", padding=255))
            request.raw(record(STDOUT, b"\r\nok", padding=255))
            request.end()
        reply = self.ask(answer)
        self.assertEqual((200, b"ok"), (reply.status, reply.body))

    def test_over_tcp_too(self):
        self.assertEqual(b"ok", self.ask(lambda r: r.answer(b"X: y\r\n\r\nok"), listen="tcp").body)

    def test_the_variables_of_cgi_in_the_right_order_and_once(self):
        fake = FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\nok"))
        server = self.serve(php=fake.address)
        server.post("/inp.php/info?q", b"abc", {"Content-Type": "a/b", "X-A": "1"})
        names = [name for name, _ in fake.requests[0].pairs]
        self.assertEqual(len(names), len(set(names)), names)
        self.assertEqual(b"abc", fake.requests[0].stdin)
        self.assertFalse(fake.requests[0].keep)
