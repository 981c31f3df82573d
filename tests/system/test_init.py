"""Users, and life as PID 1."""
import pwd

import harness
import processes


class Users(harness.TestCase):
    @harness.needs_root
    def test_started_as_root_the_server_and_the_workers_are_www_data(self):
        server = self.serve()
        self.assertEqual(200, server.get("/inp.php").status)
        www_data = pwd.getpwnam("www-data").pw_uid
        self.assertEqual({www_data}, {processes.user_of(p) for p in server.server_pids()})
        workers = processes.children
        processes.wait_for(lambda: {www_data} == {processes.user_of(p) for p in workers(server.fpm_pid())},
                           "every worker to be www-data")

    @harness.needs_root
    def test_another_user_can_be_chosen(self):
        server = self.serve("--user", "nobody:www-data")
        self.assertEqual(200, server.get("/inp.php").status)
        nobody = pwd.getpwnam("nobody").pw_uid
        self.assertEqual({nobody}, {processes.user_of(p) for p in server.server_pids()})

    @harness.needs_root
    def test_root_can_be_chosen_for_a_site_that_others_can_not_reach(self):
        self.root.chmod(0o700)
        server = self.serve("--user", "root")
        self.assertEqual(b"static text\n", server.get("/a.txt").body)
        self.assertEqual(200, server.get("/inp.php").status)

    @harness.needs_root
    def test_as_pid_1_of_a_container(self):
        server = self.serve(prefix=["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"])
        self.assertEqual(200, server.get("/inp.php").status)
        status = processes.read(server.init_pid, "status").decode()
        self.assertRegex(status, r"NSpid:\s+\d+\s+1\n")
        (self.root / "orphan.php").write_text("<?php exec('sh -c \"exit 0\" > /dev/null 2>&1 &'); echo 'ok';")
        for _ in range(20):
            self.assertEqual(200, server.get("/orphan.php").status)
        processes.wait_for(lambda: not [p for p in processes.children(server.init_pid)
                                        if not processes.alive(p)],
                           "no zombie")
        server.stop()  # PID 1 has no default for TERM: it ends only because it handles it

    @harness.needs_root
    def test_a_container_that_only_itself_reaches_says_so(self):
        container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        says = "reached only from inside this container"
        for listen, prefix, count in (("127.0.0.1:0", container, 1),
                                      (["127.0.0.1:0", "[::1]:0"], container, 1),
                                      (["127.0.0.1:0", "0.0.0.0:0"], container, 0),
                                      (f"unix:{self.temp}/s", container, 0), ("127.0.0.1:0", [], 0)):
            with self.subTest(listen=listen, container=bool(prefix)):
                server = self.serve_static(listen=listen, prefix=prefix)
                self.assertEqual(count, server.stderr.text.count(says), server.stderr.text)

    @harness.needs_root
    def test_root_that_may_not_act_for_another_user_says_what_is_missing(self):
        for name in ("kill", "setuid", "setgid", "chown", "dac_override"):
            prefix = ["setpriv", f"--bounding-set=-{name}", f"--inh-caps=-{name}"]
            with self.subTest(name):
                self.refused("-d", self.root, "-s", "127.0.0.1:0", "--user", "www-data", prefix=prefix,
                             says=["--user www-data", f"CAP_{name.upper()} "])

    @harness.needs_root
    def test_root_without_any_right_can_run_all_as_root(self):
        server = self.serve("--user", "root", prefix=["setpriv", "--bounding-set=-all", "--inh-caps=-all"])
        self.assertEqual(200, server.get("/inp.php").status)
        self.assertEqual({0}, {processes.user_of(p) for p in processes.descendants(server.init_pid)})
