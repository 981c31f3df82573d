"""WordPress with its database, as docker/compose.database.yaml says, before a person with a real browser."""
import struct
import subprocess
import zlib

import engine
from engine import NAME, TOP, docker
import pypi
from test_compose import ComposeTestCase, compose_command, free_port


def picture(width, height):
    """A PNG of many colours."""
    rows = b"".join(b"\0" + b"".join(bytes((x * 255 // width, y * 255 // height, 128)) for x in range(width))
                    for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class WordPress(ComposeTestCase):
    def build_images(self):
        """The site, and what stands for the official MariaDB where no registry can be reached."""
        site, database = "httpd-image-test:wordpress", "httpd-image-test:mariadb"
        docker("build", "--build-arg", f"HTTPD_IMAGE={NAME}", "-t", site, TOP / "docker" / "wordpress", timeout=1800)
        docker("build", "-t", database, engine.HERE / "mariadb", timeout=1800)
        return {"WORDPRESS_IMAGE": site, "MARIADB_IMAGE": database}

    def visit(self, port, *arguments):
        result = subprocess.run([pypi.program("python"), engine.HERE / "wordpress.py", f"http://127.0.0.1:{port}",
                                 *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_a_post_is_written_and_outlives_its_containers(self):
        pypi.program("python")  # before minutes of building
        port = free_port()
        run = self.up("compose.database.yaml", PORT=port, DB_PASSWORD="a secret $with #signs", DB_ROOT_PASSWORD="root",
                      WORDPRESS_BLOCK_EXTERNAL=1, **self.build_images())
        self.get(port, "/wp-admin/install.php")
        file = self.folder() / "picture.png"
        file.write_bytes(picture(640, 480))
        self.visit(port, "write", file, pypi.BUILD / "wordpress.png")
        run("rm", "-f", "-s")  # the containers; what they keep is in volumes
        run("up", "-d", "--no-build")
        self.get(port, "/wp-login.php")  # the front page sends other names of the host to its own
        self.visit(port, "read")
        logs = run("logs", "--no-color", "web").stdout
        self.assertNotIn("Fatal error", logs)
        self.assertNotIn(" [error] ", logs)

    def test_a_missing_secret_is_named(self):
        file = str(TOP / "docker" / "compose.database.yaml")
        result = subprocess.run([*compose_command(), "-f", file, "config"], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(0, result.returncode)
        self.assertIn("DB_PASSWORD", result.stdout + result.stderr)
