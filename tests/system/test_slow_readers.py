"""Clients that take an answer of PHP slowly or not at all: nobody else waits for them."""
import os
import select
import threading

import client
import harness
import processes

SIZE = 10_000_000


def expected(size):
    block = bytes(i % 251 for i in range(251)) * 256
    return (block * (size // len(block) + 1))[:size]


class SlowReaders(harness.TestCase):
    def ask_slowly(self, server, target=f"/bytes.php?n={SIZE}", method="GET"):
        """Asks and takes nothing yet; a small window, so that little is taken by the kernel for it."""
        connection = server.connect(receive_buffer=4096, timeout=client.TIMEOUT)
        connection.send(client.format_request(method, target))
        return connection

    def spool_files(self, server):
        """Bytes on the disk of the nameless files of the server process."""
        pid, total = server.server_pid(), 0
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                info = os.stat(f"/proc/{pid}/fd/{name}")
            except FileNotFoundError:
                continue
            if info.st_nlink == 0 and info.st_size > 0:
                total += info.st_blocks * 512
        return total

    def test_case_71_a_slow_reader_does_not_hold_the_worker(self):
        server = self.serve("--php-workers", "1")
        slow = self.ask_slowly(server)
        received = bytearray(slow.socket.recv(1024))
        # With one worker these are answered only when the slow reader's script has ended.
        for _ in range(5):
            self.assertEqual("CL= len=0 m=GET", server.get("/inp.php").text)
            received += slow.socket.recv(1024)
        self.assertGreater(self.spool_files(server), SIZE // 2, "kept in a file, not in memory")
        if not harness.SANITIZED:
            self.assertLess(processes.memory_kib(server.server_pid(), "RssAnon"), 4096)
        slow.buffer += received
        self.assertEqual(expected(SIZE), slow.read_reply().body)
        self.assertEqual(b"static text\n", slow.get("/a.txt").body, "in sync after it")
        processes.wait_for(lambda: self.spool_files(server) == 0, "the file to be empty again")

    def test_many_slow_readers_at_once_get_their_own_bytes(self):
        server = self.serve("--php-workers", "2", "--threads", "1")
        sizes = [300_000 + 77_777 * i for i in range(20)]
        readers = [self.ask_slowly(server, f"/bytes.php?n={size}") for size in sizes]
        self.assertEqual(200, server.get("/inp.php").status)
        for size, reader in zip(sizes[::2], readers[::2]):
            self.assertEqual(expected(size), reader.read_reply().body)
        for reader in readers[1::4]:
            reader.reset()
        for size, reader in zip(sizes[3::4], readers[3::4]):
            self.assertEqual(expected(size), reader.read_reply().body)
        processes.wait_for(lambda: self.spool_files(server) == 0, "the file to be empty again")

    def test_what_is_flushed_streams_although_answers_are_kept(self):  # case 37
        server = self.serve("--php-workers", "1")
        with server.connect() as connection:
            connection.send(client.format_request("GET", "/gate.php?f=stream&flush=1"))
            reply = connection.read_head()
            self.assertEqual(b"first\n", connection.read_chunk(), "while the script runs")
            self.open_gate("stream")
            self.assertEqual(b"through", connection.read_chunk())
            self.assertEqual(b"", connection.read_chunk())
            self.assertEqual(200, reply.status)

    def test_at_the_limit_of_the_file_php_waits_and_others_do_not(self):
        server = self.serve("--php-workers", "2", "--php-spool", "1M")
        slow = self.ask_slowly(server)
        server.stderr.wait_for("scripts wait for slow clients.*--php-spool")
        self.assertLessEqual(self.spool_files(server), 1 << 20)
        for target in ("/inp.php", "/a.txt", "/.httpd/health"):
            self.assertEqual(200, server.get(target).status, target)
        self.assertEqual(expected(SIZE), slow.read_reply().body)

    def test_below_the_limit_of_the_file_php_does_not_wait(self):
        server = self.serve("--php-workers", "1", "--php-spool", "12M")
        slow = self.ask_slowly(server)
        self.assertEqual(200, server.get("/inp.php").status)
        self.assertEqual(expected(SIZE), slow.read_reply().body)
        self.assertNotIn("--php-spool", server.stderr.text)

    def test_without_a_file_a_script_waits_for_its_client_alone(self):
        server = self.serve("--php-workers", "2", "--php-spool", "0")
        slow = self.ask_slowly(server)
        self.assertEqual(200, server.get("/inp.php").status)
        self.assertEqual(expected(SIZE), slow.read_reply().body)

    def test_the_memory_of_an_answer_is_bounded_by_its_option(self):
        for option in ("4k", "64k", "16M"):
            server = self.serve("--php-workers", "1", "--php-buffer", option)
            slow = self.ask_slowly(server)
            select.select([slow.socket], [], [], client.TIMEOUT)  # its script has the worker
            self.assertEqual(200, server.get("/inp.php").status)
            self.assertEqual(option == "16M", self.spool_files(server) == 0, option)
            self.assertEqual(expected(SIZE), slow.read_reply().body)

    def test_a_reader_that_leaves_gives_its_room_back(self):
        server = self.serve("--php-workers", "1", "--php-spool", "12M")
        for _ in range(4):
            slow = self.ask_slowly(server)
            self.assertEqual(200, server.get("/inp.php").status)
            slow.reset()
            processes.wait_for(lambda: self.spool_files(server) == 0, "the room")
        self.assertNotIn("--php-spool", server.stderr.text)

    def test_a_reader_that_takes_nothing_is_cut_and_one_that_takes_little_is_not(self):
        server = self.serve("--php-workers", "1", "--send-timeout", "5s")
        little = self.ask_slowly(server, f"/bytes.php?n={SIZE}&who=little")
        nothing = self.ask_slowly(server, f"/bytes.php?n={SIZE}&who=nothing")
        ended = threading.Event()
        received = bytearray()

        def take():
            while not ended.wait(0.02):
                received.extend(little.socket.recv(4096))

        reader = threading.Thread(target=take, daemon=True)
        reader.start()
        server.stdout.wait_for("who=nothing")  # it has ended
        ended.set()
        reader.join()
        self.assertNotIn("who=little", server.stdout.text)
        with self.assertRaises(client.Incomplete):
            nothing.read_reply()
        little.buffer += received
        self.assertEqual(expected(SIZE), little.read_reply().body)


class FullDisk(harness.TestCase):
    """A small file system, seen by the server alone."""

    def serve_on(self, size, *options):
        folder = self.temp / "small"
        folder.mkdir()
        prefix = ["unshare", "--mount", "sh", "-c",
                  f'mount -t tmpfs -o size={size},mode=1777 none "{folder}" && exec "$0" "$@"']
        return self.serve(*options, prefix=prefix, env={"TMPDIR": str(folder)})

    @harness.needs_root
    def test_an_upload_without_room_is_507_and_others_are_answered(self):  # case 58
        server = self.serve_on("2M")
        for _ in range(3):
            with server.connect() as connection:
                reply = connection.request("POST", "/count.php", body=bytes(3_000_000))
                self.assertEqual(507, reply.status)
            self.assertIn("len=500000 ", server.post("/inp.php", bytes(500_000)).text)
        server.stderr.wait_for(r"507: cannot keep a request body: No space left on device")
        self.assertEqual(0, self.count(), "no script ran")
        self.assertEqual(b"static text\n", server.get("/a.txt").body)

    @harness.needs_root
    def test_kept_answers_leave_room_for_uploads(self):
        server = self.serve_on("8M", "--php-workers", "2", "--php-spool", "1G")
        slow = SlowReaders.ask_slowly(self, server)
        server.stderr.wait_for("scripts wait for slow clients.*No space left on device")
        self.assertIn("len=1500000 ", server.post("/inp.php", bytes(1_500_000)).text)
        self.assertEqual(expected(SIZE), slow.read_reply().body)

    def test_a_limit_of_file_sizes_is_a_full_disk_too(self):
        server = self.serve("--php-workers", "2", "--php-spool", "100M", "--access-log", "off",
                            prefix=["prlimit", "--fsize=1048576"])
        self.assertEqual(507, server.post("/inp.php", bytes(2_000_000)).status)
        self.assertEqual(expected(SIZE), SlowReaders.ask_slowly(self, server).read_reply().body)
        self.assertEqual("CL=3 len=3 m=POST", server.post("/inp.php", b"abc").text)
