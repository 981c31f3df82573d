"""Known hard cases 57 to 61: environment, users and file systems, listeners, descriptors, health.

What an engine would do is done with unshare and setpriv; tests/image has the real one."""
import json
import os
import pwd
import resource
import signal
import subprocess
import time

import client
import harness
import processes
from server import as_user

PATH = "/.httpd/health"
A = b"static text\n"


class Environment(harness.TestCase):
    def test_case_57_the_environment_reaches_php_unchanged(self):
        values = {"APP_A": "a b\"c$d=e;#f", "APP_EMPTY": "", "APP_LONG": "x" * 8192, "APP_NL": "one\ntwo",
                  "APP_QUOTE": "it's [x] %y \\z", "APP_UTF": "ä€", "HTTP_X_FROM_ENV": "mine"}
        server = self.serve(env=values)
        for name, value in values.items():
            got = json.loads(server.get(f"/getenv.php?n={name}", {name.replace("_", "-"): "evil",
                                                                  name: "evil"}).body)
            self.assertEqual((True, value), (got["set"], bytes.fromhex(got["hex"]).decode()), name)
        self.assertFalse(json.loads(server.get("/getenv.php?n=APP_NOT", {"App-Not": "evil"}).body)["set"])

    def test_case_57_it_survives_a_restart_and_a_reload_of_php_fpm(self):
        server = self.serve(env={"APP_A": "still here"})
        pid = server.fpm_pid()
        os.kill(pid, signal.SIGKILL)
        processes.wait_for(lambda: server.fpm_pid() != pid, "a new php-fpm")
        for number in (None, signal.SIGUSR2):
            if number:
                old = set(processes.children(server.fpm_pid()))
                os.kill(server.fpm_pid(), number)
                processes.wait_for(lambda: set(processes.children(server.fpm_pid())) - old, "new workers")
            got = json.loads(server.get("/getenv.php?n=APP_A").body)
            self.assertEqual(b"still here", bytes.fromhex(got["hex"]))


class FileSystems(harness.TestCase):
    @harness.needs_root
    def test_case_58_a_read_only_root_and_a_user_without_a_name(self):
        folder = self.temp / "tmp"
        folder.mkdir()
        # As `docker run --read-only --tmpfs /tmp --user 1000:1000`: every mount but one is read-only.
        script = ('for m in / /tmp /run /dev/shm /var; do mount -o remount,bind,ro "$m" 2>/dev/null; done; '
                  f'mount -t tmpfs -o mode=1777 none "{folder}" && ! touch "{self.temp}/x" 2>/dev/null '
                  '&& exec "$0" "$@"')
        server = self.serve(prefix=["unshare", "--mount", "sh", "-c", script, *as_user(1000)],
                            executable=self.copy_of_binary(), env={"HOME": "/nonexistent",
                                                                   "TMPDIR": str(folder)})
        self.assertEqual(A, server.get("/a.txt").body)
        self.assertIn("len=300000 ", server.post("/inp.php", bytes(300_000)).text)
        self.assertEqual("ok", server.get("/err.php?n=10").text)
        server.stderr.wait_for("EEEEEEEEEE")
        self.assertEqual({1000}, {processes.user_of(p) for p in processes.descendants(server.init_pid)})

    @harness.needs_root
    def test_case_58_port_80_without_the_right_to_it_is_one_clear_line(self):
        copy = self.copy_of_binary()
        # A network namespace of its own, where port 80 is free and ports below 1024 need the right.
        self.refused("-d", self.root, "-s", "0.0.0.0:80", "--php-fpm", "none", executable=copy,
                     says=["--serve", "0.0.0.0:80", "no right"],
                     prefix=["unshare", "--net", *as_user(1000), "--bounding-set=-all", "--inh-caps=-all"])
        server = self.serve_static(listen="0.0.0.0:80", prefix=["unshare", "--net"])
        self.assertEqual(80, server.port)

    @harness.needs_root
    def test_case_58_started_as_root_the_log_still_goes_to_the_inherited_descriptor(self):
        server = self.serve("--user", "nobody")
        self.assertEqual("ok", server.get("/err.php?n=10").text)
        server.stderr.wait_for("EEEEEEEEEE")  # a pipe of root, written to as another user
        self.assertEqual(404, server.get("/.none").status)
        server.stdout.wait_for("/.none")
        nobody = pwd.getpwnam("nobody").pw_uid
        self.assertEqual({nobody}, {processes.user_of(p) for p in server.server_pids()})

    @harness.needs_root
    def test_case_58_a_full_temporary_folder_is_an_error_for_that_request_alone(self):
        folder = self.temp / "full"
        folder.mkdir()
        server = self.serve(env={"TMPDIR": str(folder)},
                            prefix=["unshare", "--mount", "sh", "-c",
                                    'mount -t tmpfs -o size=64k,mode=1777 none '
                                    f'"{folder}" && exec "$0" "$@"'])
        for headers, body in (({}, bytes(1_000_000)),
                              ({"Transfer-Encoding": "chunked"}, client.chunked(bytes(1_000_000), 10_000))):
            reply = server.post("/inp.php", body, headers)
            self.assertIn(reply.status, (413, 500, 503, 507))
            self.assertEqual("CL=3 len=3 m=POST", server.post("/inp.php", b"abc").text)
        server.stderr.wait_for(r"(?i)no space")


