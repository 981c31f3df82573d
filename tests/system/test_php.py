"""Scripts: CGI variables, bodies and answers, with our own php-fpm and with external ones on Unix and TCP."""
import harness
from harness import on_every_php, variables


class Variables(harness.TestCase):
    @on_every_php
    def test_the_standard_variables_are_there(self, server):
        with server.connect() as connection:
            mine = connection.socket.getsockname()
            got = variables(connection.get("/env.php", {"Host": f"localhost:{server.port}"}))
        expected = {"DOCUMENT_ROOT": str(self.root), "DOCUMENT_URI": "/env.php", "REQUEST_METHOD": "GET",
                    "REQUEST_SCHEME": "http", "SERVER_PROTOCOL": "HTTP/1.1", "GATEWAY_INTERFACE": "CGI/1.1",
                    "SERVER_ADDR": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1", "REMOTE_PORT": str(mine[1]),
                    "HTTP_HOST": f"localhost:{server.port}", "SERVER_NAME": "localhost",
                    "SERVER_PORT": str(server.port), "QUERY_STRING": ""}
        self.assertEqual(expected, {name: got.get(name) for name in expected})
        self.assertNotIn("HTTPS", got)
        self.assertIn("httpd-php-fpm", got["SERVER_SOFTWARE"])

    def test_the_front_controller_can_be_another_one_or_none(self):
        (self.root / "app.php").write_bytes((self.root / "env.php").read_bytes())
        self.assertEqual("/app.php", variables(self.serve("--front-controller",
                                                          "/app.php").get("/x"))["SCRIPT_NAME"])
        self.assertEqual(404, self.serve("--front-controller", "none").get("/x").status)

    def test_without_index_php_there_is_no_front_controller(self):
        (self.root / "index.php").unlink()
        server = self.serve()
        self.assertEqual(404, server.get("/x").status)
        self.assertEqual(404, server.get("/x.php").status)

    def test_a_folder_is_answered_by_its_index_script(self):
        (self.root / "sub").mkdir()
        (self.root / "sub/index.php").write_bytes((self.root / "env.php").read_bytes())
        got = variables(self.serve().get("/sub/?a=b"))
        self.assertEqual(("/sub/index.php", "/sub/?a=b", "a=b"),
                         (got["SCRIPT_NAME"], got["REQUEST_URI"], got["QUERY_STRING"]))

    def test_repeated_headers_are_one_list(self):
        got = variables(self.serve().get("/env.php",
                                         [("X-A", "1"), ("X-A", "2"), ("Cookie", "a=1"), ("Cookie", "b=2")]))
        self.assertEqual(("1, 2", "a=1; b=2"), (got["HTTP_X_A"], got["HTTP_COOKIE"]))

    def test_php_sees_the_root_that_the_external_php_fpm_has(self):
        (self.temp / "elsewhere").symlink_to(self.root)
        server = self.serve("--php-root", self.temp / "elsewhere", php=self.php_fpm())
        got = variables(server.get("/env.php"))
        self.assertEqual((f"{self.temp}/elsewhere/env.php", f"{self.temp}/elsewhere"),
                         (got["SCRIPT_FILENAME"], got["DOCUMENT_ROOT"]))
