"""Runs as anyone, anywhere: users, read-only, no capabilities, little memory, half a CPU."""
import json

import engine
from engine import PHP, TestCase
from load import Load
import processes

LOCKED = ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


class Anywhere(TestCase):
    def check(self, container):
        """Static, PHP, and a body that PHP keeps in memory."""
        self.assertEqual(b"<?php", (engine.SYSTEM_SITE / "who.php").read_bytes()[:5])
        self.assertIn("/var/www/html", container.get("/who.php").text)
        self.assertEqual("CL=3000 len=3000 m=POST", container.request("POST", "/inp.php", body=b"x" * 3000).text)

    def users(self, container):
        return {processes.user_of(pid) for pid in processes.descendants(container.pid)
                if not processes.command(pid).startswith("php-fpm: master")}

    def test_the_default_user_is_www_data(self):
        container = self.serve()
        self.check(container)
        self.assertEqual({33}, self.users(container) | {processes.user_of(container.pid)})

    def test_as_root_it_becomes_www_data(self):
        container = self.serve(options=["--user", "0"])
        self.check(container)
        self.assertIn("user www-data, group www-data", container.stderr())
        self.assertEqual({33}, self.users(container))
        container.kill("TERM")
        self.assertEqual(0, container.wait())

    def test_as_a_user_that_the_image_does_not_know(self):
        container = self.serve(options=["--user", "1000:1000"])
        self.check(container)
        self.assertEqual({1000}, self.users(container))

    def test_without_capabilities(self):
        for user in ([], ["--user", "1000:1000"]):
            with self.subTest(user=user):
                self.check(self.serve(options=[*LOCKED, *user]))

    def test_as_root_without_capabilities_it_says_what_is_missing(self):
        result = self.run_to_end(PHP, options=[*LOCKED, "--user", "0"])
        self.assertEqual(2, result.returncode)
        self.assertIn("CAP_SETUID", result.stderr)
        self.assertEqual(1, result.stderr.count("\n"))

    def test_as_root_without_one_capability_it_says_which(self):
        for name in ("KILL", "SETUID", "SETGID", "CHOWN", "DAC_OVERRIDE"):
            with self.subTest(name):
                result = self.run_to_end(PHP, options=["--user", "0", "--cap-drop", name])
                self.assertEqual(2, result.returncode, result.stderr)
                self.assertIn(f"root without CAP_{name} cannot", result.stderr)

    def test_all_as_root_without_capabilities(self):
        container = self.serve("--user", "root", options=[*LOCKED, "--user", "0"])
        self.check(container)
        self.assertEqual({0}, self.users(container))

    def test_read_only_with_nothing_to_write_to(self):
        for user in ([], ["--user", "0"], ["--user", "1000:1000"]):
            with self.subTest(user=user):
                container = self.serve(options=["--read-only", *user])
                self.check(container)
                # More than the server keeps in memory; PHP itself is not asked to keep it.
                self.assertEqual(200, container.request("POST", "/env.php", body=b"x" * 1_000_000).status)

    def test_read_only_with_temporary_files_in_memory(self):
        for options in (["--tmpfs", "/tmp"], ["-e", "TMPDIR=/dev/shm"]):
            with self.subTest(options=options):
                container = self.serve(options=["--read-only", *LOCKED, "--user", "1000:1000", *options])
                self.check(container)
                self.assertEqual("CL=1000000 len=1000000 m=POST",
                                 container.request("POST", "/inp.php", body=b"x" * 1_000_000).text)

    def test_read_only_sessions(self):
        container = self.serve(site=engine.HERE / "www", options=["--read-only", "--tmpfs", "/tmp"])
        cookie = container.get("/session.php").header("Set-Cookie").split(";")[0]
        self.assertEqual("2", container.get("/session.php", {"Cookie": cookie}).text)

    def test_sixty_four_megabytes(self):
        container = self.serve(options=["--memory", "64m", "--memory-swap", "64m"])
        self.assertIn("with 1 worker (half of 64 MiB (cgroup limit)", container.stderr())
        load = Load(container, "/env.php", clients=8, total=200)
        self.assertEqual({200: 200}, load.join())
        self.assertFalse(container.state["OOMKilled"])
        self.assertEqual(1, container.stderr().count("] init 1: serving"), "a process was started again")

    def test_half_a_cpu_is_one_thread(self):
        container = self.serve(options=["--cpus", "0.5"])
        self.assertIn(", 1 thread,", container.stderr())
        self.assertIn("8 for each of 1 CPU", container.stderr())
        self.check(container)

    def test_behind_another_init(self):
        container = self.serve(options=["--init"])
        self.check(container)
        container.kill("TERM")
        self.assertEqual(0, container.wait())

    def test_not_as_the_first_process(self):
        container = self.serve(options=["--pid", "host"])
        self.assertNotIn("init 1:", container.stderr())
        self.check(container)
        left = processes.descendants(container.pid)
        container.kill("TERM")
        self.assertEqual(0, container.wait())
        self.assertEqual([], [pid for pid in left if processes.alive(pid)])
