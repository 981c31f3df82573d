"""What /proc says of processes, and waiting for something to become true."""
import os
import time


def wait_for(condition, what, timeout=30):
    """Polls until condition() is true and returns its value; a generous time-out is a failure."""
    end = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout} s in vain: {what}")
        time.sleep(0.01)
    return value


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def stat(pid):
    """The fields of /proc/PID/stat after the name, from the state on; [] when there is no such process."""
    return read(pid, "stat").rpartition(b") ")[2].split()


def alive(pid):
    fields = stat(pid)
    return bool(fields) and fields[0] not in (b"Z", b"X")


def command(pid):
    return read(pid, "cmdline").replace(b"\0", b" ").decode("latin-1").strip()


def name(pid):
    return read(pid, "comm").decode("latin-1").strip()


def children(pid):
    """Living or dead (zombie) children, the oldest first."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = stat(int(entry))
            if len(fields) > 19 and int(fields[1]) == pid:
                found.append((int(fields[19]), int(entry)))
    return [child for _, child in sorted(found)]


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def is_php_fpm(pid):
    return name(pid).startswith("php-fpm")


def user_of(pid):
    for line in read(pid, "status").decode("latin-1").splitlines():
        if line.startswith("Uid:"):
            return int(line.split()[1])
    return None


def memory_kib(pid, field="VmRSS"):
    for line in read(pid, "status").decode("latin-1").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    return 0


def cpu_seconds(pid):
    fields = stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0
