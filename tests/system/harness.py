"""What every system test starts from: a temporary site, a server on it, proof that nothing is left."""
import ctypes
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import client
import processes
from php_fpm import PhpFpm
from server import PATIENCE, Server, binary

HERE = pathlib.Path(__file__).resolve().parent
AS_ROOT = os.geteuid() == 0
SANITIZED = "ASAN_OPTIONS" in os.environ

os.umask(0o022)
# Orphans of what a test starts come to us, so that they can be seen and ended.
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


class TestCase(unittest.TestCase):
    """self.root: the site, a copy of www/ with the files of cases.md; self.state: where scripts may write."""

    maxDiff = None

    def setUp(self):
        self.temp = pathlib.Path(tempfile.mkdtemp(prefix="httpd-test-"))
        self.addCleanup(shutil.rmtree, self.temp, ignore_errors=True)
        self.addCleanup(self._check_reports)
        self.addCleanup(self._check_left_behind)
        self.temp.chmod(0o755)
        self.root = self.temp / "site"
        make_site(self.root)
        self.state, self.reports = self.temp / "state", self.temp / "reports"
        for folder in (self.state, self.reports):
            folder.mkdir()
            folder.chmod(0o1777)

    def has_failed(self):
        result = self._outcome.result
        failed = [test for test, _ in result.failures + result.errors]
        return any(self in (test, getattr(test, "test_case", None)) for test in failed)  # subtests too

    def environment(self, more=None):
        """Ours without HTTPD_*, with sanitizer reports in files, so that no process hides one."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("HTTPD_")}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in env or SANITIZED:
                env[name] = ":".join(filter(None,
                                            [env.get(name), f"log_path={self.reports}/{name[:4].lower()}"]))
        env.update(more or {})
        return env

    def _check_reports(self):
        reports = sorted(self.reports.iterdir()) if self.reports.exists() else []
        self.assertEqual("", "\n".join(p.read_text("utf-8", "replace") for p in reports),
                         "a sanitizer report")

    def _check_left_behind(self):
        """Orphans were given to us; what still runs is a fault, and is ended."""
        left = []
        for pid in processes.children(os.getpid()):
            if processes.alive(pid) and not self._ends_soon(pid):
                left.append(f"{pid} {processes.command(pid)}")
                os.kill(pid, signal.SIGKILL)
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass
        self.assertEqual([], left, "processes were left behind")

    @staticmethod
    def _ends_soon(pid):
        end = time.monotonic() + 5
        while processes.alive(pid) and time.monotonic() < end:
            time.sleep(0.01)
        return not processes.alive(pid)

    # Starting servers.

    def start(self, *options, **keywords):
        """The server with exactly these options."""
        return Server(self, options, **keywords)

    def serve(self, *options, php="supervised", root=None, listen="127.0.0.1:0", **keywords):
        """The server on our site. php: "supervised" (4 workers), "none", or an external PhpFpm or address."""
        listen = [part for address in ([listen] if isinstance(listen, str) else listen)
                  for part in ("-s", address)]
        if php == "supervised":
            backend = ["--php-value", "output_buffering=0"]
            if not any(str(o).startswith("--php-workers") for o in options):
                backend += ["--php-workers", "4"]
        elif php == "none":
            backend = ["--php-fpm", "none"]
        else:
            backend = ["--php", getattr(php, "address", php)]
        return self.start("-d", root or self.root, *listen, *backend, *options,
                          **keywords).wait_until_serving()

    def serve_static(self, *options, **keywords):
        return self.serve(*options, php="none", **keywords)

    def copy_of_binary(self):
        """Where any user can run it; the clone may be closed to others."""
        copy = self.temp / "httpd-php-fpm"
        shutil.copy(binary(), copy)
        copy.chmod(0o755)
        return str(copy)

    def php_fpm(self, **keywords):
        return PhpFpm(self, **keywords)

    def run_binary(self, *options, env=None, prefix=(), cwd=None, executable=None):
        """Runs it to its end; for what answers or refuses at once."""
        return subprocess.run([*prefix, executable or binary(), *map(str, options)], stdin=subprocess.DEVNULL,
                              capture_output=True, env=self.environment(env), cwd=cwd or self.temp,
                              timeout=PATIENCE, text=True, errors="backslashreplace")

    def assert_one_answer(self, server, data, statuses):
        """What is wrong gets one of the statuses and a close; the good request behind it is not answered."""
        with server.connect() as connection:
            connection.send(data.encode("latin-1"))
            try:
                connection.send(client.format_request("GET", "/a.txt"))
            except (BrokenPipeError, ConnectionResetError):
                pass
            reply = connection.read_reply()
            self.assertIn(reply.status, statuses, data)
            self.assertTrue(reply.closes)
            self.assertTrue(connection.ended(), f"the second request was answered after {data!r}")

    def refused(self, *options, says=(), status=2, **keywords):
        """An option that makes no sense: the exit status and one line that holds all of `says`."""
        result = self.run_binary(*options, **keywords)
        self.assertEqual(status, result.returncode, f"{options}: {result}")
        self.assertEqual("", result.stdout)
        self.assertEqual(1, result.stderr.count("\n"), f"not one line: {result.stderr!r}")
        for part in says:
            self.assertIn(str(part), result.stderr)
        return result.stderr

    # Checking.

    def assert_file(self, name, content="."):
        path = self.state / name
        processes.wait_for(lambda: path.exists() and path.read_text() == content,
                           f"{name} to hold {content!r}")

    def count(self, name="count"):
        path = self.state / name
        return len(path.read_text()) if path.exists() else 0

    def wait_until_inside(self, name, count=1):
        """Until that many gate.php?f=NAME are running."""
        processes.wait_for(lambda: self.count(f"in-{name}") >= count, f"{count} scripts inside {name}")

    def open_gate(self, name):
        (self.state / f"open-{name}").touch()


def make_site(root):
    shutil.copytree(HERE / "www", root)
    (root / "dir").mkdir()
    (root / "empty").mkdir()
    (root / "a.txt").write_bytes(b"static text\n")
    (root / "k.bin").write_bytes(bytes(i % 256 for i in range(1000)))
    (root / "dir" / "index.html").write_bytes(b"<p>index of dir\n")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def on_every_php(method):
    """Runs a test with our own php-fpm, and with an external one on a Unix socket and on TCP."""
    @functools.wraps(method)
    def run(self):
        for kind in ("supervised", "unix", "tcp"):
            with self.subTest(php=kind):
                php = kind if kind == "supervised" else self.php_fpm(listen=kind)
                method(self, self.serve(php=php))
    return run


def needs_root(method):
    return unittest.skipUnless(AS_ROOT, "needs root")(method)


def variables(reply):
    """What env.php or index.php was told."""
    if reply.status != 200:
        raise AssertionError(repr(reply))
    return json.loads(reply.body)
