"""What a user writes works as it would be guessed."""
import hashlib
import json

import engine
from engine import DEV, PHP, TestCase, docker
import processes

FROM = f"FROM {PHP}\nCOPY . /var/www/html\n"


class Use(TestCase):
    def test_from_and_copy_are_a_site(self):
        container = self.start(self.build(FROM, site=engine.TOP / "docker" / "www")).wait_until_serving()
        self.assertIn("PHP 8.4", container.get("/").text)
        self.assertEqual("text/css; charset=utf-8", container.get("/style.css").header("Content-Type"))
        picture = (engine.TOP / "docker" / "www" / "icon.png").read_bytes()
        self.assertEqual(picture, container.get("/icon.png").body)

    def test_a_public_folder_is_chosen_in_the_dockerfile(self):
        image = self.build(FROM + "ENV HTTPD_DOCUMENT_ROOT=/var/www/html/public\n",
                           {"public/index.php": "<?php echo 'app ', $_SERVER['REQUEST_URI'];", "secret.txt": "x"})
        container = self.start(image).wait_until_serving()
        self.assertEqual("app /some/route?a=b", container.get("/some/route?a=b").text)
        self.assertEqual("app /secret.txt", container.get("/secret.txt").text)

    def test_options_from_the_environment(self):
        container = self.serve(options=["-e", "HTTPD_PHP_WORKERS=3", "-e", "HTTPD_MAX_BODY=1k", "-e",
                                        "HTTPD_PHP_VALUE=memory_limit=77M; date.timezone=Asia/Tokyo",
                                        "-e", "HTTPD_LOG_FORMAT=json", "-e", "HTTPD_THREADS=1"])
        self.assertIn("with 3 workers (as told)", container.stderr())
        self.assertEqual("77M", container.get("/ini.php?n=memory_limit").text)
        self.assertEqual("Asia/Tokyo", container.get("/ini.php?n=date.timezone").text)
        self.assertEqual(413, container.request("POST", "/inp.php", body=b"x" * 2000).status)
        lines = processes.wait_for(lambda: container.stdout().splitlines(), "an access line")
        json.loads(lines[-1])

    def test_flags_after_the_image_name(self):
        container = self.serve("--php-workers", "2", "--access-log", "off",
                               options=["-e", "HTTPD_PHP_WORKERS=3"])
        self.assertIn("with 2 workers", container.stderr())
        self.assertEqual(200, container.get("/env.php").status)
        self.assertEqual("", container.stdout())

    def test_help_version_and_print_config(self):
        result = self.run_to_end(PHP, "--help")
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertIn("--document-root", result.stdout)
        self.assertEqual(0, self.run_to_end(PHP, "--version").returncode)
        result = self.run_to_end(PHP, "--print-config", options=["-e", "HTTPD_GRACE=3s"])
        self.assertEqual("/var/www/html", json.loads(result.stdout)["document-root"])

    def test_a_file_in_conf_d_is_a_setting(self):
        image = self.build(f"FROM {PHP}\nCOPY site.ini /etc/php/conf.d/\nCOPY ini.php /var/www/html/\n",
                           {"site.ini": "memory_limit = 99M\n", "ini.php": "<?php echo ini_get($_GET['n']);"})
        container = self.start(image).wait_until_serving()
        self.assertEqual("99M", container.get("/ini.php?n=memory_limit").text)

    def test_secrets_reach_php_byte_for_byte(self):
        secrets = {"APP_A": "a b\"c$d=e;#f'", "APP_EMPTY": "", "APP_LONG": "x" * 8192, "APP_NL": "one\ntwo"}
        container = self.serve(options=[part for name, value in secrets.items()
                                        for part in ("-e", f"{name}={value}")])
        for name, value in secrets.items():
            reply = container.get(f"/getenv.php?n={name}", {"APP_A": "forged", "APP-A": "forged"})
            self.assertEqual({"set": True, "hex": value.encode().hex()}, json.loads(reply.body), name)

    def test_an_extension_by_two_lines_of_another_stage(self):
        image = self.build(f"FROM {DEV} AS extensions\nRUN php-extensions gd intl\n"
                           f"FROM {PHP}\nCOPY --from=extensions /extensions /\nCOPY loaded.php /var/www/html/\n",
                           {"loaded.php": "<?php echo json_encode([function_exists('imagecreatetruecolor') && "
                                          "imagepng(imagecreatetruecolor(2, 2), '/tmp/a.png'), "
                                          "(new NumberFormatter('de', 1))->format(1234.5)]);"})
        container = self.start(image).wait_until_serving()
        self.assertEqual([True, "1.234,5"], json.loads(container.get("/loaded.php").body))

    def test_sessions_work(self):
        container = self.serve(site=engine.HERE / "www")
        cookie = container.get("/session.php").header("Set-Cookie").split(";")[0]
        self.assertEqual("2", container.get("/session.php", {"Cookie": cookie}).text)

    def test_uploads_work(self):
        content = bytes(range(256)) * 4000
        body = (b'--b\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n' + content +
                b"\r\n--b--\r\n")
        reply = self.serve().request("POST", "/form.php", {"Content-Type": "multipart/form-data; boundary=b"}, body)
        self.assertEqual(["a.bin", len(content), 0, hashlib.md5(content).hexdigest()],
                         json.loads(reply.body)["files"]["f"])

    def test_the_engine_sees_that_it_is_healthy(self):
        container = self.serve(options=["--health-interval", "1s"])
        container.wait_until_healthy()
        self.assertEqual(0, container.exec(engine.PROGRAM, "health").returncode)

    def test_a_port_given_by_the_environment_is_what_health_asks(self):
        container = self.start(PHP, options=["-e", "HTTPD_SERVE=0.0.0.0:8080", "--health-interval", "1s"],
                               port=8080).wait_until_serving()
        container.wait_until_healthy()

    def test_an_address_given_after_the_image_name_is_what_health_asks(self):
        for options in ([], ["--init"]):
            with self.subTest(options=options):
                container = self.start(PHP, "-s", "0.0.0.0:8081", "--health-path", "/up", port=8081,
                                       options=[*options, "--health-interval", "1s"]).wait_until_serving()
                container.wait_until_healthy()
                self.assertTrue(container.exec(engine.PROGRAM, "health").stdout.startswith("200 "))

    def test_an_address_that_published_ports_do_not_reach_is_told(self):
        says = "reached only from inside this container"
        for options in ([], ["--init"]):
            container = self.start(PHP, "-s", "3000", options=options)
            container.wait_for_log("serving ")
            self.assertEqual(1, container.stderr().count(says), container.stderr())
        container = self.serve()
        self.assertNotIn(says, container.stderr())

    def test_the_limit_of_a_body_is_one_for_php_too(self):
        container = self.serve(site=engine.HERE / "www", options=["-e", "HTTPD_MAX_BODY=20M"])
        self.assertEqual(["20971520"] * 2, json.loads(container.get("/limits.php").body))

    def test_a_limit_in_conf_d_is_kept(self):
        image = self.build(f"FROM {PHP}\nCOPY site.ini /etc/php/conf.d/\nCOPY limits.php /var/www/html/\n",
                           {"site.ini": "upload_max_filesize = 7M\n",
                            "limits.php": (engine.HERE / "www" / "limits.php").read_text()})
        container = self.start(image, "--max-body", "20M").wait_until_serving()
        self.assertEqual(["20971520", "7M"], json.loads(container.get("/limits.php").body))

    def test_the_server_image_says_what_it_needs(self):
        result = self.run_to_end(engine.SERVER)
        self.assertEqual(2, result.returncode)
        self.assertIn("--php ADDR", result.stderr)

    def test_the_server_image_serves_static_files(self):
        container = self.serve(image=engine.SERVER, options=["-e", "HTTPD_PHP_FPM=none"],
                               site=engine.TOP / "docker" / "www")
        self.assertEqual(200, container.get("/about.html").status)
