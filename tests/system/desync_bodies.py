"""Requests with odd framing, and with bodies that nobody reads: a part of the table of desync.py."""
import itertools

from desync import bad, good, head, post, ran

CHUNKED = "Transfer-Encoding: chunked\r\n"
CODED = "3\r\nxyz\r\n0\r\n\r\n"
SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"


def transfer_codings():
    right = ["chunked", "Chunked", "CHUNKED", "\tchunked", "  chunked \t"]
    wrong = ["xchunked", "chunkedx", "chunk", "chunked, identity", "identity", "identity, chunked",
             "gzip, chunked",
             "chunked, gzip", "chunked, chunked", "", ",", "chunked,", ",chunked", "chunked;", "chunked;q=1",
             "chunked; x", '"chunked"', "'chunked'", "c hunked", "chunked chunked", "chunked\x0b",
             "\x0bchunked",
             "\x0cchunked", "chunked\0", "\xa0chunked", "chunked\xa0", "=chunked", "chunked=",
             "chunked\r\n\tx",
             "\r\n chunked", "chunked\r", "chunked\n", "x, chunked\r\nTransfer-Encoding: chunked",
             "chunked\r\nTransfer-Encoding: chunked", "chunked\r\nTransfer-Encoding: identity",
             "identity\r\nTransfer-Encoding: chunked", "chunked\r\nTransfer-Encoding:", "cow", "0", "deflate",
             "trailers"]
    lengths = [None, "0", "3", str(len(CODED)), "3, 3", "x"]
    for coding, length, first, version in itertools.product(right + wrong, lengths, (True, False),
                                                            ("HTTP/1.1", "HTTP/1.0")):
        if length is None and not first:
            continue
        lines = [f"Transfer-Encoding: {coding}\r\n"]
        if length is not None:
            lines.insert(1 if first else 0, f"Content-Length: {length}\r\n")
        fields = "".join(lines)
        if coding in right and length is None and version == "HTTP/1.1":
            yield ran(fields, CODED)
        else:
            yield bad(post(fields, CODED, version), 400, 501, method="POST")
    for name in ("transfer-encoding", "TRANSFER-ENCODING", "Transfer-encodinG"):
        yield ran(f"{name}:chunked\r\n", CODED)
        yield bad(post(f"{name}: chunked\r\nContent-Length: 3\r\n", CODED), method="POST")
    for name in ("Transfer-Encoding ", "Transfer-Encoding\t", " Transfer-Encoding", "\tTransfer-Encoding",
                 "Transfer Encoding", "Transfer-Encoding\0", "\0Transfer-Encoding", "Transfer-Encoding\x0b",
                 "Transfer-Encoding\r\n ", "X: y\nTransfer-Encoding", "X: y\rTransfer-Encoding",
                 "Transfer-Encoding\r",
                 "\xefTransfer-Encoding", "Transfer-Encoding=", '"Transfer-Encoding"',
                 "Transfer-Encoding\xa0"):
        yield bad(post(f"{name}: chunked\r\n", CODED), method="POST")
        yield bad(post(f"Content-Length: 3\r\n{name}: chunked\r\n", "abc"), method="POST")


