"""Options: each that makes no sense ends in one line and exit status 2; the others are taken."""
import json
import socket

import client
import harness
import processes


class Refused(harness.TestCase):
    """self.refused() checks the status and the one line; the end of each test, that no process is left."""

    def refuse(self, option, value, *says, more=()):
        line = self.refused("-d", self.root, "-s", "127.0.0.1:0", *more, option, value,
                            says=[option, value, *says])
        return line

    def test_a_document_root_that_is_missing_or_a_file(self):
        for value in (self.temp / "nothing", self.root / "a.txt"):
            self.refused("--document-root", value, says=["--document-root", value])

    def test_a_bad_address_to_serve(self):
        for value in ("", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", ":80:80", "[::1:80", "unix:",
                      "-1", "1.2.3.4:x"):
            self.refused("-d", self.root, "--serve", value, says=["--serve", value])

    def test_an_address_of_another_machine(self):
        self.refused("-d", self.root, "--serve", "203.0.113.77:8080", says=["--serve", "203.0.113.77:8080"])

    def test_a_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.refused("-d", self.root, "-s", address, says=["--serve", address, "in use"])

    def test_the_same_address_twice(self):
        port = self.serve_static().port
        self.refused("-d", self.root, "-s", f"127.0.0.1:{port}", says=["--serve", "in use"])

    def test_a_bad_php_address(self):
        for value in ("", "x", "127.0.0.1:0", "127.0.0.1:99999", "unix:", "unix:relative/path", "9000000"):
            self.refuse("--php", value)

    def test_php_and_php_fpm_together(self):
        self.refused("-d", self.root, "-s", "127.0.0.1:0", "--php", "127.0.0.1:9000", "--php-fpm",
                     "/usr/sbin/php-fpm",
                     says=["--php", "--php-fpm"])

    def test_a_socket_of_php_that_may_not_be_opened(self):
        path = self.temp / "fpm.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            path.chmod(0o600)
            if harness.AS_ROOT:
                self.refuse("--php", f"unix:{path}", "may not connect")

    def test_bad_numbers(self):
        for option in ("--php-workers", "--threads"):
            for value in ("0", "-1", "x", "1.5", "99999999999", "4 ", ""):
                self.refuse(option, value)
        for value in ("-1", "x", "1.5", "99999999999"):
            self.refuse("--queue-length", value)

    def test_bad_sizes(self):
        for value in ("", "x", "-1", "1.5M", "8X", "99999999999999999999"):
            self.refuse("--max-body", value)

    def test_bad_durations(self):
        for name in ("header", "body", "send", "idle", "php", "queue"):
            for value in ("", "x", "-1s", "10y", "0"):
                self.refuse(f"--{name}-timeout", value)
        self.refuse("--grace", "soon")

    def test_a_bad_trusted_proxy(self):
        for value in ("", "x", "10.0.0.0/33", "10.0.0", "::1/129", "example.com"):
            self.refuse("--trusted-proxy", value)

    def test_a_bad_log(self):
        self.refuse("--access-log", self.temp / "nothing/log")
        self.refuse("--access-log", self.temp)
        self.refuse("--log-format", "xml")

    def test_a_bad_php_ini_and_value(self):
        self.refuse("--php-ini", self.temp / "nothing.ini")
        for value in ("memory_limit", "=x", "a b=c", "x=a\nb"):
            self.refused("-d", self.root, "-s", "127.0.0.1:0", "--php-value", value, says=["--php-value"])

    def test_a_bad_index_front_controller_and_health_path(self):
        for value in ("", "a/b", "..", "/x"):
            self.refuse("--index", value)
        for value in ("index.php", "/nothing.php", "/../x.php"):
            self.refuse("--front-controller", value)
        for value in ("/../x.html", "/.env", "/a/../x.html", "//x.html"):
            self.refuse("--front-controller", value)
        self.refuse("--health-path", "relative")

    @harness.needs_root
    def test_a_user_or_group_that_does_not_exist(self):
        self.refuse("--user", "no-such-user-here")
        self.refuse("--user", "www-data:no-such-group")

    def test_an_option_that_does_not_exist(self):
        self.refused("--no-such-option", says=["--no-such-option"])
        self.refused("argument", says=["argument"])

    def test_an_option_without_its_value(self):
        self.refused("--document-root", says=["--document-root"])

    def test_an_environment_variable_is_named_when_it_is_wrong(self):
        self.refused("-d", self.root, "-s", "127.0.0.1:0", env={"HTTPD_MAX_BODY": "lots"}, says=["lots"])

    @harness.needs_root
    def test_a_folder_that_blocks_the_user_is_named(self):
        blocked = self.temp / "private"
        blocked.mkdir(mode=0o700)
        harness.make_site(blocked / "site")
        line = self.refused("-d", blocked / "site", "-s", "127.0.0.1:0",
                            says=["--document-root", blocked / "site", "www-data", "--user"])
        self.assertRegex(line, rf"{blocked}(?!/site)", "the folder that blocks")


class Taken(harness.TestCase):
    def settings(self, *options, **keywords):
        result = self.run_binary("-d", self.root, *options, "--print-config", **keywords)
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertTrue(result.stdout.endswith("}\n"))
        return json.loads(result.stdout)

    def test_print_config_is_json_of_every_option(self):
        settings = self.settings()
        self.assertIsInstance(settings, dict)
        text = json.dumps(settings).replace("_", "-")
        for name in ("document-root", "serve", "php-fpm", "php-workers", "index", "front-controller",
                     "max-body", "threads",
                     "header-timeout", "body-timeout", "send-timeout", "idle-timeout", "php-timeout",
                     "queue-timeout",
                     "grace", "queue-length", "trusted-proxy", "access-log", "log-format", "user",
                     "health-path", "sandbox-read", "no-sandbox"):
            self.assertIn(name, text)
        self.assertIn("127.0.0.1:3000", text)

    def test_the_environment_counts_and_the_line_wins(self):
        env = {"HTTPD_QUEUE_LENGTH": "77", "HTTPD_INDEX": "home.html"}
        self.assertIn("77", json.dumps(self.settings(env=env)))
        self.assertIn("home.html", json.dumps(self.settings(env=env)))
        text = json.dumps(self.settings("--queue-length", "78", env=env))
        self.assertIn("78", text)
        self.assertNotIn("77", text)

    def test_the_document_root_can_come_from_the_environment(self):
        result = self.run_binary("--print-config", env={"HTTPD_DOCUMENT_ROOT": str(self.root)})
        self.assertIn(str(self.root), result.stdout)

    def test_the_default_document_root_is_the_current_folder(self):
        result = self.run_binary("--print-config", cwd=self.root)
        self.assertIn(str(self.root), result.stdout)

    def test_check_says_yes_and_starts_nothing(self):
        result = self.run_binary("-d", self.root, "-s", "127.0.0.1:0", "--check")
        self.assertEqual(0, result.returncode, result.stderr)

    def test_check_refuses_what_a_start_would(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.refused("-d", self.root, "-s", address, "--check", says=["--serve", address])

    def test_version_and_help(self):
        version = self.run_binary("--version")
        self.assertEqual((0, ""), (version.returncode, version.stderr))
        self.assertRegex(version.stdout, r"^(httpd-php-fpm )?\d+\.\d+\.\d+\n$")
        text = self.run_binary("--help")
        self.assertEqual(0, text.returncode)
        for option in ("--document-root", "--serve", "--php", "--trusted-proxy", "--grace", "HTTPD_"):
            self.assertIn(option, text.stdout)

    def test_several_addresses_are_served(self):
        path = self.temp / "web.sock"
        server = self.serve_static(listen=["127.0.0.1:0", "[::1]:0", f"unix:{path}"])
        self.assertEqual(3, len(server.urls))
        for url in server.urls:
            with client.Connection(server.address_of(url)) as connection:
                self.assertEqual(b"static text\n", connection.get("/a.txt").body, url)
        server.stop()
        self.assertFalse(path.exists(), "the socket file is gone")

    def test_options_in_short_form(self):
        server = self.start("-d", self.root, "-s", "127.0.0.1:0", "--php-fpm", "none").wait_until_serving()
        self.assertEqual(200, server.get("/a.txt").status)

    def test_the_number_of_workers_is_printed_with_its_arithmetic(self):
        server = self.start("-d", self.root, "-s", "127.0.0.1:0").wait_until_serving()
        server.stderr.wait_for(r"(?i)php.*workers")
        self.assertEqual(200, server.get("/inp.php").status)

    def test_php_values_and_ini_reach_php(self):
        ini = self.temp / "my.ini"
        ini.write_text("memory_limit = 77M\n")
        server = self.serve("--php-ini", ini, "--php-value", "error_prepend_string=a b;\"c\" $x")
        self.assertEqual("77M", server.get("/ini.php?n=memory_limit").text)
        self.assertEqual("a b;\"c\" $x", server.get("/ini.php?n=error_prepend_string").text)

    def test_the_number_of_workers_is_the_size_of_the_pool(self):
        server = self.serve("--php-workers", "3")
        self.assertEqual(200, server.get("/pid.php").status)
        processes.wait_for(lambda: len(processes.children(server.fpm_pid())) == 3, "three workers")


def environment_name(option):
    return "HTTPD_" + option.lstrip("-").upper().replace("-", "_")


class Variables(harness.TestCase):
    def test_every_option_with_a_value_has_its_variable(self):
        table = {"--php-workers": "0", "--queue-length": "x", "--max-body": "x", "--threads": "0",
                 "--log-format": "x",
                 "--trusted-proxy": "x", "--header-timeout": "x", "--body-timeout": "x",
                 "--send-timeout": "x",
                 "--idle-timeout": "x", "--php-timeout": "x", "--queue-timeout": "x", "--grace": "x",
                 "--index": "a/b",
                 "--php-ini": "/nothing", "--php-value": "x", "--serve": "x", "--document-root": "/nothing",
                 "--php": "x", "--access-log": "/nothing/x", "--front-controller": "x", "--health-path": "x",
                 "--sandbox-read": "/nothing", "--no-sandbox": "x"}
        for option, value in table.items():
            env = {"HTTPD_SERVE": "127.0.0.1:0", "HTTPD_DOCUMENT_ROOT": str(self.root),
                   environment_name(option): value}
            with self.subTest(option):
                self.refused(env=env)
