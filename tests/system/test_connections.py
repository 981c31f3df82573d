"""--max-connections: exactly so many at once; what happens to the others, to health, and to those inside."""
import re
import subprocess
import sys

import harness
import processes
from load import Load
from server import Output


# A network of its own, in which 192.0.2.1 (RFC 5737) is somebody from outside.
OUTSIDE = 'ip link set lo up && ip address add 192.0.2.1/24 dev lo && exec "$0" "$@"'
# Holds all places by half a request each, and has many more of them in the queue.
FLOOD = """
import socket, sys, time
def connect():
    one = socket.create_connection(("192.0.2.1", 8080), 60)
    one.settimeout(60)
    return one
def say(text, many):
    held = [connect() for _ in range(many)]
    for one in held:
        one.send(text)
    return held
half = b"POST /inp.php HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 9\\r\\n\\r\\n"
held = say(half, 5) + say(half, 120)
print("holds all", flush=True)
"""
# Then asks, too.
ASKING = FLOOD + """
asked = b"GET /a.txt HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
print({int(one.recv(100).split()[1]) for one in say(asked, 100)}, flush=True)
sys.stdin.read()
"""
# Then lets two go every second, for half a minute, and takes their places.
LETTING_GO = FLOOD + """
for _ in range(60):
    held.pop(0).close()
    held += say(half, 1)
    time.sleep(0.5)
"""


