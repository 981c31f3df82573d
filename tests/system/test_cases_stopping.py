"""Known hard cases 52 and 53: the order of stopping, signals, exit codes, a php-fpm that cannot start."""
import os
import re
import signal
import subprocess
import time

import client
import harness
import processes
from php_fpm import newest_php_fpm

HEALTH = "/.httpd/health"
IN_A_CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


class Stopping(harness.TestCase):
    """gate.php keeps requests in flight for as long as a test wants."""

    def begin(self, *options, count=3, **keywords):
        server = self.serve(*options, **keywords)
        self.busy = [server.connect() for _ in range(count)]
        for connection in self.busy:
            connection.send(client.format_request("GET", "/gate.php?f=g"))
        self.wait_until_inside("g", count)
        return server

    def check_drain(self, number, **keywords):
        for mark in self.state.iterdir():
            mark.unlink()
        path = self.temp / "web.sock"
        server = self.begin(listen=["127.0.0.1:0", f"unix:{path}"], **keywords)
        idle = server.connect()
        self.assertEqual(200, idle.get("/a.txt").status)
        family = processes.descendants(server.init_pid)
        server.send_signal(number)
        server.wait_until_refusing()
        self.assertTrue(idle.ended())
        self.open_gate("g")
        for connection in self.busy:
            reply = connection.read_reply()
            self.assertEqual((200, "through", True), (reply.status, reply.text, reply.closes))
        server.expect_end(0)
        self.assertFalse(path.exists(), "the socket is gone")
        for pid in family:
            processes.wait_for(lambda: not processes.alive(pid), f"{pid} to end")

    def test_case_52_every_ending_signal_drains(self):
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT):
            with self.subTest(number.name):
                self.check_drain(number)

    @harness.needs_root
    def test_case_52_as_pid_1_too(self):
        for number in (signal.SIGTERM, signal.SIGQUIT):
            with self.subTest(number.name):
                self.check_drain(number, prefix=IN_A_CONTAINER)

    def test_case_52_what_waits_for_a_worker_is_answered_before_the_end(self):
        server = self.begin("--php-workers", "1", count=1)
        waiter = server.connect()
        waiter.send(client.format_request("GET", "/inp.php"))
        self.assertEqual(200, server.get("/a.txt").status)
        server.send_signal(signal.SIGTERM)
        server.wait_until_refusing()
        self.open_gate("g")
        self.assertEqual("through", self.busy[0].read_reply().text)
        self.assertEqual(200, waiter.read_reply().status)
        server.expect_end(0)

    def test_case_52_what_lasts_longer_than_the_grace_is_cut(self):
        server = self.begin("--grace", "2s")
        server.send_signal(signal.SIGTERM)
        began = time.monotonic()
        server.expect_end(0)
        self.assertLess(time.monotonic() - began, 20)  # gate.php would wait a minute
        for connection in self.busy:
            self.assertNotIn(b"through", connection.read_all())

    def test_case_52_a_second_signal_stops_at_once(self):
        server = self.begin("--grace", "1h")
        server.send_signal(signal.SIGTERM)
        server.wait_until_refusing()
        time.sleep(0.2)  # closer together they are one wish, as the next test has it
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        server.expect_end(server.wait())
        self.assertIn(server.wait(), (0, 143))

    def test_case_52_two_signals_that_come_together_are_one(self):  # timeout(1) signals a group too
        server = self.begin(count=1)
        server.send_signal(signal.SIGTERM)
        server.send_signal(signal.SIGTERM)
        server.wait_until_refusing()
        self.open_gate("g")
        self.assertEqual("through", self.busy[0].read_reply().text)
        server.expect_end(0)

    def test_case_52_a_client_that_never_reads_does_not_stop_it(self):
        (self.root / "f.bin").write_bytes(bytes(50_000_000))
        server = self.serve("--grace", "2s")
        deaf = []
        for target in ("/f.bin", "/bytes.php?n=50000000"):
            deaf.append(server.connect(receive_buffer=4096))
            deaf[-1].send(client.format_request("GET", target))
            deaf[-1].read_head()
        server.send_signal(signal.SIGTERM)
        server.expect_end(0)

    def test_case_52_a_signal_during_the_start_is_not_lost(self):
        for number, pause in ((signal.SIGHUP, 0.001), (signal.SIGUSR1, 0.002), (signal.SIGHUP, 0.004),
                              (signal.SIGUSR1, 0.008), (signal.SIGHUP, 0.016), (signal.SIGHUP, 0.032)):
            process = subprocess.Popen([harness.binary(), "-d", str(self.root), "-s", "127.0.0.1:0",
                                        "--php-fpm",
                                        "none", "--access-log", "off"], stderr=subprocess.PIPE, text=True)
            time.sleep(pause)  # not to wait for anything: to hit different moments
            process.send_signal(number)
            for line in process.stderr:
                if "serving" in line:
                    break
            process.send_signal(signal.SIGTERM)
            process.stderr.read()
            self.assertIn(process.wait(30), (0, -number))  # before main there is nothing to take it
            process.stderr.close()

    def test_case_52_nothing_is_left_in_the_file_system(self):
        path, folder = self.temp / "web.sock", self.temp / "tmp"
        folder.mkdir()
        folder.chmod(0o1777)
        server = self.serve(listen=f"unix:{path}", env={"TMPDIR": str(folder)})
        self.assertEqual(200, server.get("/inp.php").status)
        server.stop()
        self.assertFalse(path.exists())
        self.assertEqual([], list(folder.iterdir()))

    def test_case_52_a_stop_right_after_the_start_is_clean(self):
        for _ in range(5):
            self.serve().stop()

    def test_case_52_a_script_in_flight_of_an_external_php_fpm_is_finished(self):
        server = self.begin(php=self.php_fpm())
        server.send_signal(signal.SIGTERM)
        server.wait_until_refusing()
        self.open_gate("g")
        self.assertEqual(["through"] * 3, [connection.read_reply().text for connection in self.busy])
        server.expect_end(0)


