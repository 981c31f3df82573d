"""Memory is bounded, whatever clients do: 2000 that mean harm, and one that does not."""
import resource
import selectors
import socket
import time

import client
import harness
import processes

HOSTILE = 2000
# What 2000 hostile connections may add to the server process: 16 KiB each and 16 MiB for all of them.
BOUND_KIB = HOSTILE * 16 + 16 * 1024


def pss_kib(pid):
    for line in processes.read(pid, "smaps_rollup").decode().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise AssertionError(f"no PSS of {pid}")


class Crowd:
    """Many connections, none of which ever reads its answer; each sends what its script yields."""

    def __init__(self, address):
        self.address = address
        self.selector = selectors.DefaultSelector()
        self.open = 0

    def add(self, script):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(self.address)
        connection.setblocking(False)
        self.selector.register(connection, selectors.EVENT_WRITE, [script, b""])
        self.open += 1

    def _drop(self, connection):
        self.selector.unregister(connection)
        connection.close()
        self.open -= 1

    def step(self):
        """Everybody sends what there is room for; those who have said everything stay and wait."""
        for key, _ in self.selector.select(0):
            state = key.data
            try:
                state[1] = state[1] or next(state[0], b"")
                sent = key.fileobj.send(state[1]) if state[1] else 0
                state[1] = state[1][sent:]
            except BlockingIOError:
                continue
            except OSError:
                self._drop(key.fileobj)  # the server has had enough of it

    def close(self):
        if waiting := self.selector.get_map():
            for key in list(waiting.values()):
                self._drop(key.fileobj)
            self.selector.close()


def once(data):
    yield data


def slow_head():
    yield b"GET /a.txt HTTP/1.1\r\nHost: x\r\n"
    for number in range(100):
        yield b"X-%d: %s\r\n" % (number, b"v" * 50)


def half_chunk():
    yield b"POST /inp.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + b"x" * 2000


def endless_trailers():
    yield b"POST /inp.php HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
    for number in range(250):
        yield b"X-%d: %s\r\n" % (number, b"t" * 50)


class Memory(harness.TestCase):
    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = HOSTILE * 2 + 1000
        if hard != resource.RLIM_INFINITY and hard < wanted:
            self.skipTest(f"at most {hard} open files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))

    def test_two_thousand_hostile_connections_are_bounded_and_others_answered(self):
        (self.root / "huge.bin").touch()
        with open(self.root / "huge.bin", "r+b") as file:
            file.truncate(50_000_000)
        server = self.serve("--php-workers", "2", "--access-log", "off", "--php-spool", "64M")
        pid = server.server_pid()
        normal = server.connect()
        for target in ("/a.txt", "/inp.php"):
            self.assertEqual(200, normal.get(target).status)
        before = highest = pss_kib(pid)
        kinds = [slow_head, half_chunk, endless_trailers,
                 lambda: once(client.format_request("GET", "/bytes.php?n=50000000")),
                 lambda: once(client.format_request("GET", "/huge.bin"))]
        crowd = Crowd(server.address)
        self.addCleanup(crowd.close)
        times = []
        for number in range(HOSTILE):
            crowd.add(kinds[number % len(kinds)]())
            if number % 20 == 0:
                crowd.step()
        for turn in range(300):
            crowd.step()
            began = time.monotonic()
            self.assertEqual(b"static text\n", normal.get("/a.txt").body)
            times.append(time.monotonic() - began)
            if turn % 20 == 0:
                highest = max(highest, pss_kib(pid))
        self.assertGreater(crowd.open, HOSTILE // 2, "they are still there")
        times.sort()
        print(f"PSS {before} KiB, with {HOSTILE} hostile connections {highest} KiB, "
              f"p99 {times[-len(times) // 100] * 1000:.1f} ms")
        if not harness.SANITIZED:
            self.assertLess(highest - before, BOUND_KIB)
        crowd.close()
        self.assertEqual(200, server.get("/a.txt").status)
