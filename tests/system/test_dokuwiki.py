"""A real site that nobody here wrote: Debian's dokuwiki, served from its package."""
import hashlib
import html
import os
import pathlib
import re
import struct
import urllib.parse
import zlib

import harness

PACKAGE = pathlib.Path("/usr/share/dokuwiki")
PASSWORD = "correct horse"


def png(width=31, height=17):
    """A picture with noise in it, so that it is neither tiny nor all alike."""
    rows = b"".join(b"\0" + os.urandom(width * 3) for _ in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Browser:
    """Keeps cookies, follows redirects and fills in forms."""

    def __init__(self, server):
        self.server, self.cookies = server, {}

    def request(self, method, target, headers=None, body=None):
        headers = dict(headers or {}, Host=f"127.0.0.1:{self.server.port}")
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = self.server.request(method, target, headers, body)
        for cookie in reply.all("Set-Cookie"):
            name, value = cookie.split(";")[0].split("=", 1)
            self.cookies[name] = value
        if reply.status in (301, 302, 303):
            url = urllib.parse.urlsplit(reply.header("Location"))
            if url.netloc not in ("", f"127.0.0.1:{self.server.port}"):
                raise AssertionError(f"redirected to {reply.header('Location')}")
            return self.request("GET", url.path + ("?" + url.query if url.query else ""))
        return reply

    def get(self, target, headers=None):
        return self.request("GET", target, headers)

    def post(self, target, fields):
        return self.request("POST", target, {"Content-Type": "application/x-www-form-urlencoded"},
                            urllib.parse.urlencode(fields).encode())


def hidden_fields(page, form):
    """The named inputs of the form whose tag has `form` in it."""
    for tag, content in re.findall(r"(<form[^>]*>)(.*?)</form>", page, re.S):
        if form in tag:
            fields = {}
            for attributes in re.findall(r"<input([^>]*)>", content):
                found = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
                if "name" in found and found.get("type") == "hidden":
                    fields[found["name"]] = html.unescape(found.get("value", ""))
            return fields
    raise AssertionError(f"no form {form!r} in {page[:3000]}")


class DokuWiki(harness.TestCase):
    def setUp(self):
        super().setUp()
        if not PACKAGE.is_dir():
            self.fail("Debian's dokuwiki is not installed; tests/run does that")
        self.conf, data = self.temp / "conf", self.temp / "data"
        self.conf.mkdir()
        for name in ("attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta",
                     "pages", "tmp"):
            (data / name).mkdir(parents=True)
        self.write("local.php", "<?php\n" + "".join(f"$conf['{name}'] = {value};\n" for name, value in {
            "title": "'A wiki under test'", "savedir": f"'{data}'", "useacl": "1", "superuser": "'@admin'",
            "authtype": "'authplain'", "updatecheck": "0", "basedir": "'/'", "passcrypt": "'sha1'"}.items()))
        self.write("users.auth.php", "# <?php exit()?>\n" + ":".join([
            "alice", hashlib.sha1(PASSWORD.encode()).hexdigest(), "Alice", "alice@example.com",
            "admin,user"]) + "\n")
        self.write("acl.auth.php", "# <?php exit()?>\n* @ALL 1\n* @user 8\n* @admin 16\n")
        prepend = self.write("prepend.php", f"<?php define('DOKU_CONF', '{self.conf}/');\n")
        for path in [data, *data.rglob("*")]:
            path.chmod(0o777)
        self.conf.chmod(0o777)
        self.server = self.serve("--php-value", f"auto_prepend_file={prepend}", root=PACKAGE)
        self.browser = Browser(self.server)

    def write(self, name, content):
        path = self.conf / name
        path.write_text(content)
        path.chmod(0o666)
        return path

    def log_in(self):
        page = self.browser.get("/doku.php?id=start&do=login").text
        fields = hidden_fields(page, "dw__login") | {"u": "alice", "p": PASSWORD}
        page = self.browser.post("/doku.php?id=start&do=login", fields).text
        self.assertIn("do=logout", page)
        return page

    def test_a_reader_gets_the_start_page_with_its_style_script_and_pictures(self):
        page = self.browser.get("/").text
        self.assertIn("A wiki under test", page)
        references = {html.unescape(r) for r in re.findall(r'(?:src|href)="(/lib/[^"]+)"', page)}
        self.assertGreater(len(references), 4, page)
        for reference in sorted(references):
            reply = self.browser.get(reference)
            self.assertEqual(200, reply.status, reference)
            self.assertNotIn(b"<?php", reply.body[:1000])
        logo = self.browser.get("/lib/tpl/dokuwiki/images/logo.png")
        self.assertEqual((200, "image/png"), (logo.status, logo.header("Content-Type")))
        self.assertEqual((PACKAGE / "lib/tpl/dokuwiki/images/logo.png").read_bytes(), logo.body)

    def test_a_wrong_password_is_refused(self):
        page = self.browser.get("/doku.php?id=start&do=login").text
        fields = hidden_fields(page, "dw__login") | {"u": "alice", "p": "wrong"}
        self.assertNotIn("do=logout", self.browser.post("/doku.php?id=start&do=login", fields).text)

    def test_what_is_not_for_the_web_is_not_sent(self):
        for target in ("/.htaccess", "/inc/.htaccess", "/bin/.htaccess"):
            self.assertIn(self.server.get(target).status, (200, 302, 403, 404))
            self.assertNotIn(b"Deny", self.server.get(target).body)

    def test_log_in_create_a_page_upload_a_picture_and_get_both_back(self):
        self.log_in()
        text = "====== Täst ======\n\nWords & <signs> with {{:shots:noise.png?nolink}}\n"
        page = self.browser.get("/doku.php?id=shots:first&do=edit").text
        fields = hidden_fields(page, "dw__editform") | {"wikitext": text, "summary": "made",
                                                        "do[save]": "Save"}
        page = self.browser.post("/doku.php?id=shots:first", fields).text
        self.assertIn("Words &amp; &lt;signs&gt;", page)
        raw = self.browser.get("/doku.php?id=shots:first&do=export_raw")
        self.assertEqual(text, raw.text)
        self.assertTrue(raw.header("Content-Type").startswith("text/plain"))

        picture = png()
        token = hidden_fields(self.browser.get("/lib/exe/mediamanager.php?ns=shots").text,
                              "dw__upload")["sectok"]
        boundary = "----bouNdary"
        part = f'--{boundary}\r\nContent-Disposition: form-data; name="'
        body = "".join(f'{part}{name}"\r\n\r\n{value}\r\n' for name, value in (
            ("sectok", token), ("ns", "shots"), ("mediaid", "noise.png"))).encode()
        body += f'{part}upload"; filename="noise.png"\r\nContent-Type: image/png\r\n\r\n'.encode()
        body += picture + f"\r\n--{boundary}--\r\n".encode()
        reply = self.browser.request("POST", "/lib/exe/mediamanager.php?ns=shots",
                                     {"Content-Type": f"multipart/form-data; boundary={boundary}"}, body)
        self.assertIn("noise.png", reply.text)

        reply = self.browser.get("/lib/exe/fetch.php?media=shots:noise.png")
        self.assertEqual((200, "image/png", picture),
                         (reply.status, reply.header("Content-Type"), reply.body))
        reply = self.browser.get("/lib/exe/fetch.php?media=shots:noise.png", {"Range": "bytes=100-299"})
        self.assertEqual((206, picture[100:300]), (reply.status, reply.body))
        self.assertEqual(f"bytes 100-299/{len(picture)}", reply.header("Content-Range"))
        page = self.browser.get("/doku.php?id=shots:first").text
        self.assertIn("noise.png", page)

    def test_a_picture_through_x_sendfile(self):
        with (self.conf / "local.php").open("a") as file:
            file.write("$conf['xsendfile'] = 2;\n")
        self.log_in()
        path = self.temp / "data/media/direct.png"
        path.write_bytes(png())
        path.chmod(0o644)
        reply = self.browser.get("/lib/exe/fetch.php?media=direct.png")
        # The media folder is outside the document root: nothing of it may be sent this way.
        self.assertNotEqual(path.read_bytes(), reply.body)

    def test_the_ajax_interface_answers(self):
        self.log_in()
        reply = self.browser.post("/lib/exe/ajax.php", {"call": "qsearch", "q": "start"})
        self.assertEqual(200, reply.status)