class Listeners(harness.TestCase):
    def test_case_59_a_socket_left_by_a_killed_server_is_taken_over(self):
        path = self.temp / "web.sock"
        first = self.serve_static(listen=f"unix:{path}")
        family = processes.descendants(first.init_pid)
        first.send_signal(signal.SIGKILL)
        first.expect_end(137)
        for pid in family:
            processes.wait_for(lambda: not processes.alive(pid), "the old one to end")
        self.assertTrue(path.exists())
        self.assertEqual(A, self.serve_static(listen=f"unix:{path}").get("/a.txt").body)

    def test_case_59_a_living_socket_is_not_stolen(self):
        path = self.temp / "web.sock"
        server = self.serve_static(listen=f"unix:{path}")
        self.refused("-d", self.root, "-s", f"unix:{path}", "--php-fpm", "none",
                     says=["--serve", path, "in use"])
        self.assertEqual(A, server.get("/a.txt").body)

    def test_case_59_a_file_that_is_no_socket_is_not_removed(self):
        path = self.temp / "file"
        path.write_text("precious")
        self.refused("-d", self.root, "-s", f"unix:{path}", "--php-fpm", "none", says=["--serve", path])
        self.assertEqual("precious", path.read_text())

    def test_case_59_both_families_on_one_port(self):
        server = self.serve_static(listen=["0.0.0.0:0"])
        port = server.port
        server.stop()
        both = self.serve_static(listen=[f"0.0.0.0:{port}", f"[::]:{port}"])
        for host in ("127.0.0.1", "::1"):
            with client.Connection((host, port)) as connection:
                self.assertEqual(200, connection.get("/a.txt", {"Host": f"[::1]:{port}"}).status)
        both.stop()

    @harness.needs_root
    def test_case_59_without_ipv6_the_other_addresses_are_served(self):
        # In a new network namespace the loopback address of IPv6 is not there, as where IPv6 is switched off.
        path = self.temp / "web.sock"
        server = self.serve_static(listen=["[::1]:8080", "0.0.0.0:8080", f"unix:{path}"],
                                   prefix=["unshare", "--net"])
        server.stderr.wait_for(r"\[warning\].*--serve \[::1\]:8080.*the other addresses are served")
        self.assertEqual(["http://0.0.0.0:8080/", f"unix:{path}"], server.urls)
        with client.Connection(str(path)) as connection:
            self.assertEqual(A, connection.get("/a.txt").body)
        self.refused("-d", self.root, "-s", "[::1]:8080", "--php-fpm", "none", says=["--serve", "[::1]:8080"],
                     prefix=["unshare", "--net"])

    @harness.needs_root
    def test_case_59_a_php_socket_of_another_user_is_502_and_named(self):
        php = self.php_fpm()
        server = self.serve(php=php)
        self.assertEqual(200, server.get("/inp.php").status)
        os.chmod(php.target, 0o600)
        self.assertEqual(502, server.get("/inp.php").status)
        server.stderr.wait_for(rf"\[error\].*{php.target}.*Permission denied")
        self.assertEqual(A, server.get("/a.txt").body)
        os.chmod(php.target, 0o666)
        processes.wait_for(lambda: server.get("/inp.php").status == 200, "PHP again")


