"""The real binary under test: its output, its addresses, its processes, its end."""
import os
import pathlib
import pwd
import re
import signal
import subprocess
import sys
import threading

import client
import processes

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 60  # seconds; nothing that works comes near it
END_WITH_US = ["setpriv", "--pdeathsig", "TERM"]  # also when CTest kills a test that takes too long


def binary():
    if chosen := os.environ.get("HTTPD_BINARY"):
        return os.path.abspath(chosen)
    built = [p for p in TOP.glob("build*/httpd-php-fpm") if os.access(p, os.X_OK)]
    if not built:
        sys.exit("no server to test: set HTTPD_BINARY or build one")
    return str(max(built, key=lambda p: p.stat().st_mtime))


def as_user(name_or_number):
    """A command prefix that runs the rest as an unprivileged user."""
    if isinstance(name_or_number, int):
        return ["setpriv", f"--reuid={name_or_number}", f"--regid={name_or_number}", "--clear-groups"]
    entry = pwd.getpwnam(name_or_number)
    return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--init-groups"]


class Output:
    """Reads a pipe to its end in a thread, so that the writer never waits."""

    def __init__(self, pipe):
        self._pipe = pipe
        self._data = b""
        self._changed = threading.Condition()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while data := os.read(self._pipe.fileno(), 1 << 16):
            with self._changed:
                self._data += data
                self._changed.notify_all()
        self._pipe.close()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    @property
    def bytes(self):
        with self._changed:
            return self._data

    @property
    def text(self):
        return self.bytes.decode("utf-8", "backslashreplace")

    @property
    def lines(self):
        return self.text.splitlines()

    def wait_for(self, pattern, count=1, timeout=PATIENCE):
        """Waits until a pattern is there `count` times; returns all matches."""
        with self._changed:
            def enough():
                found = list(re.finditer(pattern, self._data.decode("utf-8", "backslashreplace")))
                return found if len(found) >= count else None
            if self._changed.wait_for(lambda: self._ended or enough(), timeout) and enough():
                return enough()
        raise AssertionError(f"{pattern!r} never came; there was:\n{self.text}")

    def wait_for_end(self, timeout=PATIENCE):
        with self._changed:
            return self._changed.wait_for(lambda: self._ended, timeout)


class Server:
    """The real binary with options, run until stop()."""

    def __init__(self, test, options, env=None, cwd=None, prefix=(), executable=None):
        self.test = test
        self.options = [str(option) for option in options]
        self.expected_status = 0
        self.process = subprocess.Popen(
            [*prefix, *END_WITH_US, executable or binary(), *self.options], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=test.environment(env), cwd=cwd or test.temp,
            start_new_session=True)
        self.stdout, self.stderr = Output(self.process.stdout), Output(self.process.stderr)
        self.finished = False
        test.addCleanup(self.finish)

    def wait_until_serving(self):
        """Learns the real addresses; init has bound them, so a connection waits at worst."""
        self.urls = self.stderr.wait_for(r"serving (\S.*)\n")[0][1].split()
        return self

    @property
    def address(self):
        return self.address_of(self.urls[0])

    @staticmethod
    def address_of(url):
        if url.startswith("unix:"):
            return url[len("unix:"):]
        host, port = re.fullmatch(r"http://(.*):(\d+)/?", url).groups()
        return host.strip("[]"), int(port)

    @property
    def port(self):
        return self.address[1]

    # Talking to it.

    def connect(self, **options):
        connection = client.Connection(self.address, **options)
        self.test.addCleanup(connection.close)
        return connection

    def request(self, method, target, headers=None, body=None):
        """One request on a connection of its own."""
        with client.Connection(self.address) as connection:
            return connection.request(method, target, headers, body)

    def get(self, target, headers=None):
        return self.request("GET", target, headers)

    def post(self, target, body, headers=None):
        return self.request("POST", target, headers, body)

    def raw(self, data):
        """Sends bytes, returns everything until the server closes."""
        with client.Connection(self.address) as connection:
            connection.send(data)
            return connection.read_all()

    def wait_until_refusing(self):
        """Until new connections are refused: the drain has begun."""
        def closed():
            try:
                client.Connection(self.address).close()
            except (ConnectionRefusedError, FileNotFoundError):
                return True
            except ConnectionResetError:
                pass  # the listening socket was closed while the kernel made the connection
            return False
        processes.wait_for(closed, "new connections to be refused")

    # Its processes.

    @property
    def init_pid(self):
        """The init; below `unshare --fork` it is a child of what we started."""
        def find():
            pid = self.process.pid
            if processes.name(pid) == "unshare":
                pid = (processes.children(pid) or [pid])[0]
            return pid if processes.name(pid).startswith(("httpd", "callgrind")) else None
        return processes.wait_for(find, "the init to start")

    def server_pids(self):
        return [p for p in processes.children(self.init_pid) if not processes.is_php_fpm(p)
                and processes.command(p) and processes.alive(p)]

    def server_pid(self):
        return processes.wait_for(self.server_pids, "a server process")[-1]

    def fpm_pid(self):
        """php-fpm's master."""
        return processes.wait_for(self.fpm_pids, "a php-fpm master")[-1]

    def fpm_pids(self):
        """Masters only: the workers of one that was killed come to init and end there."""
        def is_master(pid):
            command = processes.command(pid)  # empty while a process is ending
            return command and not command.startswith("php-fpm: pool") and processes.is_php_fpm(pid)
        return [p for p in processes.children(self.init_pid) if is_master(p) and processes.alive(p)]

    def send_signal(self, number):
        os.kill(self.init_pid, number)

    def wait(self, timeout=PATIENCE):
        """The exit status; 128 + n when a signal ended it, as a shell says it."""
        status = self.process.wait(timeout)
        return 128 - status if status < 0 else status

    def stop(self, number=signal.SIGTERM, status=0):
        """Ends it by a signal, checks the exit status and that nobody is left who could write."""
        self.send_signal(number)
        self.expect_end(status)

    def expect_end(self, status=0):
        self.expected_status = status
        found = self.wait()
        self.test.assertTrue(self.stdout.wait_for_end() and self.stderr.wait_for_end(),
                             "someone is left behind")
        self.finished = True
        self.test.assertEqual(found, status, self.report())

    def report(self):
        return "\n".join([f"--- {' '.join(self.options)}", "--- stdout:", self.stdout.text, "--- stderr:",
                          self.stderr.text, "---"])

    def finish(self):
        """The end of every test: a clean stop, or the whole output and a clean-up by force."""
        started = [self.process.pid, *processes.descendants(self.process.pid)]
        try:
            if not self.finished:
                if self.process.poll() is None:
                    self.send_signal(signal.SIGTERM)
                self.expect_end(self.expected_status)
        finally:
            if self.test.has_failed() or not self.finished:
                print(self.report(), file=sys.stderr)
            for pid in started:
                if processes.alive(pid) and pid != os.getpid() and not self.finished:
                    os.kill(pid, signal.SIGKILL)
            self.process.wait(PATIENCE)