def lengths():
    right = ["3", "003", "3 ", "\t3", "3, 3", "3,3", "3 ,\t3", "3\r\nContent-Length: 3", "3, 03"]
    wrong = ["", "+3", "-3", "-0", "0x3", "3x", "x", "3 3", "3,", ",3", ",", "3;3", "3.0", "3e0", "3, 4",
             "3,4,3", "'3'",
             '"3"', "3\0", "\x0b3", "3\x0c", "\xa03", "\xb3", "3\r", "3\n", "3\r\n 3",
             "3\r\nContent-Length: 4",
             "4\r\nContent-Length: 3", "3\r\nContent-Length:", "3\r\ncontent-length: x",
             "18446744073709551616",
             "18446744073709551619", "99999999999999999999", "9" * 100, "3_000", "three", "NaN", "1 2",
             "\xd9\xa3"]
    for value, version in itertools.product(right, ("HTTP/1.1", "HTTP/1.0")):
        yield ran(f"Content-Length: {value}\r\n", "abc", version=version)
        for method in ("GET", "HEAD", "DELETE"):  # not wanted by a file, read past all the same
            keep = "Connection: keep-alive\r\n" if version == "HTTP/1.0" else ""
            yield good(head(f"Content-Length: {value}\r\n{keep}", method, version=version) + "abc",
                       405 if method == "DELETE" else 200, method)
    for value, version in itertools.product(wrong, ("HTTP/1.1", "HTTP/1.0")):
        for method in ("POST", "GET", "HEAD"):
            yield bad(head(f"Content-Length: {value}\r\n", method, "/count.php", version) + "abc",
                      method=method)
    for name in ("Content-Length ", " Content-Length", "Content Length", "Content-Length\0",
                 "Content-Length\r\n ",
                 "X: y\nContent-Length", "X: y\rContent-Length", "\xefContent-Length", "Content-Length="):
        yield bad(post(f"{name}: 3\r\n", "abc"), method="POST")
        yield bad(post(f"Content-Length: 3\r\n{name}: 4\r\n", "abc"), method="POST")
    for name in ("Content_Length", "Content-Lengths", "ContentLength", "X-Content-Length",
                 "Transfer_Encoding", "TE",
                 "Trailer", "X-Transfer-Encoding", "Transfer-Encodings", "Content-Encoding"):
        yield ran(f"{name}: 3\r\n", "", 0)  # no such length: the next request is no body
        yield ran(f"{name}: chunked\r\nContent-Length: 3\r\n", "abc")
    for fields in ("Connection: Content-Length\r\n", "Upgrade: h2c\r\n",
                   "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                   "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n",
                   "Expect: 100-continue\r\n", "Expect: \r\n", "TE: trailers, chunked\r\n",
                   "X-HTTP-Method-Override: HEAD\r\n"):
        yield ran(f"{fields}Content-Length: 3\r\n", "abc")
        yield ran(f"{fields}Transfer-Encoding: chunked\r\n", CODED)
    yield bad(post("Expect: foo\r\nContent-Length: 3\r\n", "abc"), 417, method="POST")


def chunks():
    extensions = ["", ";a", ";a=b", ';a="b"', ';a="b;c\\"d"', ";a;b=c;d", "; a = b", ';a="\xe9\t"', ';a=""']
    wrong = [" ", "\t", ";", ";;", ";=", ";a=", ";a=;", ";=b", ';a="b', ';a="b\\', ';a="b"c', ';a=b"', ';"a"',
             ";a b",
             ";a\0", ";a\x7f", ";a=b=c", ";a,b", ",", ".", "x", "h", ":", ";a\r", ";a\n", ";a \r", "\n", "\r",
             "\0", "\x0b",
             ";(", '; "', ";a='b c'", ';a="\n"', ';a="\r"', ';a="\0"', ";\xe9", ";a=\xe9"]
    for size, extension in itertools.product(("3", "03", "0000000000000003"), extensions):
        yield ran(CHUNKED, f"{size}{extension}\r\nxyz\r\n0\r\n\r\n")
        yield ran(CHUNKED, f"1\r\nx\r\n{size}{extension}\r\nxyz\r\n0{extension}\r\n\r\n", 4)
    for place, end in itertools.product(("{}\r\nxyz\r\n0\r\n\r\n", "1\r\nx\r\n{}\r\nxyz\r\n0\r\n\r\n"),
                                        wrong):
        yield bad(post(CHUNKED, place.format("3" + end)), method="POST")
    for end in wrong:
        yield bad(post(CHUNKED, f"3\r\nxyz\r\n0{end}\r\n\r\n"), method="POST")
    for size in ("", " 3", "\t3", "+3", "-3", "0x3", "0X3", "x3", "\\x33", "g", "3.", "2", "4", "1", "5",
                 "3\r\n", "\r\n3",
                 "00000000000000003", "10000000000000003", "fffffffffffffffff", "\xef\xbc\x93", "'3'", '"3"',
                 "=3", "#3",
                 "%33", "3 3", "-0", "1e", "\0003", "\x0b3", "_3", "3_0", "0 ", "0x0", "+0", "O", "\xa03",
                 "~"):
        yield bad(post(CHUNKED, f"{size}\r\nxyz\r\n0\r\n\r\n"), method="POST")
        yield bad(post(CHUNKED, f"2\r\nab\r\n{size}\r\nxyz\r\n0\r\n\r\n"), method="POST")
    for end in ("\n", "\r", "\r\r\n", "\n\r", "\n\n", "\r\n\r\n", " \r\n", "", "\0\r\n"):
        for place in ("3{}xyz\r\n0\r\n\r\n", "3\r\nxyz{}0\r\n\r\n", "3\r\nxyz\r\n0{}\r\n"):
            if place.startswith("3\r\nxyz\r\n0") and end in ("\r\n\r\n", ""):
                continue  # the end comes early, or is one empty line: see the next two
            yield bad(post(CHUNKED, place.format(end)), method="POST")
        if end != "\r\n\r\n":
            yield bad(post(CHUNKED, f"3\r\nxyz\r\n0\r\n{end}"), method="POST")
    yield ran(CHUNKED, f"{len(SMUGGLED):x}\r\n{SMUGGLED}\r\n0\r\n\r\n", len(SMUGGLED))


