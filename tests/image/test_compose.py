"""The compose files, the Swarm stack and the Kubernetes manifest of docker/."""
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest

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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def compose_command():
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
    return ["docker", "compose"] if plugin else ["docker-compose"]


class Compose(TestCase):
    def up(self, file, **variables):
        project = f"httpdtest{os.getpid()}"
        env = {**os.environ, "HTTPD_IMAGE": NAME, **{k: str(v) for k, v in variables.items()}}
        command = [*compose_command(), "-p", project, "-f", TOP / "docker" / file]

        def run(*arguments):
            return subprocess.run([*command, *arguments], env=env, capture_output=True, text=True, timeout=300)
        self.addCleanup(run, "down", "-v", "-t", "1")
        result = run("up", "-d", "--no-build")
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        return run

    def get(self, port, target):
        def ask():
            try:
                with client.Connection(("127.0.0.1", port)) as connection:
                    return connection.get(target)
            except (OSError, client.Incomplete):
                return None
        return processes.wait_for(ask, f"an answer on port {port}")

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
                processes.wait_for(lambda: self.get(port, "/who.php").status == 200, "php-fpm")
                self.assertIn("/var/www/html/who.php", self.get(port, "/who.php").text)
        # Made anew, the container has another address.
        self.assertEqual(0, run("up", "-d", "--no-build", "--force-recreate", "--no-deps", "php").returncode)
        processes.wait_for(lambda: self.get(ports[0], "/who.php").status == 200, "php-fpm again")


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
        docker("swarm", "init", "--advertise-addr", "127.0.0.1")
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
        self.addCleanup(docker, "stack", "rm", "httpdtest", check=False)
        processes.wait_for(lambda: len(self.healthy()) == 3, "three healthy tasks", timeout=90)

    def healthy(self):
        """The published ports of the tasks that are ready."""
        ports = []
        names = docker("ps", "-q", "--filter", "label=com.docker.swarm.service.name=httpdtest_web",
                       "--filter", "health=healthy").stdout.split()
        for name in names:
            found = docker("inspect", name, check=False)
            if found.returncode == 0:
                bound = (json.loads(found.stdout)[0]["NetworkSettings"]["Ports"] or {}).get("3000/tcp") or []
                ports.append(int(bound[0]["HostPort"]) if bound else self.port)
        return ports

    def ask(self, results):
        """One request. Without the mesh a task that no longer accepts is passed over, as a balancer does; a
        request that was taken and not answered in full is a failure."""
        for _ in range(100):
            port = self.port if self.mesh else self.ports[0]
            try:
                with client.Connection(("127.0.0.1", port)) as connection:
                    reply = connection.get("/", {"Connection": "close"})
                results.append(reply.text if reply.status == 200 else reply.status)
                return
            except (OSError, client.Incomplete) as error:
                if self.mesh or getattr(error, "reply", None):
                    results.append(repr(error))
                    return
                self.ports = self.ports[1:] + self.ports[:1]
                time.sleep(0.02)
        results.append("nobody answered")

    def test_a_rolling_update_under_load_fails_no_request(self):
        results, stop = [], threading.Event()
        self.ports = self.healthy()

        def watch():
            while not stop.is_set():
                self.ports = self.healthy() or self.ports
                time.sleep(0.2)

        def load():
            while not stop.is_set():
                self.ask(results)
        threads = [threading.Thread(target=work) for work in (watch, load, load, load, load)]
        for thread in threads:
            thread.start()
        try:
            docker("service", "update", "--detach", "--image", self.images[1], "--update-monitor", "3s",
                   "httpdtest_web")
            processes.wait_for(lambda: docker("service", "inspect", "-f", "{{.UpdateStatus.State}}",
                                              "httpdtest_web").stdout.strip() == "completed",
                               "the update to be complete", timeout=180)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual({"one", "two"}, set(results), [r for r in results if r not in ("one", "two")][:5])
        self.assertGreater(len(results), 200)
        # The tasks that ended did so with 0.
        ended = docker("ps", "-aq", "--filter", "label=com.docker.swarm.service.name=httpdtest_web",
                       "--filter", "status=exited").stdout.split()
        self.assertEqual({"0"}, {docker("inspect", "-f", "{{.State.ExitCode}}", name).stdout.strip()
                                 for name in ended})


class Kubernetes(TestCase):
    def test_the_manifest_is_valid(self):
        checker = shutil.which("kubeconform")
        if not checker:
            raise unittest.SkipTest("no schema checker: Debian has none, and kubeconform is not installed")
        result = subprocess.run([checker, "-strict", TOP / "docker" / "kubernetes.yaml"],
                                capture_output=True, text=True)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
