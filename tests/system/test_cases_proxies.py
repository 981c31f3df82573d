"""Known hard case 69: who the client is behind trusted proxies, and https."""
import harness
from harness import variables


class Forwarded(harness.TestCase):
    def ask(self, server, *fields, host="shop.example"):
        return variables(server.get("/env.php", [("Host", host), *fields]))

    def trusting(self):
        return self.serve("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "10.0.0.0/8")

    def test_case_69_the_client_is_the_first_untrusted_from_the_right(self):
        server = self.trusting()
        got = self.ask(server, ("X-Forwarded-For", "6.6.6.6, 203.0.113.7, 10.0.0.2"),
                       ("X-Forwarded-Proto", "https"))
        self.assertEqual(("203.0.113.7", "on", "https", "443"), (got["REMOTE_ADDR"], got["HTTPS"],
                                                                 got["REQUEST_SCHEME"], got["SERVER_PORT"]))

    def test_case_69_an_untrusted_peer_is_not_believed(self):
        server = self.serve()
        got = self.ask(server, ("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-Proto", "https"),
                       ("X-Forwarded-Host", "evil.example"), ("Forwarded", "for=6.6.6.6;proto=https"))
        self.assertEqual(("127.0.0.1", "http", "shop.example"),
                         (got["REMOTE_ADDR"], got["REQUEST_SCHEME"], got["HTTP_HOST"]))
        self.assertNotIn("HTTPS", got)

    def test_case_69_other_shapes_of_the_list(self):
        server = self.trusting()
        table = [([("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-For", "10.0.0.2")], "203.0.113.7"),
                 ([("X-Forwarded-For", "10.0.0.2"), ("X-Forwarded-For", "203.0.113.7")], "203.0.113.7"),
                 ([("X-Forwarded-For", "[2001:db8::1]:4711")], "2001:db8::1"),
                 ([("X-Forwarded-For", "[2001:db8::1]")], "2001:db8::1"),
                 ([("X-Forwarded-For", "2001:db8::1")], "2001:db8::1"),
                 ([("X-Forwarded-For", "203.0.113.7:4711")], "203.0.113.7"),
                 ([("X-Forwarded-For", "unknown")], "127.0.0.1"), ([("X-Forwarded-For", "")], "127.0.0.1"),
                 ([("X-Forwarded-For", "203.0.113.7,unknown")], "127.0.0.1"),
                 ([("X-Forwarded-For", "203.0.113.7 ,\t10.0.0.2")], "203.0.113.7"),
                 ([("X-Forwarded-For", "203.0.113.7, junk, 10.0.0.2")], "10.0.0.2"), ([], "127.0.0.1"),
                 ([("X-Forwarded-For", "10.0.0.9, 10.0.0.2")], "10.0.0.9"),
                 ([("X_Forwarded_For", "203.0.113.7")], "127.0.0.1")]
        for fields, expected in table:
            self.assertEqual(expected, self.ask(server, *fields)["REMOTE_ADDR"], fields)

    def test_case_69_https_is_the_last_scheme_said_and_else_unset(self):
        server = self.trusting()
        for value in ("https,http", "http", "", "junk", "https, junk"):
            self.assertNotIn("HTTPS", self.ask(server, ("X-Forwarded-Proto", value)), value)
        for value in ("http, https", "https", "HTTPS"):
            self.assertEqual("on", self.ask(server, ("X-Forwarded-Proto", value))["HTTPS"], value)
        self.assertNotIn("HTTPS", self.ask(server))

    def test_case_69_the_host_comes_from_the_proxy(self):
        got = self.ask(self.trusting(), ("X-Forwarded-Host", "shop.example:8443"), host="internal")
        self.assertEqual(("shop.example", "8443"), (got["SERVER_NAME"], got["SERVER_PORT"]))

    def test_case_69_a_unix_socket_can_be_trusted(self):
        path = self.temp / "web.sock"
        server = self.serve("--trusted-proxy", "unix", listen=f"unix:{path}")
        self.assertEqual("203.0.113.7", self.ask(server, ("X-Forwarded-For", "203.0.113.7"))["REMOTE_ADDR"])

    def test_case_69_the_log_names_the_client(self):
        server = self.trusting()
        self.ask(server, ("X-Forwarded-For", "203.0.113.7"))
        server.stdout.wait_for(r"^203\.0\.113\.7 ")
