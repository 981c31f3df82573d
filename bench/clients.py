"""The load: wrk for closed loops, vegeta for open ones, and a client of our own that gives up on nobody."""
import asyncio
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
GO_VEGETA = "github.com/tsenart/vegeta/v12@v12.13.0"


def wrk(port, path, connections, seconds, arguments=(), close=False):
    """One client thread; latencies in milliseconds."""
    header = ["-H", "Connection: close"] if close else []
    result = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", *header, "-s", HERE / "wrk.lua",
         f"http://127.0.0.1:{port}{path}", "--", *map(str, arguments)],
        capture_output=True, text=True, timeout=seconds + 120, check=True)
    found = json.loads(result.stdout.splitlines()[-1])
    for name in ("p50", "p95", "p99"):
        found[name] /= 1000
    return found


def ab(port, path, requests, clients):
    result = subprocess.run(["ab", "-q", "-n", str(requests), "-c", str(clients), f"http://127.0.0.1:{port}{path}"],
                            capture_output=True, text=True, timeout=300)
    if result.returncode:
        return {"requests": 0, "seconds": 1, "errors": requests}

    def number(pattern):
        found = re.search(pattern, result.stdout)
        return float(found[1]) if found else 0.0
    errors = number(r"Failed requests:\s+(\d+)") + number(r"Non-2xx responses:\s+(\d+)")
    return {"requests": int(number(r"Complete requests:\s+(\d+)")), "errors": int(errors),
            "seconds": number(r"Time taken for tests:\s+([\d.]+)"), "p50": number(r"\n\s+50%\s+(\d+)"),
            "p95": number(r"\n\s+95%\s+(\d+)"), "p99": number(r"\n\s+99%\s+(\d+)")}


def find_vegeta(build):
    """The installed one, or one built by Go into build-bench; None without both."""
    if found := shutil.which("vegeta"):
        return found
    if not (build / "vegeta").exists() and shutil.which("go"):
        subprocess.run(["go", "install", GO_VEGETA], check=False, env={**os.environ, "GOBIN": str(build)})
    return str(build / "vegeta") if (build / "vegeta").exists() else None


def vegeta(program, url, rate, seconds):
    """An open loop: requests leave at their time, whatever the server does."""
    attack = subprocess.run([program, "attack", f"-rate={rate}", f"-duration={seconds}s", "-timeout=60s"],
                            input=f"GET {url}\n".encode(), capture_output=True, timeout=seconds + 120, check=True)
    report = subprocess.run([program, "report", "-type=json"], input=attack.stdout, capture_output=True, check=True)
    found = json.loads(report.stdout)
    latency, codes = found["latencies"], found["status_codes"]
    return {"requests": found["requests"], "errors": found["requests"] - codes.get("200", 0),
            "seconds": seconds, **{name: latency[key] / 1e6 for name, key in
                                   (("p50", "50th"), ("p95", "95th"), ("p99", "99th"))}}


class Patient:
    """`clients` that each ask again and again on connections of their own until `total` requests are begun.
    Every answer is waited for, so what is never answered and who is served least can be seen."""

    def __init__(self, port, path, clients, total):
        self.port, self.path, self.clients, self.left = port, path, clients, total
        self.latencies, self.statuses, self.served = [], {}, [0] * clients

    async def _one(self, number):
        while self.left > 0:
            self.left -= 1
            start = time.monotonic()
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                answer = await asyncio.wait_for(reader.read(), 120)
                writer.close()
                status = answer[9:12].decode("latin-1") or "closed"
            except OSError as error:
                status = type(error).__name__
            except asyncio.TimeoutError:
                status = "never"
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status == "200":
                self.latencies.append(time.monotonic() - start)
                self.served[number] += 1

    async def _all(self):
        await asyncio.gather(*(self._one(number) for number in range(self.clients)))

    def run(self):
        start, total = time.monotonic(), self.left
        asyncio.run(self._all())
        ordered = sorted(self.latencies) or [0]
        good = self.statuses.get("200", 0)
        return {"requests": total, "errors": total - good, "seconds": time.monotonic() - start,
                "statuses": self.statuses, "least": min(self.served),
                **{f"p{p}": 1000 * ordered[min(len(ordered) - 1, len(ordered) * p // 100)] for p in (50, 95, 99)}}
