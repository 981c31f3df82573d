"""External php-fpm: not there yet, gone, back, somewhere else."""
import harness
import processes
from fake_fpm import FakeFpm
from load import Load


class Absent(harness.TestCase):
    """Case 50."""

    def test_a_socket_that_appears_late_is_used_without_a_restart(self):
        path = self.temp / "late.sock"
        server = self.serve("--queue-timeout", "1s", php=f"unix:{path}")
        self.assertIn(server.get("/inp.php").status, (502, 503, 504))
        self.assertEqual(b"static text\n", server.get("/a.txt").body)
        self.php_fpm(path=path)
        processes.wait_for(lambda: server.get("/inp.php").status == 200, "PHP")

    def test_a_port_that_appears_late_is_used_without_a_restart(self):
        php = self.php_fpm(listen="tcp")
        php.stop()
        server = self.serve("--queue-timeout", "1s", php=php)
        self.assertIn(server.get("/inp.php").status, (502, 503, 504))
        self.php_fpm(listen="tcp", port=php.port)
        processes.wait_for(lambda: server.get("/inp.php").status == 200, "PHP")

    def test_our_own_php_fpm_is_waited_for_from_the_first_request(self):
        self.assertEqual(200, self.serve().get("/inp.php").status)

    def test_a_name_that_can_not_be_resolved_stops_no_start(self):
        server = self.serve("--queue-timeout", "1s", php="no-such-name.invalid:9000")
        self.assertIn(server.get("/inp.php").status, (502, 503, 504))
        self.assertEqual(200, server.get("/a.txt").status)

    def test_a_name_is_resolved(self):
        php = self.php_fpm(listen="tcp")
        server = self.serve(php=f"localhost:{php.port}")  # ::1 first, where nobody listens
        self.assertEqual(200, server.get("/inp.php").status)

    @harness.needs_root
    def test_a_name_that_moves_is_followed(self):
        hosts = self.temp / "hosts"
        one = FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\none"), listen="tcp")
        FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\ntwo"), listen="tcp", host="127.0.0.2", port=one.port)
        hosts.write_text("127.0.0.1 localhost\n")
        server = self.serve("--queue-timeout", "1s", php=f"php-moves:{one.port}",
                            prefix=["unshare", "--mount", "sh", "-c",
                                    f'mount --bind "{hosts}" /etc/hosts && exec "$0" "$@"'])
        self.assertIn(server.get("/inp.php").status, (502, 503, 504))
        hosts.write_text("127.0.0.1 localhost\n127.0.0.1 php-moves\n")
        processes.wait_for(lambda: server.get("/inp.php").body == b"one", "the first address")
        hosts.write_text("127.0.0.1 localhost\n127.0.0.2 php-moves\n")
        processes.wait_for(lambda: server.get("/inp.php").body == b"two", "the second address")


class Several(harness.TestCase):
    def start_two(self):
        answers = [lambda r: r.answer(b"X: y\r\n\r\none"), lambda r: r.answer(b"X: y\r\n\r\ntwo")]
        return [FakeFpm(self, answer, path=self.temp / f"{i}.sock") for i, answer in enumerate(answers)]

    def test_the_next_one_answers_when_the_first_is_down_and_the_first_when_it_is_back(self):
        first, second = self.start_two()
        server = self.serve("--php", second.address, php=first.address)
        self.assertEqual(b"one", server.get("/inp.php").body)
        first.stop()
        (self.temp / "0.sock").unlink()
        for _ in range(20):
            self.assertEqual(b"two", server.get("/inp.php").body)
        FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\none again"), path=self.temp / "0.sock")
        processes.wait_for(lambda: server.get("/inp.php").body == b"one again", "the first to be used again")

    def test_a_request_is_not_run_twice(self):
        def dies(request):
            request.out(b"")
        first = FakeFpm(self, dies, path=self.temp / "0.sock")
        second = FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\ntwo"), path=self.temp / "1.sock")
        server = self.serve("--php", second.address, php=first.address)
        self.assertEqual(502, server.post("/inp.php", b"pay once").status)
        self.assertEqual((1, 0), (len(first.requests), len(second.requests)))

    def test_a_real_php_fpm_that_is_stopped_and_started(self):
        first, second = self.php_fpm(listen="tcp"), self.php_fpm(listen="unix")
        server = self.serve("--php", second.address, php=first)
        self.assertEqual(200, server.get("/inp.php").status)
        first.stop()
        for _ in range(20):
            self.assertEqual(200, server.get("/inp.php").status)
        second.stop()
        self.assertIn(server.get("/inp.php", {}).status, (502, 503, 504))
        self.php_fpm(listen="tcp", port=first.port)
        processes.wait_for(lambda: server.get("/inp.php").status == 200, "PHP")

    def test_many_restarts_of_workers_lose_nothing(self):  # case 46
        php = self.php_fpm(pool=["pm.max_requests = 3"])
        server = self.serve("--php-workers", "4", php=php)
        self.assertEqual({200: 300}, Load(server, "/inp.php", 8, 300).join())
