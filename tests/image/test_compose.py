"""The compose files and the Swarm stack of docker/."""
import contextlib
import functools
import json
import os
import random
import shutil
import socket
import subprocess
import threading

import client
import engine
from engine import NAME, PHP, TOP, TestCase, docker
import processes

# Stands for an official php:8.4-fpm: php-fpm alone, on TCP port 9000, reading the folder of its drop-ins.
FPM = f"""FROM {PHP}
COPY php-fpm.conf /usr/local/etc/
COPY php-fpm.d/www.conf /usr/local/etc/php-fpm.d/
USER 0
HEALTHCHECK NONE
ENTRYPOINT ["/usr/sbin/php-fpm8.4", "-F", "-O", "-y", "/usr/local/etc/php-fpm.conf"]
"""
FPM_FILES = {
    "php-fpm.conf": "[global]\nerror_log = /dev/null\ninclude = /usr/local/etc/php-fpm.d/*.conf\n",
    "php-fpm.d/www.conf": "[www]\nuser = www-data\ngroup = www-data\nlisten = 9000\npm = static\n"
                          "pm.max_children = 5\n",
}


def free_port():
    """Below the ports that the kernel gives to whoever asks for any, so that it is still free a moment later."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@functools.cache
def compose_command():
    plugin = docker("compose", "version", check=False).returncode == 0
    return ["docker", "compose"] if plugin else ["docker-compose"]


class ComposeTestCase(TestCase):
    def up(self, file, **variables):
        """Brings a file up; returns a function that runs compose with it."""
        project = f"httpdtest{os.getpid()}"
        env = {**os.environ, "HTTPD_IMAGE": NAME, **{k: str(v) for k, v in variables.items()}}
        command = [*compose_command(), "-p", project, "-f", TOP / "docker" / file]

        def run(*arguments, check=True):
            result = subprocess.run([*map(str, command), *arguments], stdin=subprocess.DEVNULL, env=env,
                                    capture_output=True, text=True, timeout=600)
            if check:
                self.assertEqual(0, result.returncode, result.stdout + result.stderr)
            return result

        def down():
            if self.has_failed():
                print(f"--- {self.id()}\n{run('logs', '--no-color', check=False).stdout}", flush=True)
            run("down", "-v", "-t", "1", check=False)
        self.addCleanup(down)
        run("up", "-d", "--no-build")
        return run

    def get(self, port, target, status=200):
        """An answer of that status, once there is one."""
        def ask():
            try:
                with client.Connection(("127.0.0.1", port)) as connection:
                    reply = connection.get(target)
                    return reply if reply.status == status else None
            except (OSError, client.Incomplete):
                return None
        return processes.wait_for(ask, f"{status} on port {port} for {target}", engine.PATIENCE)


class Compose(ComposeTestCase):
    def test_one_service(self):
        port = free_port()
        self.up("compose.yaml", PORT=port)
        self.assertIn("PHP 8.4", self.get(port, "/").text)
        self.assertEqual(200, self.get(port, "/style.css").status)

    def test_beside_php_fpm_over_tcp_and_over_a_unix_socket(self):
        ports = free_port(), free_port()
        run = self.up("compose.fpm.yaml", PORT=ports[0], PORT_UNIX=ports[1],
                      PHP_IMAGE=self.build(FPM, FPM_FILES), SITE=engine.SYSTEM_SITE)
        for port in ports:
            with self.subTest(port=port):
                self.assertIn("/var/www/html/who.php", self.get(port, "/who.php").text)
        # Made anew, the container has another address.
        run("up", "-d", "--no-build", "--force-recreate", "--no-deps", "php")
        self.get(ports[0], "/who.php")


def has_virtual_servers():
    """Swarm's routing mesh needs IPVS in the kernel."""
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "ip_vs"], capture_output=True)
    return os.path.exists("/proc/net/ip_vs")


