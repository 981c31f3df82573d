"""The clients of a soak: closed loops of random requests, every answer compared byte for byte."""
import hashlib
import random
import threading
import time

import client

LOST = (client.Incomplete, OSError)  # the connection ended; anything else is a wrong answer


class Wrong(Exception):
    """An answer that is not what it must be."""


def expect(reply, status, body):
    if reply.status != status:
        raise Wrong(f"status {reply.status} instead of {status}: {reply.body[:100]!r}")
    if reply.body != body:
        raise Wrong(f"{len(reply.body)} bytes that differ from the {len(body)} expected")


class Client(client.Connection):
    """Knows how many answers it had, and whether the last one ends the connection."""

    def __init__(self, *arguments, **keywords):
        self.opened = time.monotonic()
        self.answers, self.closes = 0, False
        super().__init__(*arguments, **keywords)

    def read_reply(self, method="GET"):
        reply = super().read_reply(method)
        self.answers += 1
        self.closes = reply.closes
        return reply


class Site:
    """What the files and scripts of the site answer."""

    def __init__(self, root):
        self.small = (root / "k.bin").read_bytes()
        self.large = random.Random(1).randbytes(3_000_000)
        (root / "large.bin").write_bytes(self.large)
        self.block = bytes(range(251)) * 40_000  # bytes.php


class Kinds:
    """Each method is one kind of traffic: takes a connection, returns whether it can be used again."""

    def __init__(self, site):
        self.site = site

    def small_file(self, connection, rng):
        expect(connection.get("/k.bin"), 200, self.site.small)
        return True

    def part_of_a_file(self, connection, rng):
        first = rng.randrange(len(self.site.large))
        last = min(first + rng.randrange(1, 300_000), len(self.site.large)) - 1
        reply = connection.get("/large.bin", {"Range": f"bytes={first}-{max(first, last)}"})
        expect(reply, 206, self.site.large[first:max(first, last) + 1])
        return True

    def large_file(self, connection, rng):
        expect(connection.get("/large.bin"), 200, self.site.large)
        return True

    def unchanged_file(self, connection, rng):
        etag = connection.request("HEAD", "/k.bin").header("ETag")
        if connection.closes:  # a server that drains answers no more
            return False
        expect(connection.get("/k.bin", {"If-None-Match": etag}), 304, b"")
        return True

    def missing_file(self, connection, rng):
        if connection.get("/dir/missing.txt/x").status != 200:  # the front controller
            raise Wrong("the front controller did not answer")
        return True

    def script(self, connection, rng):
        size = rng.choice((0, 1, 1000, 70_000, 400_000))
        expect(connection.get(f"/bytes.php?n={size}"), 200, self.site.block[:size])
        return True

    def slow_script(self, connection, rng):
        expect(connection.get(f"/sleep.php?s={rng.random() / 2:.3f}"), 200, b"ok")
        return True

    def upload(self, connection, rng):
        body = rng.randbytes(rng.choice((0, 1, 3000, 65_536, 65_537, 500_000)))
        expect(connection.request("POST", "/echo.php", body=body), 200, body)
        return True

    def chunked_upload(self, connection, rng):
        body = rng.randbytes(rng.randrange(200_000))
        connection.send(client.format_request("POST", "/echo.php", {"Transfer-Encoding": "chunked"}))
        connection.send(client.chunked(body, 9_973))
        expect(connection.read_reply(), 200, body)
        return True

    def form(self, connection, rng):
        content = rng.randbytes(rng.randrange(150_000)).replace(b"\r\n--cut", b"")
        body = (b'--cut\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n' + content
                + b"\r\n--cut--\r\n")
        reply = connection.request("POST", "/form.php",
                                   {"Content-Type": "multipart/form-data; boundary=cut"}, body)
        if reply.status != 200 or hashlib.md5(content).hexdigest() not in reply.text:
            raise Wrong(f"a form was not understood: {reply!r}")
        return True

    def events(self, connection, rng):
        expect(connection.get("/sse.php"), 200, b"".join(b"data: %d\n\n" % i for i in range(1, 5)))
        return True

    def pipeline(self, connection, rng):
        connection.send(b"".join(client.format_request("GET", target)
                                 for target in ("/a.txt", "/bytes.php?n=300", "/k.bin")))
        for body in (b"static text\n", self.site.block[:300], self.site.small):
            expect(connection.read_reply(), 200, body)
            if connection.closes:
                return False
        return True

    # Clients that leave. What came before has to be right.

    def leaves_in_an_answer(self, connection, rng):
        connection.send(client.format_request("GET", rng.choice(("/large.bin", "/bytes.php?n=2000000"))))
        if connection.read_head().status != 200:
            raise Wrong("not 200")
        self.leave(connection, rng)

    def leaves_in_an_upload(self, connection, rng):
        connection.send(client.format_request("POST", "/echo.php", {"Content-Length": 200_000})
                        + rng.randbytes(rng.randrange(100_000)))
        self.leave(connection, rng)

    def leaves_a_script(self, connection, rng):
        connection.send(client.format_request("GET", "/sleep.php?s=0.2"))
        self.leave(connection, rng)

    def leaves_a_head(self, connection, rng):
        connection.send(b"GET /a.txt HTTP/1.1\r\nHost: "[:rng.randrange(1, 28)])
        self.leave(connection, rng)

    @staticmethod
    def leave(connection, rng):
        connection.reset() if rng.random() < 0.5 else connection.close()


