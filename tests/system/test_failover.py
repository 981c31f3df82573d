"""Several external php-fpms: the next one answers when one is gone."""
import harness
import processes
from fake_fpm import FakeFpm


class Several(harness.TestCase):
    def start_two(self):
        answers = [lambda r: r.answer(b"X: y\r\n\r\none"), lambda r: r.answer(b"X: y\r\n\r\ntwo")]
        return [FakeFpm(self, answer, path=self.temp / f"{i}.sock") for i, answer in enumerate(answers)]

    def test_the_next_one_answers_when_the_first_is_down_and_the_first_when_it_is_back(self):
        first, second = self.start_two()
        server = self.serve("--php", second.address, php=first.address)
        self.assertEqual(b"one", server.get("/inp.php").body)
        first.stop()
        (self.temp / "0.sock").unlink()
        for _ in range(20):
            self.assertEqual(b"two", server.get("/inp.php").body)
        FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\none again"), path=self.temp / "0.sock")
        processes.wait_for(lambda: server.get("/inp.php").body == b"one again", "the first to be used again")

    def test_a_request_is_not_run_twice(self):
        def dies(request):
            request.out(b"")
        first = FakeFpm(self, dies, path=self.temp / "0.sock")
        second = FakeFpm(self, lambda r: r.answer(b"X: y\r\n\r\ntwo"), path=self.temp / "1.sock")
        server = self.serve("--php", second.address, php=first.address)
        self.assertEqual(502, server.post("/inp.php", b"pay once").status)
        self.assertEqual((1, 0), (len(first.requests), len(second.requests)))

    def test_a_real_php_fpm_that_is_stopped_and_started(self):
        first, second = self.php_fpm(listen="tcp"), self.php_fpm(listen="unix")
        server = self.serve("--php", second.address, php=first)
        self.assertEqual(200, server.get("/inp.php").status)
        first.stop()
        for _ in range(20):
            self.assertEqual(200, server.get("/inp.php").status)
        second.stop()
        self.assertIn(server.get("/inp.php", {}).status, (502, 503, 504))
        self.php_fpm(listen="tcp", port=first.port)
        processes.wait_for(lambda: server.get("/inp.php").status == 200, "PHP")
