"""Odd and malformed requests, generated from tables, each with the answers that may come: for test_desync.py;
those about bodies are in desync_bodies.py.

A variant that is refused gets one answer and a close. After any other the next request on the connection is
answered, unless the answer itself ends the connection. Nothing may be read in a second way."""
import dataclasses
import itertools

TOKEN = frozenset(b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


@dataclasses.dataclass(frozen=True)
class Variant:
    data: bytes
    method: str
    statuses: tuple
    goes_on: bool      # the next request is answered
    says: bytes = b""  # in the content of the answer


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode("latin-1")


def bad(data, *statuses, method="GET"):
    return Variant(as_bytes(data), method, statuses or (400,), False)


def good(data, status=200, method="GET", says=b"", goes_on=True):
    return Variant(as_bytes(data), method, (status,), goes_on, says)


def head(fields="", method="GET", target="/a.txt", version="HTTP/1.1", host="Host: x\r\n"):
    return f"{method} {target} {version}\r\n{host}{fields}\r\n"


def post(fields, body, version="HTTP/1.1", target="/count.php"):
    return head(fields, "POST", target, version) + body


def ran(fields, body, length=3, version="HTTP/1.1"):
    """A request that reaches a script, which says how much it got. HTTP/1.0 is kept open by our wish."""
    keep = "Connection: keep-alive\r\n" if version == "HTTP/1.0" else ""
    return good(post(fields + keep, body, version, "/inp.php"), method="POST", says=b"len=%d m=POST" % length)


def targets():
    right = ["/a.txt", "/a.txt?", "/a.txt??", "//a.txt", "/./a.txt", "/dir/../a.txt", "/%61.txt", "/%2fa.txt",
             "http://x/a.txt",
             "HTTP://x/a.txt", "https://x/a.txt", "http://y:1/a.txt", "http://[::1]:80/a.txt",
             "/a.txt?/../..", "/a.txt?%00",
             "/a.txt?%zz", "/a.txt?\xe9", "/a.txt?http://x/", "/a.txt?a=b;c|d", "/a.txt?\"<>\\^`{}"]
    wrong = ["", "a.txt", "?x", "#", "/a.txt#b", "/a.txt?a#b", "/a b", "/a.txt ", " /a.txt", "/a\tb",
             "/a\x01", "/a\x7f", "/a\0", "*",
             "http://", "http:///a.txt", "http:/a.txt", "http:a.txt", "ftp://x/a.txt", "http://u@x/a.txt",
             "http://u:p@x/a.txt",
             "http://x:99999/a.txt", "http://x:y/a.txt", "http://[::1/a.txt", "http://a b/a.txt",
             "http://x\\y/a.txt",
             "http://x#/a.txt", "http://x\xe9/a.txt", "x:80", "x", "/%", "/%4", "/%zz", "/%0g", "/%00",
             "/a.txt%00", "/..", "/../a.txt",
             "/%2e%2e/a.txt", "/dir/../../a.txt", "/..%2fa.txt", "//../a.txt", "\\a.txt", "~", "..",
             "javascript:x", "**"]
    for target, method in itertools.product(right, ("GET", "HEAD", "POST")):
        yield good(head(method=method, target=target), 405 if method == "POST" else 200, method)
    for target, method in itertools.product(wrong, ("GET", "HEAD", "POST", "PUT", "X")):
        yield bad(head(method=method, target=target), method=method)
    for method in ("GET", "HEAD", "POST"):
        yield bad(head(method=method, target="/" + "x" * 40_000), 414, method=method)
    yield good(head(method="OPTIONS", target="*"), 204, "OPTIONS")
    yield good(head(method="TRACE"), 405, "TRACE")
    for target in ("/a.txt", "*", "x", "http://x/", "x:y", "x:99999", "u@x:80"):
        yield bad(head(method="CONNECT", target=target), method="CONNECT")


def hosts():
    right = ["x", "X.example", "x:80", "x:", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:80", "a_b", "xn--a",
             "", "~"]
    wrong = ["a/b", "a@b", "a b", "a:b", "a:99999", "a:-1", "a:+1", "a:1:2", "[::1", "::1", "[x]", "[::1]x",
             "a\\b", "a?b", "a#b",
             "x, y", "http://a", ":80", "a\0b", "a\x7f", "a\tb", "\xe9", "a%", "a%zz", "<a>", '"a"', "{a}"]
    for host, method in itertools.product(right, ("GET", "HEAD")):
        yield good(head(method=method, host=f"Host: {host}\r\n"), method=method)
    for host, method, version in itertools.product(wrong, ("GET", "HEAD"), ("HTTP/1.1", "HTTP/1.0")):
        yield bad(head(method=method, host=f"Host: {host}\r\n", version=version), method=method)
        yield bad(head(method=method, target="http://x/a.txt", host=f"Host: {host}\r\n", version=version),
                  method=method)
    for fields in ("", "Host: x\r\nHost: x\r\n", "Host: x\r\nhost: y\r\n", "Host:\r\nHost: x\r\n",
                   "Host x\r\n", "Host\r\n",
                   "Host : x\r\n", " Host: x\r\n", "Host: x\r\n y\r\n", "X-Host: x\r\n", "Ho st: x\r\n"):
        for method in ("GET", "HEAD", "POST"):
            yield bad(head(method=method, host=fields), method=method)


def bytes_everywhere():
    """Each byte at each place of a head."""
    for byte in range(256):
        char, token = chr(byte), byte in TOKEN
        plain = byte >= 0x20 and byte != 0x7f
        yield (good if token or char == ":" else bad)(head(f"X{char}Y: z\r\n"))
        yield (good if token else bad)(head(f"{char}X: z\r\n"))
        yield (good if token or char == ":" else bad)(head(f"X{char}: z\r\n"))
        yield (good if plain or char == "\t" else bad)(head(f"X: a{char}c\r\n"))
        yield (good if plain or char == "\t" else bad)(head(f"X: {char}\r\n"))
        yield (good if plain and char not in " #" else bad)(head(target=f"/a.txt?a{char}c"))
        yield good(head(method=f"GE{char}T"), 405) if token else bad(head(method=f"GE{char}T"))
        yield good(char + head(), 405) if token else bad(char + head())
        yield (good if char == " " else bad)(f"GET{char}/a.txt HTTP/1.1\r\nHost: x\r\n\r\n")
        yield bad(head(version=f"HTTP/1.1{char}"))
        if char in "123456789":
            yield good(head(version=f"HTTP/1.{char}"))
        elif char != "0":
            yield bad(head(version=f"HTTP/1.{char}"))
            yield bad(head(version=f"HTTP/{char}.1"), 505, 400)
        if char not in "\r\n":
            yield bad(f"GET /a.txt HTTP/1.1{char}\nHost: x\r\n\r\n")


def shapes():
    """Request lines, line ends, empty lines, methods and versions."""
    for version in ("HTTP/2.0", "HTTP/0.9", "HTTP/3.1", "HTTP/9.9"):
        for method in ("GET", "HEAD", "POST"):
            yield bad(head(method=method, version=version), 505, method=method)
    yield bad("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 505)
    for version in ("", "HTTP", "HTTP/", "HTTP/1", "HTTP/1.", "HTTP/.1", "HTTP/11", "HTTP/1.10", "HTTP/01.1",
                    "http/1.1", "Http/1.1",
                    "HTTP/1,1", "HTTP 1.1", "HTTP/1.1 x", "XTTP/1.1", "HTTP/1.1\0", "HTTPS/1.1", "ICY/1.1",
                    "HTTP/-1.1", "HTTP/1.1 HTTP/1.1"):
        yield bad(head(version=version))
        yield bad(head(version=version, method="HEAD"), method="HEAD")
    for line in (" ", "GET", "GET ", "GET /a.txt", "GET  /a.txt HTTP/1.1", "GET /a.txt  HTTP/1.1",
                 "GET /a.txt HTTP/1.1 ", " GET /a.txt HTTP/1.1",
                 "GET\t/a.txt HTTP/1.1", "GET /a.txt\tHTTP/1.1", "/a.txt HTTP/1.1", "GET HTTP/1.1",
                 "HTTP/1.1 200 OK", "\x16\x03\x01\x02", "\x80\x80",
                 "GET /a.txt HTTP/1.1 GET /a.txt HTTP/1.1", "Host: x", "GET:/a.txt HTTP/1.1"):
        yield bad(f"{line}\r\nHost: x\r\n\r\n")
    for count in (1, 2, 8):
        yield good("\r\n" * count + head())
    for before in ("\r\n" * 9, "\n", "\r", "\r\r\n", " \r\n", "\n\r\n", "\r\n\n", "\r\n ", "\0\r\n", "x\r\n"):
        yield bad(before + head())
    for end in ("\n", "\r", "\r\r\n", "\n\r", "\r\n\0", "\0\r\n", "\x0b\r\n", "\x0c\r\n"):
        for form in ("GET /a.txt HTTP/1.1{}Host: x\r\n\r\n", "GET /a.txt HTTP/1.1\r\nHost: x{}X: y\r\n\r\n",
                     "GET /a.txt HTTP/1.1\r\nHost: x\r\nX: y{}\r\n",
                     "GET /a.txt HTTP/1.1\r\nHost: x\r\n{}\r\n\r\n"):
            if not (form.endswith("\r\n{}\r\n\r\n") and end in ("\n", "\r", "\r\n\0")):  # the end comes early
                yield bad(form.format(end))
    for line in ("no colon", "X", ": v", "X y: z", "X: y\r\n z", "X: y\r\n\tz", "X: y\r\n : z",
                 "X: y\r\n\r: z", " X: y", "\tX: y", "X\r\n: y"):
        for method, place in itertools.product(("GET", "HEAD"), ("{}Host: x\r\n", "Host: x\r\n{}")):
            yield bad(head(method=method, host=place.format(line + "\r\n")), method=method)
    yield good(head(method="M" * 64), 405)
    yield bad(head(method="M" * 65), 501)
    yield bad(head("X: y\r\n" * 300), 431)
    yield bad(head("X: " + "y" * 140_000 + "\r\n"), 431)
    yield bad(head("X: " + "y" * 140_000 + "\r\n", method="HEAD"), 431, method="HEAD")
    for method in ("get", "Get", "PROPFIND", "X", "!", "GETT", "HEADS", "head"):
        yield good(head(method=method), 405)


GROUPS = {"targets": targets, "hosts": hosts, "bytes everywhere": bytes_everywhere, "shapes": shapes}
