"""Known hard cases 46 to 51: php-fpm reloads, fills up, is absent, moves, and takes too long."""
import os
import signal
import time

import harness
import processes
from fake_fpm import FakeFpm
from load import Load

ABSENT = (502, 503, 504)


class Life(harness.TestCase):
    def test_case_46_a_reload_of_php_fpm_loses_nothing(self):
        for php in (self.php_fpm(), None):  # an external one, and our own
            server = self.serve(php=php or "supervised")
            with server.connect() as connection:
                for _ in range(3):
                    self.assertEqual(200, connection.get("/inp.php").status)
                    master = php.pid if php else server.fpm_pid()
                    old = set(processes.children(master))
                    os.kill(master, signal.SIGUSR2)
                    processes.wait_for(lambda: set(processes.children(master)) - old, "new workers")
                    self.assertEqual(200, connection.get("/inp.php").status)
                    self.assertEqual(200, connection.request("POST", "/inp.php", body=b"abc").status)

    def test_case_46_a_restart_of_php_fpm_is_no_stale_connection(self):
        for listen in ("unix", "tcp"):
            php = self.php_fpm(listen=listen)
            server = self.serve("--queue-timeout", "30s", php=php)
            with server.connect() as connection:
                self.assertEqual(200, connection.get("/inp.php").status)
                php.stop()
                if listen == "unix":
                    os.path.exists(php.target) and os.unlink(php.target)
                    self.php_fpm(path=php.target)
                else:
                    self.php_fpm(listen="tcp", port=php.port)
                self.assertEqual(200, connection.get("/inp.php").status)
                self.assertEqual("ran", connection.request("POST", "/count.php", body=b"abc").text)
        self.assertEqual(2, self.count())

    def test_case_46_many_ends_of_workers_lose_nothing(self):
        php = self.php_fpm(pool=["pm.max_requests = 3"])
        for server in (self.serve("--php-workers", "4", php=php), self.serve(php=php)):
            self.assertEqual({200: 300}, Load(server, "/inp.php", 8, 300).join())

    def test_case_48_a_full_backlog_is_waited_for(self):
        php = self.php_fpm(children=1, backlog=1)
        server = self.serve(php=php)  # no --php-workers: the number is not known
        self.assertEqual({200: 12}, Load(server, "/sleep.php?s=0.3", 12, 12).join())
        self.assertLess(processes.cpu_seconds(server.server_pid()), 2.0 * (10 if harness.SANITIZED else 1))

    def test_case_48_a_backlog_that_stays_full_is_503_in_time(self):
        php = self.php_fpm(children=1, backlog=1)
        server = self.serve("--queue-timeout", "1s", php=php)
        load = Load(server, "/gate.php?f=g", 8, 8)
        self.wait_until_inside("g")
        processes.wait_for(lambda: load.answers() >= 4, "those that found no place to be refused")
        self.open_gate("g")
        results = load.join()
        self.assertEqual(set(results), {200, 503}, results)
        self.assertEqual(200, server.get("/inp.php").status)


class Absent(harness.TestCase):
    def check_absent(self, server):
        for target in ("/inp.php", "/fallback"):
            self.assertIn(server.get(target).status, ABSENT)
        self.assertEqual(b"static text\n", server.get("/a.txt").body)

    def test_case_50_a_socket_that_appears_late_is_used_without_a_restart(self):
        path = self.temp / "late.sock"
        server = self.serve("--queue-timeout", "1s", php=f"unix:{path}")
        self.check_absent(server)
        self.php_fpm(path=path)
        processes.wait_for(lambda: server.get("/inp.php").status == 200, "PHP")

    def test_case_50_a_port_that_appears_late_is_used_without_a_restart(self):
        php = self.php_fpm(listen="tcp")
        php.stop()
        server = self.serve("--queue-timeout", "1s", php=php)
        self.check_absent(server)
        self.php_fpm(listen="tcp", port=php.port)
        processes.wait_for(lambda: server.get("/inp.php").status == 200, "PHP")

    def test_case_50_our_own_php_fpm_is_waited_for_from_the_first_request(self):
        self.assertEqual(200, self.serve().get("/inp.php").status)

    def test_case_50_a_name_is_resolved_and_the_other_family_tried(self):
        php = self.php_fpm(listen="tcp")
        server = self.serve(php=f"localhost:{php.port}")  # ::1 first, where nobody listens
        self.assertEqual(200, server.get("/inp.php").status)

    def test_case_50_a_name_that_can_not_be_resolved_stops_no_start(self):
        self.check_absent(self.serve("--queue-timeout", "1s", php="no-such-name.invalid:9000"))

    @harness.needs_root
    def test_case_50_a_name_that_moves_is_followed(self):
        hosts = self.temp / "hosts"
        one = FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\none"), listen="tcp")
        FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\ntwo"), listen="tcp", host="127.0.0.2", port=one.port)
        hosts.write_text("127.0.0.1 localhost\n")
        server = self.serve("--queue-timeout", "1s", php=f"php-moves:{one.port}",
                            prefix=["unshare", "--mount", "sh", "-c",
                                    f'mount --bind "{hosts}" /etc/hosts && exec "$0" "$@"'])
        self.check_absent(server)
        hosts.write_text("127.0.0.1 localhost\n127.0.0.1 php-moves\n")
        processes.wait_for(lambda: server.get("/inp.php").body == b"one", "the first address")
        hosts.write_text("127.0.0.1 localhost\n127.0.0.2 php-moves\n")
        processes.wait_for(lambda: server.get("/inp.php").body == b"two", "the second address")


class Late(harness.TestCase):
    def test_case_51_a_script_that_php_fpm_ends_is_an_error_and_the_next_one_runs(self):
        server = self.serve(php=self.php_fpm(pool=["request_terminate_timeout = 1s"]))
        began = time.monotonic()
        self.assertIn(server.get("/sleep.php?s=60").status, (502, 504))
        self.assertLess(time.monotonic() - began, 30)  # not the 60 s of the script or of --php-timeout
        self.assertEqual(200, server.get("/inp.php").status)
        server.stderr.wait_for(r"\[error\].*sleep\.php")

    def test_case_51_an_idle_worker_that_php_fpm_ends_is_nobodys_error(self):
        php = self.php_fpm(pool=["request_terminate_timeout = 1s"])
        server = self.serve(php=php)
        with server.connect() as connection:
            self.assertEqual(200, connection.get("/inp.php").status)
            old = php.workers()
            for pid in old:
                os.kill(pid, signal.SIGTERM)
            for pid in old:
                processes.wait_for(lambda: not processes.alive(pid), "the worker to end")
            self.assertEqual(200, connection.get("/inp.php").status)

    def test_case_51_a_late_answer_is_given_to_nobody_else(self):
        for php in ("supervised", self.php_fpm(children=1)):
            server = self.serve("--php-timeout", "1s", "--php-workers", "1", php=php)
            with server.connect() as connection:
                self.assertEqual(504, connection.get("/sleep.php?s=3").status)
                processes.wait_for(lambda: connection.get("/inp.php").status == 200, "the worker to be free")
                for _ in range(5):
                    self.assertIn("m=GET", connection.get("/inp.php").text)

    def test_case_51_a_silent_script_is_504_and_its_connection_is_ended(self):
        ended = []
        fake = FakeFpm(self, lambda request: ended.append(request.wait_for_close()))
        server = self.serve("--php-timeout", "1s", php=fake.address)
        self.assertEqual(504, server.get("/inp.php").status)
        processes.wait_for(lambda: ended == [True], "the end of the FastCGI connection")
