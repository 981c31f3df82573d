"""A scripted FastCGI peer on a real socket, for answers that php-fpm cannot be made to give."""
import os
import socket
import struct
import threading

BEGIN, ABORT, END, PARAMS, STDIN, STDOUT, STDERR = range(1, 8)


def record(kind, content=b"", request_id=1, padding=0):
    return struct.pack(">BBHHBB", 1, kind, request_id, len(content), padding, 0) + content + b"\0" * padding


def stream(kind, content):
    """Content as records of at most 65,535 bytes; none for empty content."""
    return b"".join(record(kind, content[i:i + 65535]) for i in range(0, len(content), 65535))


class Request:
    """What one connection asked: params (a dict) and stdin; and the verbs of the answer."""

    def __init__(self, connection):
        self._connection = connection
        self._file = connection.makefile("rb")
        self.params, self.stdin, self.keep = {}, b"", False
        self.pairs = []
        self._read()

    def _record(self):
        head = self._file.read(8)
        if len(head) < 8:
            raise ConnectionError("the server ended the request early")
        _, kind, _, length, padding, _ = struct.unpack(">BBHHBB", head)
        return kind, self._file.read(length + padding)[:length]

    def _read(self):
        params = b""
        while True:
            kind, content = self._record()
            if kind == BEGIN:
                self.keep = bool(content[2] & 1)
            elif kind == PARAMS and content:
                self._check_whole_pairs(content)
                params += content
            elif kind == PARAMS:
                self.pairs = list(pairs_of(params))
                self.params = dict(self.pairs)
            elif kind == STDIN and content:
                self.stdin += content
            elif kind == STDIN:
                return

    @staticmethod
    def _check_whole_pairs(content):
        list(pairs_of(content))  # php-fpm resets the connection when a pair straddles two records

    def raw(self, data):
        self._connection.sendall(data)

    def out(self, content):
        self.raw(stream(STDOUT, content))

    def err(self, content):
        self.raw(stream(STDERR, content))

    def end(self, status=0, protocol_status=0):
        self.raw(record(STDOUT) + record(END, struct.pack(">IBxxx", status, protocol_status)))

    def answer(self, content):
        self.out(content)
        self.end()

    def wait_for_close(self):
        """Until the server ends the connection; True when it does."""
        try:
            return self._file.read(1) == b""
        except OSError:
            return True


def pairs_of(content):
    position = 0

    def length():
        nonlocal position
        value = content[position]
        if value >> 7:
            value = int.from_bytes(content[position:position + 4], "big") & 0x7fffffff
            position += 4
        else:
            position += 1
        return value

    while position < len(content):
        name_length, value_length = length(), length()
        if position + name_length + value_length > len(content):
            raise AssertionError("a name/value pair is cut by the end of its record")
        name = content[position:position + name_length].decode("latin-1")
        position += name_length
        yield name, content[position:position + value_length].decode("latin-1")
        position += value_length


class FakeFpm:
    """Calls answer(request) for each request; returning ends the connection. listen: "unix" or "tcp"."""

    def __init__(self, test, answer, listen="unix", path=None, port=0, host="127.0.0.1"):
        self.answer = answer
        self.requests = []
        self.errors = []
        if listen == "unix":
            path = str(path or test.temp / "fake.sock")
            self.address = f"unix:{path}"
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(path)
            os.chmod(path, 0o666)
        else:
            self.socket = socket.create_server((host, port))
            self.port = self.socket.getsockname()[1]
            self.address = f"{host}:{self.port}"
        self.socket.listen(128)
        threading.Thread(target=self._accept, daemon=True).start()
        test.addCleanup(self.stop)
        test.addCleanup(lambda: test.assertEqual([], self.errors))

    def stop(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                request = Request(connection)
                self.requests.append(request)
                self.answer(request)
            except OSError:
                pass  # the server may end any connection
            except AssertionError as error:
                self.errors.append(str(error))
            try:
                connection.shutdown(socket.SHUT_RDWR)  # the request's file still holds the descriptor
            except OSError:
                pass
