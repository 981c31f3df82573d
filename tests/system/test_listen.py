"""Listening sockets and limits of descriptors."""
import harness
import load


class Listeners(harness.TestCase):
    def test_the_port_is_free_again_after_a_stop(self):
        server = self.serve_static()
        self.assertEqual(200, server.get("/a.txt", {"Connection": "close"}).status)
        server.stop()
        again = self.serve_static(listen=f"127.0.0.1:{server.port}")
        self.assertEqual(200, again.get("/a.txt").status)


class Limits(harness.TestCase):
    def test_with_few_descriptors_clients_wait_instead_of_getting_errors(self):
        server = self.serve("--php-workers", "2", prefix=["prlimit", "--nofile=64:64"])
        self.assertEqual({200: 100}, load.Load(server, "/sleep.php?s=0.05", 60, 100).join())

    def test_idle_connections_make_room_for_new_ones(self):
        server = self.serve("--php-workers", "2", prefix=["prlimit", "--nofile=64:64"])
        idle = [server.connect() for _ in range(60)]
        for target in ("/a.txt", "/inp.php", "/.httpd/health"):
            self.assertEqual(200, server.get(target).status)
        for connection in idle:
            connection.close()
