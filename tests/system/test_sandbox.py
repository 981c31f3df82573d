"""The server process confines itself: what it has left, and that nothing of a site suffers from it.

What it cannot do any more is tried from inside by tests/io/sandbox_test.cpp."""
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import sys
import unittest

import client
import harness
import processes
from server import as_user

CAPABILITY_SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
HERE = pathlib.Path(__file__).resolve().parent


def landlock_version():
    return ctypes.CDLL(None).syscall(ctypes.c_long(444), None, ctypes.c_long(0), ctypes.c_uint(1))


needs_landlock = unittest.skipUnless(landlock_version() > 0, "this kernel has no Landlock")


def status_of(pid, thread=None):
    text = processes.read(pid, f"task/{thread}/status" if thread else "status").decode("latin-1")
    return dict(line.split(":", 1) for line in text.splitlines())


def threads_of(pid):
    return [status_of(pid, thread) for thread in os.listdir(f"/proc/{pid}/task")]


class TestCase(harness.TestCase):
    """The site is web/site and spools go to spool: nothing else of the test's folder may be read."""

    def setUp(self):
        super().setUp()
        self.web = self.temp / "web"
        self.web.mkdir()
        self.root = self.root.rename(self.web / "site")
        self.spool = self.temp / "spool"
        self.outside = self.temp / "outside"
        for folder in (self.spool, self.outside):
            folder.mkdir()
        self.spool.chmod(0o1777)
        (self.outside / "file.txt").write_text("from outside")
        # Scripts of www/ write beside the site.
        (self.web / "state").symlink_to(self.state)

    def serve(self, *options, **keywords):
        keywords["env"] = {"TMPDIR": str(self.spool), **(keywords.get("env") or {})}
        return super().serve(*options, **keywords)

    def replaced(self, server, number):
        """The pid of the server process that a signal has started, when the old one has gone."""
        before = server.server_pids()
        server.send_signal(number)
        processes.wait_for(lambda: server.server_pids() and not set(server.server_pids()) & set(before),
                           "a new server process alone")
        server.stderr.wait_for(rf"server {server.server_pid()} took over")
        return server.server_pid()


class Rights(TestCase):
    def check(self, server, user, sets=CAPABILITY_SETS):
        uid = pwd.getpwnam(user).pw_uid if isinstance(user, str) else user
        self.assertEqual(200, server.get("/a.txt").status)
        for status in threads_of(server.server_pid()):
            self.assertEqual({name: 0 for name in sets}, {name: int(status[name], 16) for name in sets})
            self.assertEqual("1", status["NoNewPrivs"].strip())
            self.assertEqual([str(uid)] * 4, status["Uid"].split())
        self.assertEqual(200, server.get("/inp.php").status)

    @harness.needs_root
    def test_started_as_root_no_right_of_root_is_left(self):
        server = self.serve("--threads", "2")
        self.check(server, "www-data")
        self.check(self.serve("--user", "root"), "root")
        self.check(self.serve("--user", "nobody:www-data"), "nobody")

    @harness.needs_root
    def test_started_as_a_user_nothing_is_gained(self):
        server = self.serve(prefix=as_user(4711), executable=self.copy_of_binary())
        self.check(server, 4711, [name for name in CAPABILITY_SETS if name != "CapBnd"])

    @harness.needs_root
    def test_root_without_its_rights_is_told_at_the_start_what_it_can_not_read(self):
        os.chown(self.web, pwd.getpwnam("nobody").pw_uid, -1)
        self.web.chmod(0o700)
        self.refused("-d", self.root, "-s", "127.0.0.1:0", "--user", "root", "--php-fpm", "none",
                     says=["--document-root", f"root cannot enter {self.web} ", "--no-sandbox"])
        self.assertEqual(200, self.serve_static("--user", "nobody").get("/a.txt").status)

    def test_php_keeps_what_it_needs(self):
        (self.root / "exec.php").write_text(
            "<?php echo strlen(file_get_contents('/etc/passwd')) > 0, exec('echo ran');")
        self.assertEqual("1ran", self.serve().get("/exec.php").text)

    @needs_landlock
    def test_the_start_says_what_holds(self):
        server = self.serve()
        user = "www-data" if harness.AS_ROOT else pwd.getpwuid(os.geteuid()).pw_name
        found = server.stderr.wait_for(
            rf"confined: user {user}, no capabilities, no new privileges, Landlock ABI \d+ "
            rf"\(reads {self.web}, writes {self.spool}\)\n")
        self.assertEqual(1, len(found))

    def test_without_the_sandbox_that_is_said(self):
        for options, env in ((["--no-sandbox"], {}), ([], {"HTTPD_NO_SANDBOX": "yes"})):
            server = self.serve(*options, env=env)
            server.stderr.wait_for("not confined because of --no-sandbox: user ")
            (self.root / "link").symlink_to(self.outside)
            self.assertEqual("from outside", server.get("/link/file.txt").text)
            self.assertEqual("1", status_of(server.server_pid())["NoNewPrivs"].strip())
            self.assertEqual(200, server.get("/inp.php").status)
            (self.root / "link").unlink()
            server.stop()

    def test_an_engine_that_forbids_landlock_is_no_obstacle(self):
        for error, reason in (("EPERM", "forbidden by the container's engine"),
                              ("ENOSYS", "not in this kernel")):
            server = self.serve(prefix=[sys.executable, str(HERE / "without_landlock.py"), error])
            server.stderr.wait_for(f"no new privileges; without Landlock: {reason}")
            (self.root / "link").symlink_to(self.outside)
            self.assertEqual("from outside", server.get("/link/file.txt").text)
            self.assertEqual("CL=3 len=3 m=POST", server.post("/inp.php", b"abc").text)
            (self.root / "link").unlink()
            server.stop()