class Ends(harness.TestCase):
    """What a php-fpm does that ends by itself; each is a script in the place of the program."""

    def script(self, name, *lines):
        path = self.temp / name
        path.write_text("\n".join(["#!/bin/sh", 'case "$*" in *-t*|*-v*|*-i*) exit 0;; esac', *lines, ""]))
        path.chmod(0o755)
        return path

    def begin(self, program):
        return self.start("-d", self.root, "-s", "127.0.0.1:0", "--php-fpm", program)

    def test_case_53_a_php_fpm_that_can_not_start_passes_its_status_on(self):
        typo = self.temp / "typo.conf"
        typo.write_text("[global]\nerror_log = /dev/null\n[www]\nlisten = x\npm = statik\n")
        real = self.script("real", f'exec {newest_php_fpm()} -F -O -y "{typo}"')
        server = self.begin(real)
        server.expect_end(78)
        self.assertIn("invalid process manager", server.stderr.text, "what php-fpm says of it")
        for status in (1, 78, 255):
            server = self.begin(self.script(f"exits-{status}", f"exit {status}"))
            server.expect_end(status)
            self.assertNotRegex(server.stderr.text, "next start in|starting it again")

    def test_case_53_a_php_fpm_that_is_missing_is_127_and_one_that_can_not_be_run_126(self):
        for program, status in ((self.temp / "nothing", 127), (self.root / "a.txt", 126), (self.root, 126),
                                (self.root / "a.txt/x", 127)):
            self.refused("-d", self.root, "-s", "127.0.0.1:0", "--php-fpm", program, status=status,
                         says=["--php-fpm", program])

    def test_case_53_a_php_fpm_that_is_killed_again_and_again_is_128_and_its_signal(self):
        servers = {}
        for name, status in (("KILL", 137), ("SEGV", 139)):
            servers[status] = self.begin(self.script(name, f"kill -{name} $$")).wait_until_serving()
        for server in servers.values():
            with server.connect() as connection:
                # In between it runs for a moment.
                processes.wait_for(lambda: connection.get(HEALTH).status == 503, "health to be bad")
                self.assertEqual(b"static text\n", connection.get("/a.txt").body)
        for status, server in servers.items():
            server.expect_end(status)
            pauses = [int(ms) for ms in re.findall(r"next start in (\d+) ms", server.stderr.text)]
            self.assertEqual(sorted(pauses), pauses, "each pause is as long as the one before it or longer")
            self.assertLess(len(pauses), 20)

    def test_case_53_a_php_fpm_that_is_killed_once_is_started_again(self):
        server = self.serve()
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            pid = server.fpm_pid()
            os.kill(pid, number)
            processes.wait_for(lambda: server.fpm_pid() != pid, "a new php-fpm")
            self.assertEqual(200, server.get("/inp.php").status)
        server.stop()

    def test_case_53_a_bad_option_ends_it_before_php_fpm_is_started(self):
        mark = self.temp / "started"
        program = self.script("marks", f'touch "{mark}"', "exit 1")
        for option in (["--max-body", "x"], ["--php-ini", self.temp / "nothing"], ["--serve",
                                                                                   "127.0.0.1:99999"]):
            self.refused("-d", self.root, "-s", "127.0.0.1:0", "--php-fpm", program, *option, says=option)
        self.assertFalse(mark.exists())
