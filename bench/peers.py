"""The servers that are measured: how each is configured and started, and what its processes use.

Every server gets two workers, the same document root, the same php-fpm and no logs. The configurations are in
peers/, one file each, and are those of a person who has read the server's own guide to tuning."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path.insert(0, str(TOP / "tests" / "system"))

import processes  # noqa: E402
from server import binary  # noqa: E402

CACHE = "open_file_cache max=20000 inactive=60s; open_file_cache_valid 1s;"


class Php:
    """Where php-fpm listens, in the words of each server."""

    def __init__(self, address, workers):
        self.address, self.workers = address, workers
        unix = address.removeprefix("unix:")
        self.is_unix = unix != address
        host, _, port = address.rpartition(":")
        self.words = {
            "php_nginx": address, "php_caddy": f"unix/{unix}" if self.is_unix else address,
            "php_lighttpd": f'"socket" => "{unix}"' if self.is_unix else f'"host" => "{host}", "port" => {port}',
            "php_h2o": f"{{ port: {unix}, type: unix }}" if self.is_unix
            else f"{{ host: {host}, port: {port} }}",
            "proxy_apache": f"unix:{unix}|fcgi://localhost" if self.is_unix else f"fcgi://{address}",
        }


def fill(name, **words):
    text = (HERE / "peers" / name).read_text()
    for key, value in words.items():
        text = text.replace("{" + key + "}", str(value))
    return text


def modules(names):
    folder = "/usr/lib/apache2/modules"
    return "\n".join(f"LoadModule {name}_module {folder}/{file}" for name, file in names)


class Bench:
    """What one start needs: folders, the port, php-fpm."""

    def __init__(self, run, site, port, php):
        self.run, self.site, self.port, self.php = run, site, port, php
        self.words = {"run": run, "site": site, "port": port, **(php.words if php else Php("127.0.0.1:9", 1).words)}

    def write(self, name, **words):
        path = self.run / name
        path.write_text(fill(name, **self.words, **words))
        return path


def ours(bench, log="off", extra=()):
    php = ["--php", bench.php.address, "--php-workers", bench.php.workers] if bench.php else ["--php-fpm", "none"]
    return [binary(), "-d", bench.site, "-s", f"127.0.0.1:{bench.port}", "--threads", 2, "--access-log", log,
            "--keepalive-requests", 1000000, "--idle-timeout", "600s", "--max-body", "64M", "--queue-timeout", "300s", *php, *extra]


def ours_logging(bench):
    return ours(bench, log=str(bench.run / "access.log"))


def nginx(bench, cache="", log="access_log off;"):
    return ["nginx", "-c", bench.write("nginx.conf", cache=cache, log=log)]


def nginx_cache(bench):
    return nginx(bench, cache=CACHE)


def nginx_logging(bench):
    return nginx(bench, cache=CACHE, log=f"access_log {bench.run}/access.log;")


def lighttpd(bench):
    return ["lighttpd", "-D", "-f", bench.write("lighttpd.conf")]


def h2o(bench):
    return ["h2o", "-c", bench.write("h2o.conf")]


def caddy(bench):
    return ["caddy", "run", "--adapter", "caddyfile", "--config", bench.write("Caddyfile")]


def apache(bench):
    proxy = bench.words["proxy_apache"]
    handler = f'<FilesMatch "\\.php$">\n  SetHandler "proxy:{proxy}"\n</FilesMatch>' if bench.php else ""
    return ["apache2", "-D", "FOREGROUND", "-f", bench.write(
        "apache.conf", engine="mpm_event with proxy_fcgi", php_apache=handler,
        modules=modules([("mpm_event", "mod_mpm_event.so"), ("proxy", "mod_proxy.so"),
                         ("proxy_fcgi", "mod_proxy_fcgi.so")]) +
        "\nStartServers 2\nServerLimit 16\nThreadsPerChild 64\nMaxRequestWorkers 1024\n")]


def apache_mod_php(bench):
    handler = '<FilesMatch "\\.php$">\n  SetHandler application/x-httpd-php\n</FilesMatch>'
    library = sorted(pathlib.Path("/usr/lib/apache2/modules").glob("libphp*.so"))[-1].name
    return ["apache2", "-D", "FOREGROUND", "-f", bench.write(
        "apache.conf", engine="mpm_prefork with mod_php (PHP's own time is in its figures)", php_apache=handler,
        modules=modules([("mpm_prefork", "mod_mpm_prefork.so"), ("php", library)]) +
        f"\nStartServers {bench.php.workers}\nServerLimit 1024\nMaxRequestWorkers {bench.php.workers}\n")]


def raw(bench):
    return [TOP / "build-bench" / "raw", bench.port, bench.site / "page.html"]


PEERS = {"ours": ours, "nginx": nginx, "nginx+cache": nginx_cache, "lighttpd": lighttpd, "h2o": h2o,
         "caddy": caddy, "apache": apache, "apache+mod_php": apache_mod_php, "raw": raw,
         "ours+log": ours_logging, "nginx+log": nginx_logging}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Running:
    """A started server and all its processes; php-fpm is never among them."""

    def __init__(self, process, port, name, site, run):
        self.process, self.port, self.name, self.site, self.run = process, port, name, site, run

    def pids(self):
        return [self.process.pid, *processes.descendants(self.process.pid)]

    def cpu_seconds(self):
        """User and system time of every thread so far, in the scheduler's nanoseconds."""
        total = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{pid}/task"):
                    total += int((processes.read(f"{pid}/task/{task}", "schedstat").split() or [0])[0])
        return total / 1e9

    def pss_kib(self):
        total = 0
        for pid in self.pids():
            for line in processes.read(pid, "smaps_rollup").splitlines():
                if line.startswith(b"Pss:"):
                    total += int(line.split()[1])
        return total