class Stack(TestCase):
    """The stack as it is where the kernel has Swarm's routing mesh. Where not, each task has a port of its own,
    and the clients here choose among the healthy ones, as a load balancer in front does."""

    def setUp(self):
        if docker("info", "-f", "{{.Swarm.LocalNodeState}}").stdout.strip() != "inactive":
            self.skipTest("this engine is part of a Swarm already")
        docker("swarm", "init", "--advertise-addr", "127.0.0.1", "--listen-addr", f"127.0.0.1:{free_port()}")
        self.addCleanup(docker, "swarm", "leave", "--force", check=False)
        self.mesh = has_virtual_servers()
        self.port = free_port()
        self.images = [self.build(f"FROM {PHP}\nCOPY index.php /var/www/html/\n",
                                  {"index.php": f"<?php usleep(20000); echo '{name}';"}) for name in ("one", "two")]
        file = TOP / "docker" / "stack.yaml"
        if not self.mesh:
            text = file.read_text()
            ports = '      - "${PORT:-8080}:3000"\n'
            self.assertIn(ports, text)
            file = self.folder() / "stack.yaml"
            file.write_text(text.replace(ports, "      - {target: 3000, mode: host}\n"))
        docker("stack", "deploy", "-c", file, "httpdtest",
               env={**os.environ, "IMAGE": self.images[0], "PORT": str(self.port)})
        self.addCleanup(self.remove_stack)
        processes.wait_for(lambda: len(self.healthy()) == 3, "three healthy tasks", timeout=300)

    def remove_stack(self):
        if self.has_failed():
            for words in (["ps", "-a", "--no-trunc"], ["service", "ps", "--no-trunc", "httpdtest_web"]):
                print(docker(*words, check=False).stdout, flush=True)
        docker("stack", "rm", "httpdtest", check=False)
        processes.wait_for(lambda: not self.tasks(), "the tasks to be gone", timeout=300)

    def tasks(self, *filters):
        """What is known of the containers of the service, running or not."""
        names = docker("ps", "-aq", "--filter", "label=com.docker.swarm.service.name=httpdtest_web",
                       *filters).stdout.split()
        found = [docker("inspect", name, check=False) for name in names]  # one may be removed meanwhile
        return [json.loads(result.stdout)[0] for result in found if result.returncode == 0]

    def healthy(self):
        """The published ports of the tasks that are ready."""
        bound = [(task["NetworkSettings"]["Ports"] or {}).get("3000/tcp") or [{"HostPort": self.port}]
                 for task in self.tasks("--filter", "health=healthy")]
        return [int(ports[0]["HostPort"]) for ports in bound]

    def ask(self, results):
        """One request. A task that takes none any more is passed over, as a balancer does; a request that was
        taken and not answered in full is a failure."""
        def answer():
            ports = self.ports
            for port in [self.port] if self.mesh else random.sample(ports, len(ports)):
                try:
                    with client.Connection(("127.0.0.1", port)) as connection:
                        reply = connection.get("/", {"Connection": "close"})
                    return reply.text if reply.status == 200 else str(reply.status)
                except client.Incomplete as error:
                    if error.reply:
                        return f"cut off: {error.reply}"
                except OSError:
                    pass
            return None
        results.append(processes.wait_for(answer, "an answer of any task", engine.PATIENCE))

    def test_a_rolling_update_under_load_fails_no_request(self):
        results, stop, faults = [], threading.Event(), []
        self.ports = self.healthy()

        def repeat(pause, work, *arguments):
            try:
                while not stop.wait(pause):
                    work(*arguments)
            except BaseException as error:  # shown by the test, which would wait in vain otherwise
                faults.append(repr(error))

        def look():
            self.ports = self.healthy() or self.ports
        threads = [threading.Thread(target=repeat, args=work) for work in ((0.2, look), *[(0.001, self.ask, results)] * 4)]
        for thread in threads:
            thread.start()
        try:
            self.wait_for(faults, lambda: len(results) > 100, "answers before the update")
            docker("service", "update", "--detach", "--image", self.images[1], "--update-monitor", "3s",
                   "httpdtest_web")
            self.wait_for(faults, lambda: self.update_state() in ("completed", "paused", "rollback_completed"),
                          "the end of the update")
            # The old tasks have ended, with 0, and the new ones serve.
            ended = ("--filter", "status=exited")
            self.wait_for(faults, lambda: len(self.tasks(*ended)) == 3, "the old tasks to end")
            before = len(results)
            self.wait_for(faults, lambda: len(results) > before + 100, "answers after the update")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual([], faults)
        self.assertEqual("completed", self.update_state())
        self.assertEqual({"one", "two"}, set(results), [r for r in results if r not in ("one", "two")][:5])
        self.assertEqual({"two"}, set(results[before + 4:]))  # each client may have had an old answer in hand
        self.assertEqual([0, 0, 0], [task["State"]["ExitCode"] for task in self.tasks(*ended)])

    @staticmethod
    def update_state():
        return docker("service", "inspect", "-f", "{{.UpdateStatus.State}}", "httpdtest_web").stdout.strip()

    @staticmethod
    def wait_for(faults, condition, what):
        processes.wait_for(lambda: faults or condition(), what, timeout=400)
