"""Desynchronisation: behind each of some thousand odd requests comes a good one, and the table says how many
answers may come and which. The table is desync.py and desync_bodies.py."""
import client
import desync
import desync_bodies
import harness

A = b"static text\n"
GROUPS = {**desync.GROUPS, **desync_bodies.GROUPS}
NEXT = client.format_request("GET", "/a.txt?next", {"Connection": "close"})
BEFORE = client.format_request("GET", "/a.txt?before")


class Desync(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve("--threads", "1", "--access-log", "off")

    def answers(self, variant, pieces, before=False):
        """What is wrong with the answers; "" for nothing."""
        with client.Connection(self.server.address) as connection:
            try:
                for piece in pieces:
                    connection.send(piece)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before all was sent; the answer is there all the same
            try:
                if before and connection.read_reply().body != A:
                    return "the request before it was answered wrongly"
                reply = connection.read_reply(variant.method)
                if reply.status not in variant.statuses:
                    return f"answered with {reply.status}"
                if variant.says not in reply.body:
                    return f"answered with {reply.body!r}"
                if reply.closes == variant.goes_on:
                    return f"Connection: {reply.header('Connection')}"
                if variant.goes_on:
                    following = connection.read_reply()
                    if (following.status, following.body) != (200, A):
                        return f"the next request was answered with {following!r}"
                return "" if connection.ended() else f"more answers: {bytes(connection.buffer)!r}"
            except (client.Incomplete, AssertionError, TimeoutError) as error:
                return f"{type(error).__name__}: {error}"

    def check(self, variants, ways):
        faults = []
        for variant in variants:
            for pieces, before in ways(variant.data):
                if fault := self.answers(variant, pieces, before):
                    faults.append(f"{variant.data[:300]!r} in {len(pieces)} pieces: {fault}")
        self.assertEqual([], faults[:20], f"{len(faults)} of them")
        self.assertEqual(0, self.count(), "a refused request reached its script")

    @staticmethod
    def three_ways(data):
        """In one write, in two, and behind a good request."""
        middle = len(data) // 2
        return ([data + NEXT], False), ([data[:middle], data[middle:] + NEXT],
                                        False), ([BEFORE + data + NEXT], True)

    @staticmethod
    def every_cut(data):
        return (([data[:cut], data[cut:] + NEXT], False) for cut in range(1, len(data) + 1))

    def check_group(self, name):
        self.check(GROUPS[name](), self.three_ways)

    def test_transfer_codings(self):
        self.check_group("transfer codings")

    def test_lengths(self):
        self.check_group("lengths")

    def test_chunks(self):
        self.check_group("chunks")

    def test_trailers(self):
        self.check_group("trailers")

    def test_targets(self):
        self.check_group("targets")

    def test_hosts(self):
        self.check_group("hosts")

    def test_bytes_everywhere(self):
        self.check_group("bytes everywhere")

    def test_shapes(self):
        self.check_group("shapes")

    def test_unread_bodies(self):
        self.check_group("unread bodies")

    def test_a_choice_of_each_group_cut_at_every_byte(self):
        for name, group in GROUPS.items():
            short = [variant for variant in group() if len(variant.data) < 200]
            self.check(short[::max(1, len(short) // 5)], self.every_cut)

    def test_the_table_is_large(self):
        variants = {variant.data for group in GROUPS.values() for variant in group()}
        self.assertGreater(len(variants), 3000)
