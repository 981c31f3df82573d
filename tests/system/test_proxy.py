"""Case 69: who the client is behind trusted proxies."""
import json

import harness


class Forwarded(harness.TestCase):
    def ask(self, server, *fields, host="shop.example"):
        reply = server.get("/env.php", [("Host", host), *fields])
        self.assertEqual(200, reply.status)
        return json.loads(reply.body)

    def trusting(self):
        return self.serve("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "10.0.0.0/8")

    def test_the_client_is_the_first_untrusted_from_the_right(self):
        server = self.trusting()
        got = self.ask(server, ("X-Forwarded-For", "6.6.6.6, 203.0.113.7, 10.0.0.2"),
                       ("X-Forwarded-Proto", "https"))
        self.assertEqual(("203.0.113.7", "on", "https"),
                         (got["REMOTE_ADDR"], got["HTTPS"], got["REQUEST_SCHEME"]))
        self.assertEqual("443", got["SERVER_PORT"])

    def test_an_untrusted_peer_is_not_believed(self):
        server = self.serve()
        got = self.ask(server, ("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-Proto", "https"),
                       ("X-Forwarded-Host", "evil.example"))
        self.assertEqual(("127.0.0.1", "http", "shop.example"),
                         (got["REMOTE_ADDR"], got["REQUEST_SCHEME"], got["HTTP_HOST"]))
        self.assertNotIn("HTTPS", got)

    def test_other_shapes_of_the_list(self):
        server = self.trusting()
        table = [([("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-For", "10.0.0.2")], "203.0.113.7"),
                 ([("X-Forwarded-For", "[2001:db8::1]:4711")], "2001:db8::1"),
                 ([("X-Forwarded-For", "2001:db8::1")], "2001:db8::1"),
                 ([("X-Forwarded-For", "203.0.113.7:4711")], "203.0.113.7"),
                 ([("X-Forwarded-For", "unknown")], "127.0.0.1"), ([("X-Forwarded-For", "")], "127.0.0.1"),
                 ([("X-Forwarded-For", "203.0.113.7, junk, 10.0.0.2")], "10.0.0.2"), ([], "127.0.0.1")]
        for fields, expected in table:
            self.assertEqual(expected, self.ask(server, *fields)["REMOTE_ADDR"], fields)

    def test_the_scheme_is_the_last_said(self):
        server = self.trusting()
        self.assertNotIn("HTTPS", self.ask(server, ("X-Forwarded-Proto", "https,http")))
        self.assertEqual("on", self.ask(server, ("X-Forwarded-Proto", "http, https"))["HTTPS"])
        self.assertNotIn("HTTPS", self.ask(server))

    def test_the_host_comes_from_the_proxy(self):
        got = self.ask(self.trusting(), ("X-Forwarded-Host", "shop.example:8443"), host="internal")
        self.assertEqual(("shop.example", "8443"), (got["SERVER_NAME"], got["SERVER_PORT"]))

    def test_a_unix_socket_can_be_trusted(self):
        path = self.temp / "web.sock"
        server = self.serve("--trusted-proxy", "unix", listen=f"unix:{path}")
        self.assertEqual("203.0.113.7", self.ask(server, ("X-Forwarded-For", "203.0.113.7"))["REMOTE_ADDR"])

    def test_the_log_names_the_client(self):
        server = self.trusting()
        self.ask(server, ("X-Forwarded-For", "203.0.113.7"))
        server.stdout.wait_for(r"^203\.0\.113\.7 ")
