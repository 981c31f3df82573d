"""PID 1: orphans, zombies, exit statuses, signals, logs."""
import re

import engine
from engine import PHP, TestCase, docker
from load import Load
import client
import processes


class Process(TestCase):
    def test_orphans_are_reaped(self):
        container = self.serve(site=engine.HERE / "www", options=["-e", "HTTPD_PHP_WORKERS=2"])
        for _ in range(5):
            self.assertEqual(502, container.get("/orphan.php").status)

        def tidy():
            left = processes.descendants(container.pid)
            return all(processes.alive(pid) for pid in left) and not any(
                " health " in processes.command(pid) for pid in left)
        processes.wait_for(tidy, "orphans and zombies to be gone", engine.PATIENCE)
        self.assertEqual(200, container.get("/loaded.php").status)

    def test_exit_statuses(self):
        for status, says, *arguments in (
                (127, "--php-fpm", "--php-fpm", "/no/such"), (126, "--php-fpm", "--php-fpm", "/etc/passwd"),
                (2, "--threads", "--threads", "0"), (2, "--document-root", "-d", "/no/such"),
                (2, "--nonsense", "--nonsense")):
            with self.subTest(arguments=arguments):
                result = self.run_to_end(PHP, *arguments)
                self.assertEqual(status, result.returncode, result.stderr)
                self.assertIn(says, result.stderr)
                self.assertEqual(1, result.stderr.count("\n"))

    def test_a_php_fpm_that_cannot_start_ends_the_container_with_its_status(self):
        # The server itself in the place of php-fpm: it refuses php-fpm's options with status 2.
        result = self.run_to_end(PHP, "--php-fpm", engine.PROGRAM)
        self.assertEqual(2, result.returncode, result.stderr)

    def test_kill_9_of_php_fpm_is_repaired(self):
        container = self.serve()
        master = next(pid for pid in processes.children(container.pid) if processes.is_php_fpm(pid))
        docker("run", "--rm", "--pid", f"container:{container.id}", "--user", "0", "--entrypoint", "php",
               engine.DEV, "-r", "foreach (glob('/proc/[0-9]*/cmdline') as $f) if (str_starts_with("
               "file_get_contents($f), 'php-fpm: master')) posix_kill((int) explode('/', $f)[2], 9);")
        processes.wait_for(lambda: not processes.alive(master), "the master to be gone", engine.PATIENCE)
        self.assertEqual(200, container.get("/env.php").status)

    def test_term_answers_what_runs_and_ends_with_0(self):
        container = self.serve(port=0, options=["-e", "HTTPD_PHP_WORKERS=8", "-e", "HTTPD_GRACE=100s"])
        head = {"Expect": "100-continue", "Content-Length": "1"}
        connections = [client.Connection(container.address, timeout=100) for _ in range(24)]
        for connection in connections:  # 8 will run and 16 will wait: three seconds of work
            self.addCleanup(connection.close)
            connection.send(client.format_request("POST", "/sleep.php?s=1", head))
        for connection in connections:  # the server has each request, and its answer is to come
            self.assertEqual(100, connection.read_head().status)
            connection.send("x")
        container.kill("TERM")
        self.assertEqual([200] * 24, [connection.read_reply().status for connection in connections])
        self.assertEqual(0, container.wait())

    def test_docker_stop_under_load_loses_no_request(self):
        container = self.serve(port=0, options=["-e", "HTTPD_PHP_WORKERS=4", "-e", "HTTPD_GRACE=100s"])
        load = Load(container, "/sleep.php?s=0.05", clients=20)
        processes.wait_for(lambda: load.answers() > 40, "load", engine.PATIENCE)
        docker("stop", "-t", "110", container.id)
        answered = load.stop().get(200, 0)
        self.assertEqual(0, container.state["ExitCode"])

        # Every request that the server took is in its log, and was answered in full.
        def lines():
            return [line for line in container.stdout().splitlines() if "/sleep.php" in line]
        processes.wait_for(lambda: len(lines()) >= answered, "the log", engine.PATIENCE)
        self.assertEqual(answered, len(lines()))
        self.assertEqual([], [line for line in lines() if '" 200 ' not in line])

    def test_hup_reloads_without_losing_anything(self):
        container = self.serve(port=0, options=["-e", "HTTPD_PHP_WORKERS=4"])
        load = Load(container, "/sleep.php?s=0.02", clients=8)
        for count in range(1, 4):
            container.kill("HUP")
            processes.wait_for(lambda: container.stderr().count("reloading") >= count, "the reload",
                               engine.PATIENCE)
            before = load.answers()
            processes.wait_for(lambda: load.answers() > before + 50, "answers after the reload",
                               engine.PATIENCE)
        results = load.stop()
        self.assertEqual([200], list(results), results)

    def test_a_second_term_ends_at_once(self):
        container = self.serve(port=0, site=engine.HERE / "www", options=["-e", "HTTPD_GRACE=1000s"])
        with client.Connection(container.address) as connection:
            connection.send(client.format_request("GET", "/hold.php"))
            connection.read_until(b"\r\n\r\n")
            container.kill("TERM")
            container.wait_for_log("stopping on signal 15")

            def ended():  # two signals within a moment count as one
                container.kill("TERM", check=False)
                return not container.state["Running"]
            processes.wait_for(ended, "the end, long before that of the script", engine.PATIENCE)
        self.assertEqual(128 + 15, container.state["ExitCode"])

    def test_access_lines_on_stdout_and_the_rest_on_stderr(self):
        container = self.serve()
        container.get("/err.php?n=3000")
        container.wait_for_log("a line to stderr")
        container.wait_for_log("E" * 3000)
        for line in processes.wait_for(lambda: container.stdout().splitlines(), "access lines", engine.PATIENCE):
            self.assertRegex(line, r'^[0-9a-f.:]+ - - \[.*\] "GET /\S* HTTP/1\.1" \d{3} ')
        self.assertRegex(container.stderr(), re.compile(r"^\S+ \S+ \[notice\] init 1: serving ", re.M))
        self.assertNotIn("HTTP/1.1", container.stderr())