@contextlib.contextmanager
def started(name, site, run, php=None):
    """Runs a server until the block ends; returns when it answers."""
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    run.chmod(0o777)
    port = free_port()
    arguments = [str(part) for part in PEERS[name](Bench(run, site, port, php))]
    with open(run / "output", "wb") as output:
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True,
                                   env={**os.environ, "XDG_DATA_HOME": str(run), "XDG_CONFIG_HOME": str(run)})
    try:
        wait_for_port(process, port, run / "output")
        yield Running(process, port, name, site, run)
    finally:
        left = [process.pid, *processes.descendants(process.pid)]
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
        for pid in left:
            if processes.alive(pid):
                os.kill(pid, signal.SIGKILL)
        process.wait(15)


def wait_for_port(process, port, output):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.005)
    raise SystemExit(f"{process.args} does not start:\n{output.read_text(errors='replace')}")


@contextlib.contextmanager
def php_fpm(run, listen="unix", workers=8, backlog=511):
    """One php-fpm for a scenario: pm = static, OPcache, no logs."""
    run.mkdir(parents=True, exist_ok=True)
    address = f"unix:{run}/php.sock" if listen == "unix" else f"127.0.0.1:{free_port()}"
    target = address.removeprefix("unix:")
    configuration = run / "php-fpm.conf"
    configuration.write_text(
        f"[global]\nerror_log = {run}/php-fpm.log\ndaemonize = no\n[www]\nuser = www-data\ngroup = www-data\n"
        f"listen = {target}\nlisten.mode = 0666\nlisten.backlog = {backlog}\npm = static\n"
        f"pm.max_children = {workers}\nphp_admin_value[output_buffering] = 4096\n"
        "php_admin_value[post_max_size] = 64M\nphp_admin_value[opcache.validate_timestamps] = 1\n")
    program = sorted(pathlib.Path("/usr/sbin").glob("php-fpm*"))[-1]
    process = subprocess.Popen([program, "-F", "-y", configuration], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        end = time.monotonic() + 30
        family = socket.AF_UNIX if listen == "unix" else socket.AF_INET
        where = target if listen == "unix" else ("127.0.0.1", int(target.rpartition(":")[2]))
        while True:
            with socket.socket(family) as probe:
                if probe.connect_ex(where) == 0:
                    break
            if time.monotonic() > end or process.poll() is not None:
                raise SystemExit(f"php-fpm does not start: {configuration}")
            time.sleep(0.01)
        yield Php(address, workers)
    finally:
        process.send_signal(signal.SIGQUIT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(15)