WEIGHTS = {"small_file": 30, "part_of_a_file": 8, "large_file": 2, "unchanged_file": 8, "missing_file": 4,
           "script": 14, "slow_script": 3, "upload": 8, "chunked_upload": 4, "form": 4, "events": 1,
           "pipeline": 5, "leaves_in_an_answer": 2, "leaves_in_an_upload": 2, "leaves_a_script": 2,
           "leaves_a_head": 2}


class Traffic:
    """`clients` threads until stop(), each with at most `most` requests and a pause after each.

    kills: (began, ended) of every kill of a server process, as time.monotonic(). Who was connected when it
    began and lost the connection is excused; so is one whose kept connection was closed before a byte of
    the answer, once, as any client tries again then."""

    def __init__(self, address, site, clients, seed, pause, most, kills):
        self.address, self.kinds, self.pause, self.most, self.kills = address, Kinds(site), pause, most, kills
        self.done = dict.fromkeys(WEIGHTS, 0)
        self.failed, self.excused, self.again = {}, 0, 0
        self.examples = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(random.Random(f"{seed}-{i}"),), daemon=True)
                         for i in range(clients)]
        for thread in self._threads:
            thread.start()

    def _run(self, rng):
        kept = None
        for _ in range(self.most):
            if self._stopped.wait(self.pause * 2 * rng.random()):
                break
            name = rng.choices(list(WEIGHTS), WEIGHTS.values())[0]
            kept = self._one(name, rng, kept)
            if kept and rng.random() < 0.1:
                kept.close()
                kept = None
        if kept:
            kept.close()

    def _one(self, name, rng, kept):
        """One request, or a second time on a new connection. The connection when it can be used again."""
        state = rng.getstate()
        for connection in (kept, None) if kept else (None, None):
            rng.setstate(state)
            began = connection.opened if connection else time.monotonic()
            try:
                connection = connection or Client(self.address, timeout=60)
                again = getattr(self.kinds, name)(connection, rng)
                self._count(name)
                if again and not connection.closes:
                    return connection
                connection.close()
                return None
            except LOST as error:
                if not self._may_try_again(name, connection, began, error):
                    return None
            except (Wrong, AssertionError) as error:
                connection.close()
                self._fail(name, error)
                return None
        self._fail(name, "closed twice before an answer")
        return None

    def _may_try_again(self, name, connection, began, error):
        if connection:
            connection.close()
        if self._was_killed(began):
            with self._lock:
                self.excused += 1
            return False
        if connection and connection.answers and not connection.buffer and not getattr(error, "reply", None):
            with self._lock:
                self.again += 1
            return True
        self._fail(name, error)
        return False

    def _was_killed(self, began):
        now = time.monotonic()
        return any(began <= end and start <= now <= end + 5 for start, end in list(self.kills))

    def _count(self, name):
        with self._lock:
            self.done[name] += 1

    def _fail(self, name, error):
        with self._lock:
            self.failed[name] = self.failed.get(name, 0) + 1
            if len(self.examples) < 20:
                why = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
                self.examples.append(f"{time.strftime('%H:%M:%S')} {name}: {why}")

    def total(self):
        with self._lock:
            return sum(self.done.values())

    def stop(self):
        self._stopped.set()
        self.join()

    def join(self):
        for thread in self._threads:
            thread.join(120)
            if thread.is_alive():
                raise AssertionError("a client hangs")
