"""More requests than workers: they wait their turn, and what does not need PHP never waits."""
import client
import harness
from load import Load


class Overload(harness.TestCase):
    def test_a_thousand_requests_300_at_once_all_succeed_with_our_own_php_fpm(self):
        server = self.serve("--php-workers", "8")
        self.assertEqual({200: 1000}, Load(server, "/sleep.php?s=0.05", 300, 1000).join())

    def test_a_thousand_requests_300_at_once_all_succeed_with_an_external_php_fpm(self):
        php = self.php_fpm(children=8, backlog=128)
        server = self.serve("--php-workers", "8", php=php)
        self.assertEqual({200: 1000}, Load(server, "/sleep.php?s=0.05", 300, 1000).join())

    def test_a_thousand_requests_300_at_once_all_succeed_over_tcp(self):
        php = self.php_fpm(listen="tcp", children=8, backlog=128)
        server = self.serve("--php-workers", "8", php=php)
        self.assertEqual({200: 1000}, Load(server, "/sleep.php?s=0.05", 300, 1000).join())


class Waiting(harness.TestCase):
    """gate.php keeps the one worker busy for exactly as long as a test wants."""

    def setUp(self):
        super().setUp()
        self.busy = None

    def fill(self, *options, **keywords):
        server = self.serve("--php-workers", "1", *options, **keywords)
        self.busy = server.connect()
        self.busy.send(client.format_request("GET", "/gate.php?f=g"))
        self.wait_until_inside("g")
        return server

    def release(self):
        self.open_gate("g")
        self.assertEqual("through", self.busy.read_reply().text)

    def test_static_files_and_health_are_answered_while_php_is_full(self):
        server = self.fill()
        waiter = server.connect()
        waiter.send(client.format_request("GET", "/inp.php"))
        for _ in range(50):
            self.assertEqual(b"static text\n", server.get("/a.txt").body)
        self.assertEqual(200, server.get("/.httpd/health").status)
        self.release()
        self.assertEqual(200, waiter.read_reply().status)

    def test_those_who_wait_are_served_in_their_order(self):
        server = self.fill("--threads", "2")
        waiters = []
        for i in range(10):
            waiters.append(server.connect())
            waiters[-1].send(client.format_request("GET", f"/count.php?f=order{i}"))
            # Answered after the waiter was read, on every thread.
            self.assertEqual(200, server.get("/a.txt").status)
        self.release()
        for waiter in waiters:
            self.assertEqual("ran", waiter.read_reply().text)

    def test_who_left_while_waiting_is_not_run(self):
        server = self.fill("--threads", "1")
        for end in ("fin", "rst"):
            waiter = server.connect()
            waiter.send(client.format_request("GET", "/count.php"))
            self.assertEqual(200, server.get("/a.txt").status)
            waiter.close() if end == "fin" else waiter.reset()
        self.assertEqual(200, server.get("/a.txt").status)
        self.release()
        self.assertEqual(200, server.get("/inp.php").status)  # behind the two in the queue
        self.assertEqual(0, self.count())

    def test_who_left_with_bytes_behind_the_request_is_not_run_either(self):
        server = self.fill("--threads", "1")
        for more in (b"\r\n", client.format_request("GET", "/a.txt")):
            waiter = server.connect()
            waiter.send(client.format_request("GET", "/count.php"))
            self.assertEqual(200, server.get("/a.txt").status)
            waiter.send(more)
            waiter.close()
        self.assertEqual(200, server.get("/a.txt").status)
        self.release()
        self.assertEqual(200, server.get("/inp.php").status)
        self.assertEqual(0, self.count())

    def test_a_full_queue_is_503_with_retry_after(self):
        server = self.fill("--queue-length", "2", "--threads", "1")
        waiters = [server.connect() for _ in range(2)]
        for waiter in waiters:
            waiter.send(client.format_request("GET", "/inp.php"))
        self.assertEqual(200, server.get("/a.txt").status)
        reply = server.get("/inp.php")
        self.assertEqual(503, reply.status)
        self.assertRegex(reply.header("Retry-After"), r"^\d+$")
        self.release()
        self.assertEqual([200, 200], [waiter.read_reply().status for waiter in waiters])

    def test_who_waits_too_long_gets_503_with_retry_after(self):
        server = self.fill("--queue-timeout", "1s")
        with server.connect() as connection:
            reply = connection.get("/inp.php")
            self.assertEqual(503, reply.status)
            self.assertRegex(reply.header("Retry-After"), r"^\d+$")
            self.assertEqual(b"static text\n", connection.get("/a.txt").body)
        self.release()
        self.assertEqual(200, server.get("/inp.php").status)

    def test_an_upload_waits_with_its_body(self):
        server = self.fill()
        waiter = server.connect()
        waiter.send(client.format_request("POST", "/inp.php", body=bytes(300_000)))
        self.release()
        self.assertEqual("CL=300000 len=300000 m=POST", waiter.read_reply().text)
