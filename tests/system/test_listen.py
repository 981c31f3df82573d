"""Listening sockets and limits of descriptors."""
import resource
import signal
import subprocess
import time

import client
import harness
import load
import processes


class Listeners(harness.TestCase):
    """Case 59."""

    def test_a_socket_left_by_a_killed_server_is_taken_over(self):
        path = self.temp / "web.sock"
        first = self.serve_static(listen=f"unix:{path}")
        family = processes.descendants(first.init_pid)
        first.send_signal(signal.SIGKILL)
        first.expect_end(137)
        for pid in family:
            processes.wait_for(lambda: not processes.alive(pid), "the old one to end")
        self.assertTrue(path.exists())
        self.assertEqual(b"static text\n", self.serve_static(listen=f"unix:{path}").get("/a.txt").body)

    def test_a_living_socket_is_not_stolen(self):
        path = self.temp / "web.sock"
        server = self.serve_static(listen=f"unix:{path}")
        self.refused("-d", self.root, "-s", f"unix:{path}", "--php-fpm", "none",
                     says=["--serve", path, "in use"])
        self.assertEqual(b"static text\n", server.get("/a.txt").body)

    def test_a_file_that_is_no_socket_is_not_removed(self):
        path = self.temp / "file"
        path.write_text("precious")
        self.refused("-d", self.root, "-s", f"unix:{path}", "--php-fpm", "none", says=["--serve", path])
        self.assertEqual("precious", path.read_text())

    def test_both_families_on_one_port(self):
        server = self.serve_static(listen=["0.0.0.0:0"])
        port = server.port
        server.stop()
        both = self.serve_static(listen=[f"0.0.0.0:{port}", f"[::]:{port}"])
        for host in ("127.0.0.1", "::1"):
            with client.Connection((host, port)) as connection:
                self.assertEqual(200, connection.get("/a.txt", {"Host": f"[::1]:{port}"}).status)
        both.stop()

    def test_the_port_is_free_again_after_a_stop(self):
        server = self.serve_static()
        self.assertEqual(200, server.get("/a.txt", {"Connection": "close"}).status)
        server.stop()
        again = self.serve_static(listen=f"127.0.0.1:{server.port}")
        self.assertEqual(200, again.get("/a.txt").status)


class Limits(harness.TestCase):
    """Case 60."""

    @harness.needs_root
    def test_a_huge_limit_of_descriptors_costs_nothing(self):
        most = int(open("/proc/sys/fs/nr_open").read())
        if subprocess.run(["prlimit", f"--nofile={most}", "true"], stderr=subprocess.DEVNULL).returncode:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # a container may forbid more
        server = self.serve(prefix=["prlimit", f"--nofile={most}"])
        self.assertEqual(200, server.get("/inp.php").status)
        if not harness.SANITIZED:
            self.assertLess(processes.memory_kib(server.server_pid()), 65536)

    def test_with_few_descriptors_clients_wait_instead_of_getting_errors(self):
        server = self.serve("--php-workers", "2", prefix=["prlimit", "--nofile=64:64"])
        self.assertEqual({200: 100}, load.Load(server, "/sleep.php?s=0.05", 60, 100).join())

    def test_idle_connections_make_room_for_new_ones(self):
        server = self.serve("--php-workers", "2", prefix=["prlimit", "--nofile=64:64"])
        idle = [server.connect() for _ in range(60)]
        for target in ("/a.txt", "/inp.php", "/.httpd/health"):
            self.assertEqual(200, server.get(target).status)
        for connection in idle:
            connection.close()

    def test_a_tiny_limit_of_descriptors_is_survived(self):
        server = self.serve_static("--threads", "1", prefix=["prlimit", "--nofile=64:64"])
        self.assertEqual(200, server.get("/a.txt").status)
        idle = []
        for _ in range(200):
            idle.append(server.connect())
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
