"""An external php-fpm of a test's own: private configuration, Unix socket or TCP."""
import glob
import os
import re
import signal
import socket
import subprocess

import processes


def newest_php_fpm():
    def version(path):
        return [int(n) for n in re.findall(r"\d+", os.path.basename(path))]
    found = glob.glob("/usr/sbin/php-fpm*")
    return max(found, key=version)


class PhpFpm:
    """listen: "unix" or "tcp". pool and ini: more lines of the pool and php.ini values.

    The socket is made here and handed over, so it accepts from the first moment; `backlog` is its queue."""

    def __init__(self, test, listen="unix", children=4, backlog=511, pool=(), ini=None, port=0, path=None):
        self.test = test
        self.name = f"fpm{len(list(test.temp.glob('fpm*.conf')))}"
        self.log = test.temp / f"{self.name}.log"
        self._bind(listen, backlog, port, path)
        values = {"output_buffering": "0", **(ini or {})}
        user = ["user = www-data", "group = www-data"] if os.geteuid() == 0 else []
        lines = ["[global]", f"error_log = {self.log}", "daemonize = no", "process_control_timeout = 5s",
                 "[www]",
                 *user, f"listen = {self.target}", "pm = static", f"pm.max_children = {children}",
                 "catch_workers_output = yes", "decorate_workers_output = no", "clear_env = no",
                 *(f"php_admin_value[{name}] = {value}" for name, value in values.items()), *pool]
        self.configuration = test.temp / f"{self.name}.conf"
        self.configuration.write_text("\n".join(lines) + "\n")
        self._start()
        test.addCleanup(self.stop)

    def _bind(self, listen, backlog, port, path):
        if listen == "unix":
            self.target = str(path or self.test.temp / f"{self.name}.sock")
            self.address = f"unix:{self.target}"
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(self.target)
            os.chmod(self.target, 0o666)
        else:
            self.socket = socket.socket()
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind(("127.0.0.1", port))
            self.port = self.socket.getsockname()[1]
            self.target = self.address = f"127.0.0.1:{self.port}"
        self.socket.listen(backlog)

    def _start(self):
        descriptor = self.socket.fileno()
        with open(self.test.temp / f"{self.name}.err", "ab") as output:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", newest_php_fpm(), "-F", "-y", str(self.configuration)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=[descriptor],
                env={**os.environ, "FPM_SOCKETS": f"{self.target}={descriptor}"},
                start_new_session=True)
        self.socket.close()

    @property
    def pid(self):
        return self.process.pid

    def workers(self):
        return [p for p in processes.children(self.pid) if processes.alive(p)]

    def stop(self, number=signal.SIGTERM):
        """Ends it at once; its address then refuses."""
        if self.process.poll() is None:
            workers = self.workers()
            self.process.send_signal(number)
            self.process.wait(60)
            for pid in workers:
                processes.wait_for(lambda: not processes.alive(pid), "a worker to end")
        if self.test.has_failed() and self.log.exists():
            print(f"--- {self.name}:\n{self.log.read_text('utf-8', 'replace')}---")
