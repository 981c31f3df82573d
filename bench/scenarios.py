"""What is measured. A scenario starts one server after the other, checks that it answers rightly, and returns figures:

rate    requests/s                       cpu    µs of CPU of the server's processes for each request
cpu_gb  ms of CPU for each GB sent       p50, p95, p99  ms
errors  requests without the right answer    least  answers that the worst served client got
pss     KiB of proportional memory           per    bytes for each idle connection     start  ms to the first answer"""
import dataclasses
import http.client
import resource
import socket
import statistics
import threading
import time
import typing

import clients
import peers
import sites

STATIC = ("ours", "nginx", "nginx+cache", "lighttpd", "h2o", "caddy", "apache")
PHP = ("ours", "nginx", "lighttpd", "h2o", "caddy", "apache")
FAST = ("ours", "nginx", "lighttpd", "h2o")


@dataclasses.dataclass(frozen=True)
class Scenario:
    title: str
    measure: typing.Callable  # (running, context) -> figures
    servers: tuple = STATIC
    php: dict = None  # of peers.php_fpm; None = no PHP
    wiki: bool = False
    # The promise: figure, "<=" or ">=", factor, and against whom ("peers" = the best of them, or a name).
    promises: tuple = ()


@dataclasses.dataclass
class Context:
    seconds: int
    scale: float  # of the scenarios that count requests
    vegeta: str
    php: peers.Php = None


def fetch(running, path, method="GET", body=None):
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    connection.request(method, path, body)
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply.status, content


def check(running, path, length=None, content=None, **request):
    """A wrong answer is no figure."""
    status, found = fetch(running, path, **request)
    if status != 200 or (length is not None and len(found) != length) or (content is not None and found != content):
        raise SystemExit(f"{running.process.args[0]}: {path} is answered {status} with {len(found)} bytes")


def with_cpu(running, load):
    before = running.cpu_seconds()
    figures = load()
    spent = running.cpu_seconds() - before
    if good := figures["requests"] - figures["errors"]:
        figures["cpu"] = 1e6 * spent / good
        figures["rate"] = good / figures["seconds"]
    if figures.get("bytes", 0) > 100_000 * good:
        figures["cpu_gb"] = 1000 * spent / (figures["bytes"] / 1e9)
    return figures


def closed(path, connections, arguments=(), close=False, **expected):
    def measure(running, context):
        check(running, path, **expected)
        clients.wrk(running.port, path, connections, 1, arguments, close)  # warm
        return with_cpu(running, lambda: clients.wrk(running.port, path, connections, context.seconds, arguments,
                                                     close))
    return measure


def open_loop(path, rate, seconds=None, **expected):
    def measure(running, context):
        check(running, path, **expected)
        url = f"http://127.0.0.1:{running.port}{path}"
        duration = seconds or context.seconds * 2
        return with_cpu(running, lambda: clients.vegeta(context.vegeta, url, rate, duration))
    return measure


def patient(path, count, total, **expected):
    def measure(running, context):
        check(running, path, **expected)
        whole = max(count, round(total * context.scale))
        return with_cpu(running, clients.Patient(running.port, path, count, whole).run)
    return measure


def apache_bench(path, requests, count):
    def measure(running, context):
        check(running, path)
        return with_cpu(running, lambda: clients.ab(running.port, path, round(requests * context.scale), count))
    return measure


def static_beside_overload(running, context):
    """Static p99 alone, then beside 300 clients of the slow script; `slower` is the ratio."""
    check(running, "/page.html", length=12812)
    alone = clients.wrk(running.port, "/page.html", 8, context.seconds)
    crowd = clients.Patient(running.port, "/slow.php", 300, 10**6)
    thread = threading.Thread(target=crowd.run)
    thread.start()
    time.sleep(0.5)  # until the queue is there
    try:
        beside = with_cpu(running, lambda: clients.wrk(running.port, "/page.html", 8, context.seconds))
    finally:
        crowd.left = 0
        thread.join(180)
    return {**beside, "p99_alone": alone["p99"], "slower": beside["p99"] / max(alone["p99"], 0.001)}


