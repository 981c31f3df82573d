"""A raw HTTP/1 client: sends the bytes it is given and reads exactly one answer at a time, strictly."""
import socket

TIMEOUT = 30  # seconds without a byte; only a broken server gets near it


class Incomplete(Exception):
    """The connection ended inside an answer; .reply holds what came, or None before a whole head."""

    def __init__(self, why, reply=None):
        super().__init__(why)
        self.reply = reply


class Reply:
    """One answer. framing: none, length, chunked or close (the body ends with the connection)."""

    def __init__(self, head):
        self.raw_head = head
        status_line, *lines = head.decode("latin-1").split("\r\n")
        version, code, self.reason = (status_line.split(" ", 2) + [""])[:3]
        if version not in ("HTTP/1.1", "HTTP/1.0") or len(code) != 3 or not code.isdigit():
            raise AssertionError(f"not a status line: {status_line!r}")
        self.version, self.status = version, int(code)
        self.fields = []
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or not name or name != name.strip() or any(c in line for c in "\r\n\0"):
                raise AssertionError(f"not a header field: {line!r}")
            self.fields.append((name.lower(), value.strip(" \t")))
        self.body = b""
        self.framing = "none"
        self.interim = []  # the 1xx answers before this one

    def all(self, name):
        return [value for field, value in self.fields if field == name.lower()]

    def header(self, name):
        """The value of a field that may be there once; None without it."""
        values = self.all(name)
        if len(values) > 1:
            raise AssertionError(f"{name} is there {len(values)} times: {values}")
        return values[0] if values else None

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def closes(self):
        tokens = ",".join(self.all("Connection")).lower()
        return "close" in tokens or (self.version == "HTTP/1.0" and "keep-alive" not in tokens)

    def __repr__(self):
        return f"<Reply {self.raw_head!r} + {len(self.body)} bytes: {self.body[:200]!r}>"


class Connection:
    """address: (host, port) or the path of a Unix socket."""

    def __init__(self, address, timeout=TIMEOUT, receive_buffer=None):
        unix = isinstance(address, str)
        family = socket.AF_UNIX if unix else socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(address)
        if not unix:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()  # grows without a copy for each part received

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends the connection with RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def end_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))

    def request(self, method, target, headers=None, body=None):
        """Sends a tidy request and reads its answer."""
        self.send(format_request(method, target, headers, body))
        return self.read_reply(method)

    def get(self, target, headers=None):
        return self.request("GET", target, headers)

    def _more(self):
        try:
            data = self.socket.recv(1 << 18)
        except ConnectionResetError:
            raise Incomplete("reset") from None
        self.buffer += data
        return bool(data)

    def read_until(self, end):
        while end not in self.buffer:
            if not self._more():
                raise Incomplete(f"closed before {end!r}; there was {self.buffer[:300]!r}")
        found, self.buffer = self.buffer.split(end, 1)
        return bytes(found)

    def read_exactly(self, count):
        while len(self.buffer) < count:
            if not self._more():
                error = Incomplete(f"closed after {len(self.buffer)} of {count} bytes")
                error.data = self._take()
                raise error
        return self._take(count)

    def _take(self, count=None):
        """The first bytes of the buffer, or all of them."""
        found = bytes(self.buffer[:count])
        del self.buffer[:len(found)]
        return found

    def read_head(self):
        """A status line and its fields; the body is left to the caller."""
        return Reply(self.read_until(b"\r\n\r\n"))

    def read_reply(self, method="GET"):
        """One final answer with its body; interim ones are kept beside it."""
        interim = []
        while True:
            reply = self.read_head()
            if reply.status >= 200 or reply.status == 101:
                break
            interim.append(reply)
        reply.interim = interim
        self._read_body(reply, method)
        return reply

    def _read_body(self, reply, method):
        codings, length = reply.header("Transfer-Encoding"), reply.header("Content-Length")
        if codings is not None and length is not None:
            raise AssertionError("both Transfer-Encoding and Content-Length")
        if length is not None and not length.isdigit():
            raise AssertionError(f"Content-Length: {length}")
        if method == "HEAD" or reply.status in (204, 304):
            if codings is not None and reply.status in (204, 304):
                raise AssertionError(f"{reply.status} with Transfer-Encoding")
            return
        if codings is not None:
            reply.framing = "chunked"
            self._read_chunks(reply)
        elif length is not None:
            reply.framing = "length"
            self._part(reply, int(length))
        else:
            reply.framing = "close"
            try:
                while self._more():
                    pass
            except Incomplete as error:
                reply.body = self._take()
                raise Incomplete(str(error), reply) from None
            reply.body = self._take()

    def _part(self, reply, count):
        try:
            reply.body += self.read_exactly(count)
        except Incomplete as error:
            reply.body += getattr(error, "data", b"")
            raise Incomplete(f"{error} of the body", reply) from None

    def _read_chunks(self, reply):
        chunks = []
        try:
            while chunk := self.read_chunk(reply):
                chunks.append(chunk)
        finally:
            reply.body = b"".join(chunks)

    def read_chunk(self, reply=None):
        """The next chunk; b"" is the last one."""
        try:
            size = self.read_until(b"\r\n")
            if not size or any(c not in b"0123456789abcdefABCDEF" for c in size):
                raise AssertionError(f"not a chunk size: {size!r}")
            chunk = self.read_exactly(int(size, 16))
            if self.read_exactly(2) != b"\r\n":
                raise AssertionError("a chunk without its end of line")
        except Incomplete as error:
            raise Incomplete(f"{error} in a chunked body", reply) from None
        return chunk

    def ended(self):
        """Waits for the end: True when the server closes (or resets) without one more byte."""
        try:
            while not self.buffer and self._more():
                pass
        except Incomplete:
            pass
        return not self.buffer

    def read_all(self):
        """Everything until the end, whatever it is."""
        try:
            while self._more():
                pass
        except Incomplete:
            pass
        return self._take()


def format_request(method, target, headers=None, body=None):
    """headers: a dict or a list of pairs; Host is added, and Content-Length with a body."""
    pairs = list(headers.items()) if isinstance(headers, dict) else list(headers or [])
    names = {name.lower() for name, _ in pairs}
    if "host" not in names:
        pairs.insert(0, ("Host", "localhost"))
    if body is not None and not names & {"content-length", "transfer-encoding"}:
        pairs.append(("Content-Length", len(body)))
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in pairs), "", ""]
    return "\r\n".join(lines).encode("latin-1") + (body or b"")


def chunked(body, size=7):
    """A body in the chunked coding."""
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"