class Descriptors(harness.TestCase):
    @harness.needs_root
    def test_case_60_a_huge_limit_of_descriptors_costs_nothing(self):
        most = int(open("/proc/sys/fs/nr_open").read())
        if subprocess.run(["prlimit", f"--nofile={most}", "true"], stderr=subprocess.DEVNULL).returncode:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # a container may forbid more
        server = self.serve(prefix=["prlimit", f"--nofile={most}"])
        self.assertEqual(200, server.get("/inp.php").status)
        if not harness.SANITIZED:
            self.assertLess(processes.memory_kib(server.server_pid()), 65536)
            self.assertLess(processes.cpu_seconds(server.init_pid), 5)  # no loop over a thousand million

    def test_case_60_a_tiny_limit_of_descriptors_is_survived(self):
        server = self.serve_static("--threads", "1", prefix=["prlimit", "--nofile=64:64"])
        self.assertEqual(200, server.get("/a.txt").status)
        idle = [server.connect() for _ in range(200)]
        server.stderr.wait_for(r"(?i)descriptors|open files")
        pid = server.server_pid()
        before = processes.cpu_seconds(pid)
        time.sleep(2)  # the time over which a busy loop would show
        self.assertLess(processes.cpu_seconds(pid) - before, 0.5)
        for connection in idle:
            connection.close()
        self.assertEqual(200, server.get("/a.txt").status)
        self.assertLess(len([line for line in server.stderr.lines if "[error]" in line
                             or "[warning]" in line]), 10)


class Health(harness.TestCase):
    def test_case_61_health_is_no_file_and_for_this_machine_alone(self):
        server = self.serve("--trusted-proxy", "127.0.0.1")
        with server.connect() as connection:
            for method in ("GET", "HEAD"):
                self.assertEqual(200, connection.request(method, PATH).status)
            self.assertIn(connection.get(PATH, {"X-Forwarded-For": "203.0.113.7"}).status, (403, 404))
            self.assertEqual(405, connection.request("POST", PATH, body=b"x").status)
            connection.send(f"GET {PATH} HTTP/1.0\r\n\r\n")
            self.assertEqual(200, connection.read_reply().status)
        for _ in range(5):
            server.connect().close()  # without a byte
        self.assertEqual(200, server.get(PATH).status)
        self.assertNotIn("[error]", server.stderr.text)

    def test_case_61_health_is_bad_without_php_and_good_while_it_is_busy(self):
        php = self.php_fpm(listen="tcp", children=1)
        server = self.serve("--php-workers", "1", php=php)
        busy = server.connect()
        busy.send(client.format_request("GET", "/gate.php?f=g"))
        self.wait_until_inside("g")
        self.assertEqual(200, server.get(PATH).status)  # alive; it is the queue that has to wait
        self.open_gate("g")
        self.assertEqual("through", busy.read_reply().text)
        php.stop()
        self.assertEqual(503, server.get(PATH).status)
        self.assertEqual(503, server.request("HEAD", PATH).status)
        self.assertEqual(A, server.get("/a.txt").body)