def trailers():
    for line in ("X: y", "X:", "A: b\r\nC: d", "Content-Length: 9", "Transfer-Encoding: chunked",
                 "Host: evil", "X:\t\xe9",
                 "Connection: close", "!: x", "X: " + "y" * 8000, "\r\n".join(["X: y"] * 1000)):
        yield ran(CHUNKED, f"3\r\nxyz\r\n0\r\n{line}\r\n\r\n")
    for line in (" X: y", "\tX: y", "X : y", ": v", "X", "X y: z", "X: a\0b", "X: a\rb", "X: a\nb",
                 "X: y\r\n z", "X: y\r",
                 "X: y\n", "(: x", "X: \x7f", "X: \x1b[m", "\xe9: x", "X\0: y", "GET /smuggled HTTP/1.1",
                 "X: " + "y" * 17000, "\r\n".join(["X: y"] * 5000), "X" * 17000, "X: y\r\n" * 4000 + "X"):
        yield bad(post(CHUNKED, f"3\r\nxyz\r\n0\r\n{line}\r\n\r\n"), method="POST")


def unread_bodies():
    """A body that no handler wants is read past, or ends the connection; its bytes are never a request."""
    counted = f"Content-Length: {len(SMUGGLED)}\r\n"
    coded = f"{len(SMUGGLED):x}\r\n{SMUGGLED}\r\n0\r\n\r\n"
    for method, (target, status) in itertools.product(
            ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "X"),
            (("/a.txt", 200), ("/dir", 301), ("/.env", 404), ("/.httpd/health", 200))):
        if method == "TRACE":
            status = 405
        elif method not in ("GET", "HEAD"):
            status = {200: 405, 301: 308, 404: 404}[status]
        yield good(head(counted, method, target) + SMUGGLED, status, method)
        yield good(head(CHUNKED, method, target) + coded, status, method, goes_on=False)
        yield good(head("Content-Length: 100000\r\n", method, target) + SMUGGLED, status, method,
                   goes_on=False)
        yield good(head(counted + "Expect: 100-continue\r\n", method, target) + SMUGGLED, status, method,
                   goes_on=False)
    yield good(head(counted, "OPTIONS", "*") + SMUGGLED, 204, "OPTIONS")
    yield ran(counted, SMUGGLED, len(SMUGGLED))
    for version, connection in (("HTTP/1.0", ""), ("HTTP/1.0", "Connection: close\r\n"),
                                ("HTTP/1.0", "Connection: keep-alive, close\r\n"),
                                ("HTTP/1.1", "Connection: close\r\n"),
                                ("HTTP/1.1", "Connection: x, close\r\n")):
        for method in ("GET", "HEAD"):
            yield good(head(connection, method, version=version), method=method, goes_on=False)


GROUPS = {"transfer codings": transfer_codings, "lengths": lengths, "chunks": chunks, "trailers": trailers,
          "unread bodies": unread_bodies}
