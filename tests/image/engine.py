"""Containers that are removed after their test. All traffic goes to published ports."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import client
import processes

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
SYSTEM_SITE = TOP / "tests" / "system" / "www"
NAME = os.environ.get("HTTPD_IMAGE", "httpd-php-fpm")
PHP, SERVER, DEV, INTL = (f"{NAME}:{tag}" for tag in ("8.4", "server", "8.4-dev", "8.4-intl"))
PROGRAM = "/usr/bin/httpd-php-fpm"
PATIENCE = 120  # seconds; nothing that works comes near it

sizes_are_good = None  # None = not measured


def docker(*arguments, check=True, timeout=600, **keywords):
    result = subprocess.run(["docker", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, errors="backslashreplace", timeout=timeout, **keywords)
    if check and result.returncode:
        raise AssertionError(f"docker {arguments}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def has_images():
    return all(docker("image", "inspect", image, check=False).returncode == 0 for image in (PHP, SERVER, DEV))


class Container:
    """A container that runs; `port` is where it listens inside, 0 = at a free one of the host itself, with nothing
    of the engine between: what is sent and what arrives can then be compared to the last request."""

    def __init__(self, test, image, arguments=(), options=(), port=3000):
        if port:
            publish = ["-p", f"127.0.0.1::{port}"]
        else:
            publish, arguments = ["--network", "host", "--no-healthcheck"], ["-s", "127.0.0.1:0", *arguments]
        self.id = docker("run", "-d", *publish, *options, image, *arguments).stdout.strip()
        test.addCleanup(self.remove)
        self._test, self._port = test, port
        self._address = None

    def remove(self):
        if self._test.has_failed():
            print(f"--- {self._test.id()}\n{self.stdout()}{self.stderr()}", flush=True)
        docker("rm", "-f", "-v", self.id, check=False)

    def inspect(self):
        return json.loads(docker("inspect", self.id).stdout)[0]

    @property
    def state(self):
        return self.inspect()["State"]

    @property
    def pid(self):
        """Of its first process, as the host sees it."""
        return self.state["Pid"]

    @property
    def address(self):
        if not self._address and not self._port:
            found = processes.wait_for(lambda: re.search(r" serving http://(.*):(\d+)/", self.stderr()),
                                       "the address in the log", PATIENCE)
            self._address = (found[1], int(found[2]))
        if not self._address:
            host, _, port = docker("port", self.id, self._port).stdout.splitlines()[0].rpartition(":")
            self._address = (host, int(port))
        return self._address

    def stdout(self):
        return docker("logs", self.id, check=False).stdout

    def stderr(self):
        return docker("logs", self.id, check=False).stderr

    def wait_for_log(self, text):
        processes.wait_for(lambda: text in self.stderr(), f"{text!r} in the log", PATIENCE)

    def wait_until_serving(self):
        def serves():
            if not self.state["Running"]:
                raise AssertionError(f"the container ended: {self.state}\n{self.stderr()}")
            try:
                with client.Connection(self.address, timeout=5) as connection:
                    return connection.get("/.httpd/none").status > 0
            except (OSError, client.Incomplete):
                return False
        processes.wait_for(serves, "the container to serve", PATIENCE)
        return self

    def request(self, method, target, headers=None, body=None):
        with client.Connection(self.address, timeout=60) as connection:
            return connection.request(method, target, headers, body)

    def get(self, target, headers=None):
        return self.request("GET", target, headers)

    def kill(self, signal, check=True):
        docker("kill", "-s", signal, self.id, check=check)

    def wait(self):
        return int(docker("wait", self.id).stdout)

    def exec(self, *command, check=True):
        return docker("exec", self.id, *command, check=check)

    def wait_until_healthy(self):
        processes.wait_for(lambda: self.state.get("Health", {}).get("Status") == "healthy",
                           "the container to be healthy", PATIENCE)


class TestCase(unittest.TestCase):
    maxDiff = None

    def has_failed(self):
        """In a cleanup, where unittest itself no longer says so."""
        result = self._outcome.result
        return any(self in (test, getattr(test, "test_case", None)) for test, _ in result.errors + result.failures)

    def folder(self):
        path = pathlib.Path(tempfile.mkdtemp(prefix="httpd-image-"))
        self.addCleanup(shutil.rmtree, path, ignore_errors=True)
        path.chmod(0o755)
        return path

    def build(self, dockerfile, files=None, site=None):
        """An image of a Dockerfile and files beside it, {name: text}; `site` is a folder copied in first."""
        context = self.folder()
        if site:
            shutil.copytree(site, context, dirs_exist_ok=True)
        for name, text in (files or {}).items():
            (context / name).parent.mkdir(parents=True, exist_ok=True)
            (context / name).write_text(text)
        (context / "Dockerfile").write_text(dockerfile)
        tag = f"httpd-image-test:{context.name.rpartition('-')[2].lower()}"
        docker("build", "-t", tag, context, timeout=1800)
        self.addCleanup(docker, "rmi", "-f", tag, check=False)
        return tag

    def start(self, image, *arguments, options=(), **keywords):
        return Container(self, image, arguments, options, **keywords)

    def serve(self, *arguments, image=PHP, options=(), site=SYSTEM_SITE, **keywords):
        """A container with the site of the system tests mounted, or none."""
        mount = ["-v", f"{site}:/var/www/html:ro"] if site else []
        return self.start(image, *arguments, options=[*mount, *options], **keywords).wait_until_serving()

    def run_to_end(self, image, *arguments, options=()):
        return docker("run", "--rm", *options, image, *arguments, check=False)