def idle_memory(running, context):
    fetch(running, "/1k.html")
    return {"pss": running.pss_kib(), "errors": 0}


def idle_connections(running, context):
    """Each connection had one answer; the second half is what is counted, when pools are filled already."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    count = min(10_000, min(hard, 65536) - 200)
    kept, at_half = [], 0
    try:
        for number in range(count):
            if number == count // 2:
                at_half = running.pss_kib()
            one = socket.create_connection(("127.0.0.1", running.port))
            one.sendall(b"GET /1k.html HTTP/1.1\r\nHost: localhost\r\n\r\n")
            read_answer(one)
            kept.append(one)
        return {"pss": running.pss_kib(), "per": 1024 * (running.pss_kib() - at_half) / (count - count // 2),
                "errors": 0}
    finally:
        for one in kept:
            one.close()


def read_answer(connection):
    """The head and the 1024 bytes after it."""
    data = b""
    while len(data.partition(b"\r\n\r\n")[2]) < 1024:
        data += connection.recv(65536) or b"\0" * 2048


def memory_under_load(running, context):
    figures = closed("/page.html", 1000)(running, context)
    return {**figures, "pss": running.pss_kib()}


def start_up(running, context):
    """Ten starts, each until the first whole answer."""
    times = []
    for _ in range(10):
        begin = time.monotonic()
        with peers.started(running.name, running.site, running.run.with_name("start")) as again:
            check(again, "/1k.html", length=1024)
            times.append(1000 * (time.monotonic() - begin))
    return {"start": statistics.median(times), "errors": 0}


def cpu_at_most(factor, figure="cpu", *more):
    return ((figure, "<=", factor, "peers"), *more)


UNIX, TCP = {"listen": "unix", "workers": 8}, {"listen": "tcp", "workers": 8}
HELLO = {"content": b"Hello, world"}
RAW = ("cpu", "<=", 1.3, "raw")

SCENARIOS = {
    "static-1k": Scenario("Static file of 1 KiB, 64 connections", closed("/1k.html", 64, length=1024),
                          promises=cpu_at_most(0.95)),
    "static-12k": Scenario("Static page of 12,812 bytes, 64 connections", closed("/page.html", 64, length=12812),
                           servers=(*STATIC, "raw"),
                           promises=cpu_at_most(0.95, "cpu", RAW, ("rate", ">=", 1.0, "peers"),
                                                ("rate", ">=", 1.2, "nginx"))),
    "static-10000": Scenario("10,000 files of 4 KiB, 64 connections",
                             closed("/many/0.html", 64, ("files", sites.MANY), length=4096),
                             promises=cpu_at_most(0.95)),
    "static-connect": Scenario("1 KiB, a connection for each request", closed("/1k.html", 64, close=True, length=1024),
                               promises=cpu_at_most(0.95)),
    "static-1m": Scenario("Static file of 1 MiB, 16 connections", closed("/1m.bin", 16, length=1 << 20),
                          promises=cpu_at_most(1.0, "cpu_gb")),
    "static-100m": Scenario("Static file of 100 MiB, 4 connections", closed("/100m.bin", 4, length=100 << 20),
                            promises=cpu_at_most(1.0, "cpu_gb")),
    "static-log": Scenario("12,812 bytes with an access log", closed("/page.html", 64, length=12812),
                           servers=("ours", "ours+log", "nginx+cache", "nginx+log"),
                           promises=(("cpu", "log", 1.05, "ours"),)),
    "static-open": Scenario("Open loop: 2000 requests/s of 12,812 bytes", open_loop("/page.html", 2000, length=12812),
                            promises=(("p95", "max", 2.0, "ms"),)),
    "php-unix-8": Scenario("PHP hello, Unix socket, 8 connections", closed("/hello.php", 8, **HELLO), PHP, UNIX,
                           promises=cpu_at_most(0.88, "cpu", ("rate", ">=", 1.05, "peers"))),
    "php-unix-64": Scenario("PHP hello, Unix socket, 64 connections", closed("/hello.php", 64, **HELLO), PHP, UNIX,
                            promises=cpu_at_most(0.93, "cpu", ("rate", ">=", 1.05, "peers"))),
    "php-tcp-8": Scenario("PHP hello, TCP, 8 connections", closed("/hello.php", 8, **HELLO), PHP, TCP,
                          promises=cpu_at_most(0.88, "cpu", ("rate", ">=", 1.05, "peers"))),
    "php-tcp-64": Scenario("PHP hello, TCP, 64 connections", closed("/hello.php", 64, **HELLO), PHP, TCP,
                           promises=cpu_at_most(0.93, "cpu", ("rate", ">=", 1.05, "peers"))),
    "php-100k": Scenario("100 KiB from PHP, 8 connections", closed("/100k.php", 8, length=102400), PHP, UNIX,
                         promises=cpu_at_most(0.9)),
    "post-1m": Scenario("POST of 1 MiB to PHP, 8 connections",
                        closed("/post.php", 8, ("post", 1 << 20), content=b"4", method="POST", body=b"1234"), PHP,
                        UNIX, promises=cpu_at_most(0.95)),
    "post-32m": Scenario("POST of 32 MiB to PHP, 2 connections",
                         closed("/post.php", 2, ("post", 32 << 20), content=b"4", method="POST", body=b"1234"), PHP,
                         UNIX),
    "php-open": Scenario("Open loop: 1000 requests/s of PHP hello", open_loop("/hello.php", 1000, **HELLO), PHP, UNIX,
                         promises=(("p95", "max", 5.0, "ms"),)),
    "static-beside": Scenario("Static page while PHP is overloaded, 8 connections", static_beside_overload, FAST,
                              {"workers": 8, "backlog": 128}, promises=(("slower", "max", 1.5, "x"),)),
    "idle-memory": Scenario("Memory at rest", idle_memory, promises=(("pss", "max", 2441, "KiB"),)),
    "idle-connections": Scenario("10,000 idle keep-alive connections", idle_connections,
                                 promises=(("per", "max", 1536, "bytes"),)),
    "memory-load": Scenario("Memory after a load of 1000 connections", memory_under_load),
    "start": Scenario("Start to the first answer", start_up),
    "ab-unix": Scenario("ab -n 10000 -c 100 at an empty script, Unix socket", apache_bench("/empty.php", 10000, 100),
                        PHP, UNIX),
    "ab-tcp": Scenario("ab -n 10000 -c 100 at an empty script, TCP", apache_bench("/empty.php", 10000, 100), PHP, TCP),
    "spread": Scenario("1000 requests spread over 30 s, each 50 ms of CPU, 25 workers",
                       open_loop("/cpu50.php", 33, seconds=30, content=b"ok"), FAST, {"workers": 25},
                       promises=(("errors", "max", 0, ""),)),
    "wiki": Scenario("DokuWiki's start page, 8 connections", closed("/doku.php", 8), (*PHP, "apache+mod_php"), UNIX,
                     wiki=True),
}
for backlog in (128, 511):
    for count in (300, 1000):
        SCENARIOS[f"overload-{backlog}-{count}"] = Scenario(
            f"Overload: 8 workers, 50 ms, backlog {backlog}, {count} clients",
            patient("/slow.php", count, 5000, content=b"ok"), FAST, {"workers": 8, "backlog": backlog},
            promises=(("errors", "max", 0, ""), ("p99", "max", 1.05 * count * 50 / 8, "ms")))
for count in (100, 200, 300):
    SCENARIOS[f"wiki-{count}"] = Scenario(
        f"DokuWiki, 50 workers, {count} clients, 1000 requests", patient("/doku.php", count, 1000), FAST,
        {"workers": 50}, wiki=True, promises=(("errors", "max", 0, ""),))
