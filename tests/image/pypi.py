"""A Python environment of its own with what requirements.txt names, in build-image/ of the clone."""
import functools
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build-image"
LIST = HERE / "requirements.txt"
# What pip says when nobody answers, as opposed to a list that is wrong.
UNREACHABLE = r"Retrying \(Retry|ProxyError|HTTP error 4|HTTP error 5"


@functools.cache
def environment():
    """The folder of the environment; "" = PyPI cannot be reached. Any other failure is an error."""
    folder, installed = BUILD / "python", BUILD / "python" / "installed.txt"
    if installed.exists() and installed.read_text() == LIST.read_text():
        return folder
    BUILD.mkdir(exist_ok=True)
    for command in ([sys.executable, "-m", "venv", "--clear", folder],
                    [folder / "bin" / "pip", "install", "--disable-pip-version-check", "--retries", "5", "-r", LIST]):
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
        if result.returncode and re.search(UNREACHABLE, result.stdout + result.stderr):
            return ""
        if result.returncode:
            raise AssertionError(f"{command}: {result.stdout}{result.stderr}")
    installed.write_text(LIST.read_text())
    return folder


def program(name):
    """A program of the environment; skips the test only when PyPI cannot be reached."""
    if not (folder := environment()):
        raise unittest.SkipTest("PyPI cannot be reached")
    return folder / "bin" / name