class MaxConnections(harness.TestCase):
    """Connections that are busy are in gate.php: a test decides when they end."""

    def busy(self, server, count, name="busy"):
        connections = [server.connect() for _ in range(count)]
        for connection in connections:
            connection.send(f"GET /gate.php?f={name} HTTP/1.1\r\nHost: x\r\n\r\n")
        self.wait_until_inside(name, count)
        return connections

    def finish(self, connections, name="busy"):
        self.open_gate(name)
        for connection in connections:
            self.assertEqual("through", connection.read_reply().text)

    def serve_few(self, most, *options, **keywords):
        return self.serve("--max-connections", str(most), "--php-workers", "8", *options, **keywords)

    def test_below_and_at_the_limit_everybody_is_served(self):
        for threads in ("1", "2"):
            server = self.serve_few(5, "--threads", threads)
            name = f"busy{threads}"
            connections = self.busy(server, 4, name)
            fifth = server.connect()
            for _ in range(3):
                self.assertEqual(200, fifth.get("/a.txt").status)
            self.assertNotIn("--max-connections", server.stderr.text)
            self.finish(connections, name)

    def test_above_the_limit_nobody_comes_in_until_another_ends(self):
        server = self.serve_few(5)
        first, others = self.busy(server, 1, "first"), self.busy(server, 4)
        self.open_gate("next")
        with server.connect() as waiting:
            waiting.send("GET /gate.php?f=next HTTP/1.1\r\nHost: x\r\n\r\n")
            server.stderr.wait_for("all 5 connections of --max-connections are in use")
            self.assertEqual(503, waiting.read_reply().status, "after a while")
        self.assertEqual(0, self.count("in-next"))
        self.finish(first, "first")
        first[0].close()
        processes.wait_for(lambda: server.get("/gate.php?f=next").text == "through", "a place")
        self.finish(others)

    def test_health_is_answered_and_others_get_503_when_nobody_leaves(self):
        server = self.serve_few(5)
        connections = self.busy(server, 5)
        for _ in range(3):
            self.assertEqual(200, server.get("/.httpd/health").status)
            with server.connect() as connection:
                reply = connection.get("/a.txt")
                self.assertEqual((503, "1", True), (reply.status, reply.header("Retry-After"), reply.closes))
                self.assertTrue(connection.ended())
            self.assertEqual(503, server.post("/inp.php", b"abc").status)
            self.assertEqual(503, server.request("HEAD", "/a.txt").status)
        result = self.run_binary("health", "-s", f"127.0.0.1:{server.port}")
        self.assertEqual(0, result.returncode, result.stderr)
        self.finish(connections)
        for connection in connections:
            connection.close()
        processes.wait_for(lambda: server.get("/a.txt").status == 200, "a place")
        lines = [line for line in server.stderr.lines if "--max-connections" in line]
        self.assertLessEqual(len(lines), 12, "one line in ten seconds")

    def test_those_who_say_nothing_do_not_shut_out_who_asks_for_health(self):
        server = self.serve_few(5)
        connections = self.busy(server, 5)
        silent = [server.connect() for _ in range(40)]
        self.assertEqual(200, server.get("/.httpd/health").status)
        for connection in silent:
            connection.close()
        self.finish(connections)

    def flooded(self, script):
        """(the server, its network as a prefix, what the flood says); from outside."""
        server = self.serve_few(5, "--threads", "1", listen="0.0.0.0:8080",
                                prefix=["unshare", "--net", "sh", "-c", OUTSIDE])
        inside = ["nsenter", f"--net=/proc/{server.init_pid}/ns/net"]
        flooding = subprocess.Popen([*inside, sys.executable, "-c", script], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE)
        self.addCleanup(flooding.wait)
        self.addCleanup(flooding.kill)
        said = Output(flooding.stdout)
        said.wait_for("holds all")
        server.stderr.wait_for("--max-connections")
        return server, inside, said

    def assert_healthy(self, inside):
        for _ in range(3):
            result = self.run_binary("health", "-s", "127.0.0.1:8080", prefix=inside)
            self.assertEqual(0, result.returncode, result.stderr)

    @harness.needs_root
    def test_a_flood_from_outside_does_not_shut_out_this_machine(self):
        _, inside, said = self.flooded(ASKING)
        self.assert_healthy(inside)
        said.wait_for(r"\{503\}\n")

    @harness.needs_root
    def test_a_flood_that_lets_go_now_and_then_does_not_shut_out_this_machine(self):
        _, inside, _ = self.flooded(LETTING_GO)
        self.assert_healthy(inside)

    def test_idle_connections_make_room(self):
        for threads in ("1", "2"):
            server = self.serve_few(5, "--threads", threads)
            idle = [server.connect() for _ in range(5)]
            for connection in idle:
                self.assertEqual(200, connection.get("/a.txt").status)
            self.assertEqual({200: 30}, Load(server, "/a.txt", 3, 30, keep_alive=True).join())
            self.assertTrue(any(connection.ended() for connection in idle))

    def test_many_clients_for_few_places_are_all_served(self):
        server = self.serve_few(4)
        self.assertEqual({200: 200}, Load(server, "/inp.php", 30, 200).join())

    def test_waiting_burns_no_time(self):
        server = self.serve_few(2)
        connections = self.busy(server, 2)
        waiting = [server.connect() for _ in range(30)]
        server.stderr.wait_for("--max-connections")
        before = processes.cpu_seconds(server.server_pid())
        self.assertEqual(200, server.get("/.httpd/health").status)  # takes some seconds
        self.assertLess(processes.cpu_seconds(server.server_pid()) - before, 0.5 + 2 * harness.SANITIZED)
        for connection in waiting:
            connection.close()
        self.finish(connections)

    def test_a_limit_that_descriptors_do_not_allow_is_lowered_with_a_line(self):
        server = self.serve_static("--max-connections", "5000", "--threads", "1",
                                   prefix=["prlimit", "--nofile=256:256"])
        line = server.stderr.wait_for(r"--max-connections 5000: .*allows (\d+)")[0]
        self.assertLess(int(line[1]), 256)
        self.assertEqual(200, server.get("/a.txt").status)

    def test_files_and_uploads_have_descriptors_of_their_own(self):
        """All connections are uploads that are kept in files, and a large file is wanted all the same."""
        for number in range(80):
            (self.root / f"large{number}.bin").write_bytes(bytes(40_000))
        server = self.serve("--php-workers", "2", "--threads", "1", prefix=["prlimit", "--nofile=128:128"])
        for number in range(80):
            self.assertEqual(200, server.get(f"/large{number}.bin").status)
        uploads = [server.connect() for _ in range(40)]
        for upload in uploads:
            upload.send("POST /inp.php HTTP/1.1\r\nHost: x\r\nContent-Length: 200001\r\n\r\n" + "x" * 200_000)
        answered = 0
        for number in range(80):
            self.assertEqual(200, server.get(f"/large{number}.bin").status)
        for upload in uploads:
            upload.send("x")
            reply = upload.read_reply()
            self.assertIn(reply.status, (200, 503))
            answered += reply.status == 200
        self.assertGreater(answered, 5)
        self.assertFalse(re.search(r"cannot accept", server.stderr.text))
