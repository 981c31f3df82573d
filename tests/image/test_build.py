"""What the images hold, their sizes, and what they say of themselves."""
import json

import engine
from engine import DEV, INTL, PHP, SERVER, TestCase, docker

# What WordPress, Symfony and Laravel ask for.
EXTENSIONS = """ctype curl dom fileinfo filter hash iconv mbstring openssl pcre pdo_mysql mysqli pdo_pgsql pdo_sqlite
    phar session simplexml sodium tokenizer xml xmlreader xmlwriter zip zlib bcmath exif apcu redis posix sockets
    """.split() + ["zend opcache"]


def config_of(image):
    return json.loads(docker("image", "inspect", image).stdout)[0]["Config"]


class Build(TestCase):
    def test_every_image_is_within_its_budget(self):
        if engine.sizes_are_good is None:
            self.skipTest("not measured with --no-build")
        self.assertTrue(engine.sizes_are_good, "docker/size, above")

    def test_images_say_how_they_are_used(self):
        for image in (PHP, SERVER, DEV):
            with self.subTest(image=image):
                config = config_of(image)
                self.assertEqual([engine.PROGRAM], config["Entrypoint"])
                self.assertEqual(["3000/tcp"], list(config["ExposedPorts"]))
                self.assertEqual("SIGTERM", config["StopSignal"])
                self.assertEqual(["CMD", engine.PROGRAM, "health"], config["Healthcheck"]["Test"])
                self.assertEqual("/var/www/html", config["WorkingDir"])
                for name in ("title", "description", "licenses", "version", "revision"):
                    self.assertIn(f"org.opencontainers.image.{name}", config["Labels"])

    def test_the_small_images_have_no_shell_and_no_package_manager(self):
        for image in (PHP, SERVER):
            container = docker("create", image).stdout.strip()
            self.addCleanup(docker, "rm", container)
            for program in ("sh", "bash", "dash", "busybox", "apt-get", "dpkg"):
                for folder in ("/bin", "/usr/bin"):
                    result = docker("cp", f"{container}:{folder}/{program}", "-", check=False)
                    self.assertNotEqual(0, result.returncode, f"{image} has {program}")

    def test_the_named_extensions_are_there_and_work(self):
        container = self.serve(site=engine.HERE / "www", options=["-e", "TZ=Europe/Berlin"])
        loaded = [name.lower() for name in json.loads(container.get("/loaded.php").body)]
        self.assertEqual([], sorted(set(EXTENSIONS) - set(loaded)))
        self.assertNotIn("intl", loaded)
        works = container.get("/works.php")
        self.assertEqual(
            {"certificates": True, "time": -14400, "tz": "0", "iconv": "e282ac", "mbstring": "\u30c6",
             "type": "image/png", "sqlite": 42, "opcache": True, "curl": True, "sodium": 32, "apcu": True,
             "zip": True, "dom": True}, json.loads(works.body))
        self.assertNotIn("PHP Warning", container.stderr())

    def test_intl_has_its_data(self):
        if docker("image", "inspect", INTL, check=False).returncode:
            self.skipTest(f"{INTL} was not built")
        container = self.serve(image=INTL, site=engine.HERE / "www")
        self.assertIn("intl", json.loads(container.get("/loaded.php").body))
        self.assertEqual(["1.234,5", "1 janvier 1970", "xn--bcher-kva.de", "c3a9", "Privet", -1, "\u00e9"],
                         json.loads(container.get("/intl.php").body))

    def test_a_build_argument_adds_several_extensions(self):
        tag = "httpd-image-test:extensions"
        docker("build", "--target", "php", "--build-arg", "PHP_EXTENSIONS=intl gd imagick", "-t", tag, engine.TOP,
               timeout=1800)
        self.addCleanup(docker, "rmi", "-f", tag, check=False)
        container = self.serve(image=tag, site=engine.HERE / "www")
        self.assertEqual({"intl", "gd", "imagick"},
                         {"intl", "gd", "imagick"} & set(json.loads(container.get("/loaded.php").body)))
        pictures = json.loads(container.get("/pictures.php").body)
        self.assertEqual({name: [4, 3] for name in ("gd png", "gd jpeg", "gd webp", "gd avif", "imagick png",
                                                    "imagick jpeg", "imagick webp", "imagick gif")}, pictures)
        self.assertNotIn("PHP Warning", container.stderr())

    def test_the_dev_image_has_tools_and_xdebug_that_is_off(self):
        container = self.serve(image=DEV, site=engine.HERE / "www")
        self.assertIn("xdebug", json.loads(container.get("/loaded.php").body))
        self.assertEqual("off", container.exec("php", "-r", "echo ini_get('xdebug.mode');").stdout)
        for command in (("sh", "-c", "true"), ("composer", "--version"), ("apt-get", "--version"),
                        ("git", "--version")):
            container.exec(*command)