@needs_landlock
class Links(TestCase):
    """Roots that go through links, links that lead out of a root, and what comes after the start."""

    def release(self, number):
        folder = self.web / "releases" / str(number)
        folder.mkdir(parents=True)
        shutil.copy(self.root / "who.php", folder)
        (folder / "s.txt").write_text(str(number))

    def switch(self, number):
        (self.web / "next").symlink_to(f"releases/{number}")
        os.rename(self.web / "next", self.web / "current")

    def test_each_of_twenty_release_switches_shows_at_once(self):  # case 8
        self.release(0)
        self.switch(0)
        server = self.serve("--php-value", "opcache.enable=1", root=self.web / "current")
        with server.connect() as connection:
            for number in range(1, 21):
                self.release(number)  # not there at the start
                self.switch(number)
                root = f"{self.web}/releases/{number}"
                self.assertEqual(f"{root}\n{root}/who.php\n{root}", connection.get("/who.php").text)
                self.assertEqual(str(number), connection.get("/s.txt").text)
        self.assertNotIn("may not be read", server.stderr.text)

    def test_a_root_below_a_link_is_switched_too(self):
        for number in (1, 2):
            self.release(f"{number}/public")
        self.switch(1)
        server = self.serve_static(root=self.web / "current/public")
        self.assertEqual("1/public", server.get("/s.txt").text)
        self.switch(2)
        self.assertEqual("2/public", server.get("/s.txt").text)

    def test_a_root_that_is_replaced_is_read(self):
        server = self.serve_static()
        self.assertEqual(200, server.get("/a.txt").status)
        harness.make_site(self.web / "fresh")
        (self.web / "fresh/fresh.txt").write_text("fresh")
        self.root.rename(self.web / "old")
        (self.web / "fresh").rename(self.root)
        processes.wait_for(lambda: server.get("/fresh.txt").text == "fresh", "the new folder")
        shutil.rmtree(self.root)
        harness.make_site(self.root)
        processes.wait_for(lambda: server.get("/fresh.txt").status == 404 and
                           server.get("/a.txt").text == "static text\n", "the newest folder")

    def test_links_that_lead_out_of_the_root_are_followed(self):  # Laravel's public/storage
        storage = self.temp / "storage/app/public"
        storage.mkdir(parents=True)
        (storage / "a.png").write_bytes(b"png")
        (self.root / "storage").symlink_to("../../storage/app/public")
        (self.root / "one.txt").symlink_to(self.outside / "file.txt")
        server = self.serve()
        self.assertEqual(b"png", server.get("/storage/a.png").body)
        self.assertEqual("from outside", server.get("/one.txt").text)
        (storage / "later.png").write_bytes(b"later")
        self.assertEqual(b"later", server.get("/storage/later.png").body)

    def test_a_link_made_after_the_start_is_403_until_a_reload(self):
        server = self.serve()
        self.assertEqual(200, server.get("/a.txt").status)
        (self.root / "late").symlink_to(self.outside)
        for _ in range(3):
            self.assertEqual(403, server.get("/late/file.txt").status)
        shown = server.stderr.wait_for(r"[^\n]*may not be read[^\n]*\n")
        self.assertEqual(1, len(shown), "one line for many")
        for part in (f"{self.root}/late/file.txt", f"{self.outside}/file.txt", "HUP", "--sandbox-read",
                     "--no-sandbox"):
            self.assertIn(part, shown[0][0])
        self.assertEqual(200, server.get("/a.txt").status)
        self.replaced(server, signal.SIGHUP)
        self.assertEqual("from outside", server.get("/late/file.txt").text)

    def test_a_file_that_its_mode_forbids_is_not_blamed_on_the_sandbox(self):
        (self.root / "closed.txt").write_text("x")
        (self.root / "closed.txt").chmod(0)
        server = self.serve_static()
        self.assertEqual(403, server.get("/closed.txt").status)
        server.stop()
        self.assertNotIn("may not be read", server.stderr.text)

    def test_a_script_behind_such_a_link_still_runs(self):
        server = self.serve()
        self.assertEqual(200, server.get("/a.txt").status)
        shutil.copy(self.root / "inp.php", self.outside)
        (self.root / "late").symlink_to(self.outside)
        self.assertEqual(200, server.get("/late/inp.php").status)

    def test_more_can_be_allowed(self):
        for options in (["--sandbox-read", self.outside], ["--sandbox-read", self.spool,
                                                           f"--sandbox-read={self.outside}/file.txt"]):
            server = self.serve_static(*options)
            self.assertEqual(200, server.get("/a.txt").status)
            (self.root / "late").symlink_to(self.outside)
            self.assertEqual("from outside", server.get("/late/file.txt").text)
            (self.root / "late").unlink()
            server.stop()

    def test_a_link_to_a_folder_of_the_system_is_named_and_not_followed(self):
        (self.root / "link").symlink_to("/etc")
        server = self.serve_static()
        server.stderr.wait_for(rf"not followed: {self.root}/link leads to /etc,")
        self.assertEqual(403, server.get("/link/passwd").status)


