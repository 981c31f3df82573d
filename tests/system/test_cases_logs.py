"""Known hard case 56: what PHP logs comes out whole and harmless; a log that nobody reads stops nobody."""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

import client
import harness
import processes
from load import Load
from server import END_WITH_US

SAID = "(?m)^(?:PHP message: )?"  # a line of a script; error_log() of PHP begins it so


class Messages(harness.TestCase):
    def servers(self):
        """Our own php-fpm writes to its standard error; an external one sends STDERR records."""
        return self.serve(), self.serve(php=self.php_fpm())

    def check_clean(self, server):
        self.assertNotIn("said into stderr", server.stderr.text)
        self.assertNotIn("WARNING: [pool", server.stderr.text)

    def test_case_56_a_long_message_is_whole(self):
        server = self.serve()
        self.assertEqual("ok", server.get("/err.php?n=3000").text)
        self.assertEqual("ok", server.get("/err.php?n=200000").text)
        server.stderr.wait_for(SAID + "E{3000}$")
        server.stderr.wait_for(SAID + "E{200000}$")
        server.stderr.wait_for(r"(?m)^a line to stderr$", 2)
        self.check_clean(server)

    def test_case_56_a_long_json_message_is_whole_and_as_it_was(self):
        message = json.dumps({"level": "info", "text": "t" * 5000, "path": "C:\\x \"q\" ä €"},
                             ensure_ascii=False)
        server = self.serve()
        for target in ("/log.php", "/log.php?stderr"):
            self.assertEqual("ok", server.post(target, message.encode()).text)
        server.stderr.wait_for(f"{SAID}{re.escape(message)}$", 2)
        self.check_clean(server)

    def test_case_56_a_message_of_an_external_php_fpm_names_its_request(self):
        message = json.dumps({"level": "info", "path": "C:\\x \"q\" ä €"}, ensure_ascii=False)
        server = self.serve(php=self.php_fpm())
        self.assertEqual("ok", server.post("/log.php", message.encode()).text)
        server.stderr.wait_for(re.escape(message) + r" \(POST /log\.php\)")

    def test_case_56_control_bytes_and_odd_bytes_are_escaped(self):
        for server in self.servers():
            message = b"one\x01\x1b[31m\x7f\r\xff\xfe\xc2\x9b end-of-it\nsecond \xc3\xa4"
            for target in ("/log.php", "/log.php?stderr"):
                self.assertEqual("ok", server.post(target, message).text)
            server.stderr.wait_for(r"one\\x01\\x1B\[31m\\x7F\\x0D\\xFF\\xFE\\xC2\\x9B end-of-it")
            server.stderr.wait_for("second ä")
            server.stop()
            self.assertFalse(re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", server.stderr.bytes), "a control byte")
            server.stderr.bytes.decode("utf-8")

    def test_case_56_much_of_it_and_from_many_loses_nothing(self):
        (self.root / "much.php").write_text(
            "<?php for ($i = 0; $i < 200; ++$i) error_log('m' . str_repeat('x', 500) . 'm'); echo 'ok';")
        server = self.serve()
        self.assertEqual({200: 20}, Load(server, "/much.php", 4, 20).join())
        server.stderr.wait_for(SAID + "mx{500}m$", 4000)


class Unread(harness.TestCase):
    """The reader of the logs stops: a pipe takes 64 KiB and then no more."""

    def begin(self, *options):
        """The server with both logs on one pipe, read until it serves."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        process = subprocess.Popen(
            [*END_WITH_US, harness.binary(), "-d", str(self.root), "-s", f"unix:{self.temp}/web.sock",
             "--php-workers", "2", *options], stdin=subprocess.DEVNULL, stdout=writer, stderr=writer,
            env=self.environment(), start_new_session=True)
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.kill)
        os.close(writer)
        text = b""
        while b"serving " not in text or not text.endswith(b"\n"):
            text += os.read(reader, 4096)
        return process, reader

    def ask(self, target, count=1):
        for _ in range(count):
            with client.Connection(f"{self.temp}/web.sock", timeout=60) as connection:
                self.assertEqual(200, connection.get(target, {"User-Agent": "u" * 1000}).status)

    def test_case_56_a_reader_of_the_log_that_stops_stops_neither_the_site_nor_its_end(self):
        process, reader = self.begin()
        self.ask("/a.txt", 200)  # more than a pipe takes
        self.ask("/err.php?n=100000", 5)
        self.ask("/a.txt", 50)
        self.ask("/inp.php", 50)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(0, process.wait(60))

    def test_case_56_a_reader_that_is_always_slow_does_not_put_off_the_end(self):
        (self.root / "much.php").write_text(
            "<?php for ($i = 0; $i < 3000; ++$i) error_log(str_repeat('x', 200)); echo 'ok';")
        process, reader = self.begin("--grace", "2s")
        size = 0

        def read_slowly():
            nonlocal size
            while data := os.read(reader, 4096):
                size += len(data)
                time.sleep(0.5)
        slow = threading.Thread(target=read_slowly)
        slow.start()
        self.addCleanup(slow.join)
        self.addCleanup(process.kill)
        for _ in range(2):
            asked = socket.socket(socket.AF_UNIX)
            self.addCleanup(asked.close)
            asked.connect(f"{self.temp}/web.sock")
            asked.sendall(b"GET /much.php HTTP/1.0\r\n\r\n")
        processes.wait_for(lambda: size > 16384, "a part of the messages")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(0, process.wait(25))

    def test_case_56_a_reader_that_reads_again_gets_the_log_again(self):
        process, reader = self.begin()
        self.ask("/err.php?n=100000", 3)
        self.ask("/a.txt", 100)
        os.set_blocking(reader, False)
        text = b""

        def read_until(wanted):
            nonlocal text
            self.ask("/err.php?n=7")
            try:
                while data := os.read(reader, 1 << 16):
                    text += data
            except BlockingIOError:
                pass
            return re.search(wanted, text)
        processes.wait_for(lambda: read_until(SAID.encode() + b"E{7}$"), "a message")
        processes.wait_for(lambda: read_until(rb"messages before this were lost"), "word of the lost ones")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(0, process.wait(60))
