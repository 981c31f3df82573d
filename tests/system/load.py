"""Many clients at once, each with one request after the other on connections of their own."""
import threading

import client


class Load:
    """`clients` threads ask for `target` until `total` answers are there (or stop()); answers are counted by
    status, failures of the connection by the name of the exception."""

    def __init__(self, server, target, clients, total=None, keep_alive=False):
        self.address, self.target, self.keep_alive = server.address, target, keep_alive
        self.results = {}
        self._lock = threading.Lock()
        self._left = total
        self._stopped = False
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def _take(self):
        with self._lock:
            if self._stopped or self._left == 0:
                return False
            if self._left is not None:
                self._left -= 1
            return True

    def _run(self):
        connection = None
        while self._take():
            try:
                connection = connection or client.Connection(self.address, timeout=120)
                reply = connection.get(self.target, {} if self.keep_alive else {"Connection": "close"})
                self._note(reply.status)
                if reply.closes or not self.keep_alive:
                    connection.close()
                    connection = None
            except (OSError, client.Incomplete, AssertionError) as error:
                self._note(type(error).__name__)
                if connection:
                    connection.close()
                connection = None
        if connection:
            connection.close()

    def _note(self, what):
        with self._lock:
            self.results[what] = self.results.get(what, 0) + 1

    def answers(self):
        with self._lock:
            return sum(self.results.values())

    def failures(self):
        with self._lock:
            return {what: count for what, count in self.results.items() if what != 200}

    def stop(self):
        with self._lock:
            self._stopped = True
        return self.join()

    def join(self):
        for thread in self._threads:
            thread.join(300)
            if thread.is_alive():
                raise AssertionError(f"a client hangs; so far {self.results}")
        return dict(self.results)
