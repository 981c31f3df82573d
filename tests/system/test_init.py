"""Stopping by signals, the environment, users, and life as PID 1."""
import json
import os
import pwd
import signal
import subprocess
import time

import client
import harness
import processes
from server import as_user


def refused(test, server):
    """Waits until new connections are refused."""
    def closed():
        try:
            client.Connection(server.address).close()
        except (ConnectionRefusedError, FileNotFoundError):
            return True
        except ConnectionResetError:
            pass  # the listening socket was closed while the kernel made the connection
        return False
    processes.wait_for(closed, "new connections to be refused")


class Stopping(harness.TestCase):
    """Case 52. gate.php keeps requests in flight for as long as a test wants."""

    def begin(self, *options, count=3, **keywords):
        server = self.serve(*options, **keywords)
        self.busy = [server.connect() for _ in range(count)]
        for connection in self.busy:
            connection.send(client.format_request("GET", "/gate.php?f=g"))
        self.wait_until_inside("g", count)
        return server

    def test_every_ending_signal_drains(self):
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT):
            with self.subTest(number.name):
                for mark in self.state.iterdir():
                    mark.unlink()
                server = self.begin()
                idle = server.connect()
                self.assertEqual(200, idle.get("/a.txt").status)
                server.send_signal(number)
                refused(self, server)
                self.assertTrue(idle.ended())
                self.open_gate("g")
                for connection in self.busy:
                    reply = connection.read_reply()
                    self.assertEqual((200, "through", True), (reply.status, reply.text, reply.closes))
                server.expect_end(0)

    def test_what_waits_for_a_worker_is_answered_before_the_end(self):
        server = self.begin("--php-workers", "1", count=1)
        waiter = server.connect()
        waiter.send(client.format_request("GET", "/inp.php"))
        self.assertEqual(200, server.get("/a.txt").status)
        server.send_signal(signal.SIGTERM)
        refused(self, server)
        self.open_gate("g")
        self.assertEqual("through", self.busy[0].read_reply().text)
        self.assertEqual(200, waiter.read_reply().status)
        server.expect_end(0)

    def test_what_lasts_longer_than_the_grace_is_cut(self):
        server = self.begin("--grace", "2s")
        server.send_signal(signal.SIGTERM)
        began = time.monotonic()
        server.expect_end(0)
        self.assertLess(time.monotonic() - began, 20)  # gate.php would wait a minute
        for connection in self.busy:
            data = connection.read_all()
            self.assertNotIn(b"through", data)

    def test_a_second_signal_stops_at_once(self):
        server = self.begin("--grace", "1h")
        server.send_signal(signal.SIGTERM)
        refused(self, server)
        time.sleep(0.2)  # closer together they are one wish, as the next test has it
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        server.expect_end(server.wait())
        self.assertIn(server.wait(), (0, 143))

    def test_two_signals_that_come_together_are_one(self):  # timeout(1) signals a process and its group
        server = self.begin(count=1)
        server.send_signal(signal.SIGTERM)
        server.send_signal(signal.SIGTERM)
        refused(self, server)
        self.open_gate("g")
        self.assertEqual("through", self.busy[0].read_reply().text)
        server.expect_end(0)

    def test_a_signal_during_the_start_is_not_lost(self):
        for number, pause in ((signal.SIGHUP, 0.001), (signal.SIGUSR1, 0.002), (signal.SIGHUP, 0.004),
                              (signal.SIGUSR1, 0.008), (signal.SIGHUP, 0.016), (signal.SIGHUP, 0.032)):
            process = subprocess.Popen([harness.binary(), "-d", str(self.root), "-s", "127.0.0.1:0", "--php-fpm",
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

    def test_nothing_is_left_in_the_file_system(self):
        path, folder = self.temp / "web.sock", self.temp / "tmp"
        folder.mkdir()
        folder.chmod(0o1777)
        server = self.serve(listen=f"unix:{path}", env={"TMPDIR": str(folder)})
        self.assertEqual(200, server.get("/inp.php").status)
        server.stop()
        self.assertFalse(path.exists())
        self.assertEqual([], list(folder.iterdir()))

    def test_a_stop_right_after_the_start_is_clean(self):
        for _ in range(5):
            self.serve().stop()

    def test_a_script_in_flight_of_an_external_php_fpm_is_finished(self):
        server = self.begin(php=self.php_fpm())
        server.send_signal(signal.SIGTERM)
        refused(self, server)
        self.open_gate("g")
        self.assertEqual(["through"] * 3, [connection.read_reply().text for connection in self.busy])
        server.expect_end(0)


class Environment(harness.TestCase):
    def test_it_reaches_php_unchanged(self):  # case 57
        values = {"APP_A": "a b\"c$d=e;#f", "APP_EMPTY": "", "APP_LONG": "x" * 8192, "APP_NL": "one\ntwo",
                  "APP_QUOTE": "it's [x] %y \\z"}
        server = self.serve(env=values)
        for name, value in values.items():
            got = json.loads(server.get(f"/getenv.php?n={name}", {name.replace("_", "-"): "evil"}).body)
            self.assertEqual((True, value), (got["set"], bytes.fromhex(got["hex"]).decode()), name)
        self.assertFalse(json.loads(server.get("/getenv.php?n=APP_NOT").body)["set"])

    def test_it_survives_a_restart_of_php_fpm(self):
        server = self.serve(env={"APP_A": "still here"})
        pid = server.fpm_pid()
        os.kill(pid, signal.SIGKILL)
        processes.wait_for(lambda: server.fpm_pid() != pid, "a new php-fpm")
        got = json.loads(server.get("/getenv.php?n=APP_A").body)
        self.assertEqual(b"still here", bytes.fromhex(got["hex"]))


class Users(harness.TestCase):
    @harness.needs_root
    def test_started_as_root_the_server_and_the_workers_are_www_data(self):
        server = self.serve()
        self.assertEqual(200, server.get("/inp.php").status)
        www_data = pwd.getpwnam("www-data").pw_uid
        self.assertEqual({www_data}, {processes.user_of(p) for p in server.server_pids()})
        workers = processes.children
        processes.wait_for(lambda: {www_data} == {processes.user_of(p) for p in workers(server.fpm_pid())},
                           "every worker to be www-data")

    @harness.needs_root
    def test_another_user_can_be_chosen(self):
        server = self.serve("--user", "nobody:www-data")
        self.assertEqual(200, server.get("/inp.php").status)
        nobody = pwd.getpwnam("nobody").pw_uid
        self.assertEqual({nobody}, {processes.user_of(p) for p in server.server_pids()})

    @harness.needs_root
    def test_root_can_be_chosen_for_a_site_that_others_can_not_reach(self):
        self.root.chmod(0o700)
        server = self.serve("--user", "root")
        self.assertEqual(b"static text\n", server.get("/a.txt").body)
        self.assertEqual(200, server.get("/inp.php").status)

    @harness.needs_root
    def test_any_unprivileged_user_can_run_it_without_a_writable_file_system(self):  # case 58
        server = self.serve(prefix=as_user(4711), executable=self.copy_of_binary(),
                            env={"HOME": "/nonexistent", "TMPDIR": str(self.state)})
        self.assertEqual(b"static text\n", server.get("/a.txt").body)
        self.assertIn("len=300000 ", server.post("/inp.php", bytes(300_000)).text)
        self.assertEqual({4711}, {processes.user_of(p) for p in processes.descendants(server.init_pid)})

    def test_a_spool_that_is_full_is_an_error_for_that_request_alone(self):  # case 58
        folder = self.temp / "full"
        folder.mkdir()
        prefix = []
        if harness.AS_ROOT:
            prefix = ["unshare", "--mount", "sh", "-c",
                      f'mount -t tmpfs -o size=64k,mode=1777 none "{folder}" && exec "$0" "$@"']
        else:
            self.skipTest("needs root to mount a small file system")
        server = self.serve(prefix=prefix, env={"TMPDIR": str(folder)})
        reply = server.post("/inp.php", bytes(1_000_000))
        self.assertIn(reply.status, (413, 500, 503, 507))
        server.stderr.wait_for(r"(?i)no space")
        self.assertEqual("CL=3 len=3 m=POST", server.post("/inp.php", b"abc").text)

    @harness.needs_root
    def test_as_pid_1_of_a_container(self):
        server = self.serve(prefix=["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"])
        self.assertEqual(200, server.get("/inp.php").status)
        status = processes.read(server.init_pid, "status").decode()
        self.assertRegex(status, r"NSpid:\s+\d+\s+1\n")
        (self.root / "orphan.php").write_text("<?php exec('sh -c \"exit 0\" > /dev/null 2>&1 &'); echo 'ok';")
        for _ in range(20):
            self.assertEqual(200, server.get("/orphan.php").status)
        processes.wait_for(lambda: not [p for p in processes.children(server.init_pid)
                                        if not processes.alive(p)],
                           "no zombie")
        server.stop()  # PID 1 has no default for TERM: it ends only because it handles it

    def test_the_log_goes_to_the_inherited_descriptor(self):  # case 58
        server = self.serve()
        self.assertEqual("ok", server.get("/err.php?n=10").text)
        server.stderr.wait_for("EEEEEEEEEE")  # a pipe of root, written to as another user
