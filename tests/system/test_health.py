"""The health answer and the client of it."""
import signal
import socket
import threading
import time

import client
import harness
import processes

PATH = "/.httpd/health"


class Health(harness.TestCase):
    def test_it_is_200_when_all_can_answer(self):
        for server in (self.serve(), self.serve_static(), self.serve(php=self.php_fpm())):
            processes.wait_for(lambda: server.get(PATH).status == 200, "health to be good")
            self.assertEqual(200, server.request("HEAD", PATH).status)
            with server.connect() as connection:
                connection.send(f"GET {PATH} HTTP/1.0\r\n\r\n")
                self.assertEqual(200, connection.read_reply().status)

    def test_it_is_503_while_draining(self):
        server = self.serve()
        busy, asking = server.connect(), server.connect()
        busy.send(client.format_request("GET", "/gate.php?f=g"))
        self.wait_until_inside("g")
        self.assertEqual(200, asking.get(PATH).status)
        asking.send(f"GET {PATH} HTTP/1.1\r\nHost: x\r\n")  # a request that has begun is finished
        server.send_signal(signal.SIGTERM)
        server.wait_until_refusing()
        asking.send("\r\n")
        try:
            self.assertEqual(503, asking.read_reply().status)
        except client.Incomplete:
            pass  # closed as idle before the request was complete
        self.open_gate("g")
        self.assertEqual("through", busy.read_reply().text)
        server.expect_end(0)

    def test_its_path_can_be_another(self):
        server = self.serve_static("--health-path", "/up")
        self.assertEqual(200, server.get("/up").status)
        self.assertIn(server.get(PATH).status, (403, 404))


class Client(harness.TestCase):
    def test_health_exits_0_or_1(self):
        server = self.serve_static()
        url = f"http://127.0.0.1:{server.port}{PATH}"
        good = self.run_binary("health", url)
        self.assertEqual(0, good.returncode, good.stderr)
        self.assertEqual(1, self.run_binary("health", url + "/nothing").returncode)
        server.stop()
        gone = self.run_binary("health", url)
        self.assertEqual((1, 1), (gone.returncode, gone.stderr.count("\n")), gone.stderr)

    def test_health_waits_three_seconds_for_who_says_nothing_or_never_ends(self):
        for path in (None, self.temp / "silent.sock"):
            with socket.socket(socket.AF_UNIX if path else socket.AF_INET) as listening:
                listening.bind(str(path) if path else ("127.0.0.1", 0))
                listening.listen(1)
                url = f"unix:{path}:/" if path else f"http://127.0.0.1:{listening.getsockname()[1]}/"
                result = self.run_binary("health", url)
                self.assertEqual(1, result.returncode)
                self.assertIn("no answer within 3 s", result.stderr)

                def dribble():
                    with listening.accept()[0], listening.accept()[0] as accepted:
                        for _ in range(1000):
                            try:
                                accepted.send(b"H")
                            except OSError:
                                return
                            time.sleep(0.1)
                thread = threading.Thread(target=dribble)
                thread.start()
                self.assertEqual(1, self.run_binary("health", url).returncode)
                thread.join()

    def test_health_finds_the_server_by_the_environment(self):
        server = self.serve_static()
        good = self.run_binary("health", env={"HTTPD_SERVE": f"127.0.0.1:{server.port}"})
        self.assertEqual(0, good.returncode, good.stderr)

    @harness.needs_root
    def test_health_in_a_container_finds_the_server_by_the_flags_of_its_first_process(self):
        server = self.serve_static("--health-path", "/up", listen=f"unix:{self.temp}/s",
                                   prefix=["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"])
        inside = ["nsenter", f"--target={server.init_pid}", "--pid", "--mount"]
        # A wrong address in the environment, as of an image that a flag overrules.
        env = {"HTTPD_SERVE": "127.0.0.1:1"}
        good = self.run_binary("health", prefix=inside, env=env)
        self.assertEqual(0, good.returncode, good.stderr)
        self.assertEqual(1, self.run_binary("health", "-s", "127.0.0.1:1", prefix=inside).returncode)

    def test_a_bad_url_is_refused(self):
        self.refused("health", "ftp://x/", says=["ftp://x/"], status=1)  # 2 means something else to Docker