class Use(TestCase):
    """What a site does all day, from inside the sandbox."""

    def test_a_large_file_is_whole(self):
        content = bytes(range(256)) * 4096 * 8
        (self.root / "large.bin").write_bytes(content)
        server = self.serve_static()
        self.assertEqual(content, server.get("/large.bin").body)
        self.assertEqual(content[-7:], server.get("/large.bin", {"Range": "bytes=-7"}).body)

    def test_a_script_hands_over_a_file(self):
        server = self.serve()
        for field, value in (("X-Sendfile", f"{self.root}/k.bin"), ("X-Accel-Redirect", "/k.bin")):
            self.assertEqual((self.root / "k.bin").read_bytes(),
                             server.get(f"/send.php?h={field}&v={value}").body)

    def test_a_large_upload_is_spooled_to_the_folder(self):
        server = self.serve()
        body = bytes(300_000)
        busy = server.connect()
        busy.send(client.format_request("POST", "/inp.php", {"Content-Length": 300_000}) + body[:200_000])

        def spooled():
            folder = pathlib.Path(f"/proc/{server.server_pid()}/fd")
            links = [os.readlink(entry) for entry in folder.iterdir()]
            return [link for link in links
                    if link.startswith(f"{self.spool}/") and link.endswith("(deleted)")]
        if harness.AS_ROOT:  # others may not look at a process that cannot be dumped
            processes.wait_for(spooled, "a spool file in the folder")
        busy.send(body[200_000:])
        self.assertIn("len=300000 ", busy.read_reply().text)

    def test_folders_and_their_index_and_redirects_are_as_ever(self):
        server = self.serve_static()
        self.assertEqual(301, server.get("/dir").status)
        self.assertEqual("<p>index of dir\n", server.get("/dir/").text)
        self.assertEqual(404, server.get("/empty").status)

    def test_an_external_php_fpm_is_reached_by_name_and_address(self):
        php = self.php_fpm(listen="tcp")
        for host in ("localhost", "127.0.0.1"):
            server = self.serve(php=f"{host}:{php.port}")
            self.assertEqual("CL=3 len=3 m=POST", server.post("/inp.php", b"abc").text)
            processes.wait_for(lambda: server.get("/.httpd/health").status == 200, "health")
        server = self.serve(php=self.php_fpm(listen="unix"))
        self.assertEqual("CL=3 len=3 m=POST", server.post("/inp.php", b"abc").text)

    def test_the_access_log_is_a_file_and_opened_again(self):
        log = self.temp / "access.log"
        server = self.serve("--access-log", log)
        server.get("/a.txt")
        processes.wait_for(lambda: "/a.txt" in log.read_text(), "the line")
        log.rename(self.temp / "old.log")
        self.replaced(server, signal.SIGUSR1)
        server.get("/k.bin")
        processes.wait_for(lambda: "/k.bin" in log.read_text(), "the line in a new file")
        self.assertEqual(200, server.get("/.httpd/health").status)

    def test_a_server_process_that_is_killed_is_replaced_by_a_confined_one(self):
        server = self.serve()
        pid = server.server_pid()
        os.kill(pid, signal.SIGKILL)
        processes.wait_for(lambda: server.server_pids() not in ([], [pid]), "a new server process")
        self.assertEqual(200, server.get("/inp.php").status)
        server.stderr.wait_for("confined: user", 2)


class Options(TestCase):
    def test_what_makes_no_sense_is_refused(self):
        for options in (["--sandbox-read", self.temp / "nothing"], ["--sandbox-read", ""],
                        ["--no-sandbox", "--sandbox-read", self.temp]):
            self.refused("-d", self.root, "-s", "127.0.0.1:0", "--php-fpm", "none", *options,
                         says=["--sandbox-read"])
        self.refused("-d", self.root, "-s", "127.0.0.1:0", "--php-fpm", "none", env={"HTTPD_NO_SANDBOX": "x"},
                     says=["--no-sandbox", "HTTPD_NO_SANDBOX"])
