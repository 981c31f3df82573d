"""The Docker engine of the tests. Root gets one of its own, with its own socket, processes, network and data, so that
it neither meets nor touches another engine of the machine or what a killed one has left. Who is not root, or
names one in DOCKER_HOST, uses that."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import time

import processes

# The folder of data stays for the next run: images and their layers. Remove it when no tests run.
DATA = pathlib.Path(os.environ.get("HTTPD_ENGINE_DATA", "/var/lib/httpd-php-fpm-tests"))
STATE = pathlib.Path("/run/httpd-php-fpm-tests")  # short: sockets are in it. Only one run at a time has it.
BRIDGE, ADDRESS, POOL = "httpd-tests", "10.213.0.1/24", "base=10.213.128.0/17,size=24"
START, END = 120, 60  # seconds; guards, nothing that works comes near them


def run(*command, timeout=60):
    return subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="backslashreplace", timeout=timeout)


def answers():
    try:
        return run("docker", "info", "-f", "{{.ServerVersion}}").returncode == 0
    except subprocess.TimeoutExpired:
        return False


@contextlib.contextmanager
def running():
    """Yields what is wrong, None when an engine answers. Sets the environment of every call of docker."""
    if os.environ.get("DOCKER_HOST") or os.geteuid() != 0:
        fault = None if answers() else "no Docker engine answers, and only root can start one"
        choose_builder()
        yield fault
        return
    with alone() as free:
        if not free:
            yield f"another run has had the lock of {STATE} for too long"
            return
        os.environ.pop("DOCKER_CONTEXT", None)
        os.environ["DOCKER_HOST"] = f"unix://{STATE}/docker.sock"
        try:
            fault = start() and start()  # once more, whatever a killed engine had left
            if not fault:
                choose_builder()
                tidy()
            yield fault
            if not fault:
                tidy()
        finally:
            end()


def choose_builder():
    """BuildKit where docker has it, else the classic builder without its complaint."""
    if "DOCKER_BUILDKIT" not in os.environ and run("docker", "buildx", "version").returncode != 0:
        os.environ["DOCKER_BUILDKIT"] = os.environ["COMPOSE_DOCKER_CLI_BUILD"] = "0"


@contextlib.contextmanager
def alone(patience=3600):
    """Holds a lock that the kernel drops with this process, so a lock that is free proves that what is still
    running in our folders has been left behind."""
    with open("/run/httpd-php-fpm-tests.lock", "w") as lock:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    yield False
                    return
                time.sleep(0.2)
        yield True


def start():
    """What is wrong, or None. The engine ends with this process, also when that is killed."""
    end()
    STATE.mkdir(mode=0o700, parents=True)
    (STATE / "none.json").write_text("{}")  # instead of /etc/docker/daemon.json, which is for another engine
    DATA.mkdir(mode=0o711, parents=True, exist_ok=True)
    made = [run("ip", "link", "add", BRIDGE, "type", "bridge"), run("ip", "address", "add", ADDRESS, "dev", BRIDGE),
            run("ip", "link", "set", BRIDGE, "up")]
    if faults := [result.stderr for result in made if result.returncode]:
        return f"no network for the engine: {faults}"
    with open(STATE / "log", "wb") as log:
        engine = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "dockerd", "--host", os.environ["DOCKER_HOST"],
             "--data-root", DATA, "--exec-root", STATE / "exec", "--pidfile", STATE / "pid",
             "--config-file", STATE / "none.json", "--bridge", BRIDGE, "--default-address-pool", POOL],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    deadline = time.monotonic() + START
    while engine.poll() is None and time.monotonic() < deadline:
        if answers():
            return None
        time.sleep(0.2)
    return "dockerd does not start:\n" + (STATE / "log").read_text("utf-8", "replace")[-3000:]


def tidy():
    """Nothing but images is left in the engine: it is ours, also what a killed run had in it."""
    run("docker", "swarm", "leave", "--force")
    if names := run("docker", "ps", "-aq").stdout.split():
        run("docker", "rm", "-f", "-v", *names, timeout=300)
    run("docker", "network", "prune", "-f")
    run("docker", "volume", "prune", "-f")


def ours():
    """The engine, its containerd and its shims: each names a file in our folder. The engine first."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and f"{STATE}/" in processes.command(int(entry)):
            if processes.name(int(entry)).startswith(("dockerd", "containerd", "docker", "setpriv")):
                found.append(int(entry))
    return sorted(found, key=lambda pid: (processes.name(pid) != "dockerd", pid))


def signal_all(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def wait_for_end(pids, patience):
    deadline = time.monotonic() + patience
    while any(map(processes.alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)


def end():
    """Ends what runs in our folders, by its number, in order: an engine that is told to ends its containers. Then
    takes down what is mounted there, and the bridge."""
    engines = [pid for pid in ours() if processes.name(pid) == "dockerd"]
    signal_all(engines, signal.SIGTERM)
    wait_for_end(engines, END)
    left = ours()
    inside = [pid for shim in left for pid in processes.descendants(shim)]
    signal_all([*left, *inside], signal.SIGKILL)
    wait_for_end([*left, *inside], END)
    with open("/proc/self/mounts") as table:
        places = [line.split()[1] for line in table]
    for place in reversed([p for p in places if p.startswith((f"{STATE}/", f"{DATA}/"))]):
        run("umount", "-l", place)
    shutil.rmtree(STATE, ignore_errors=True)
    run("ip", "link", "delete", BRIDGE)
