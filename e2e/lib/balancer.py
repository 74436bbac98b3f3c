# SPDX-License-Identifier: Apache-2.0
"""A TCP load balancer on loopback, and what becomes of its connections when a server is gone."""
import select
import socket
import threading


class Balancer:
    """Each new connection goes to the next server. A context manager."""

    def __init__(self, *ports):
        self.ports, self.next, self.open = list(ports), 0, True
        self.links = []  # (server's port, near, far)
        self.frozen = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.open = False
        self.thread.join(timeout=5)
        for _, near, far in self.links:
            near.close()
            far.close()
        self.listener.close()

    def accept(self):
        near = self.listener.accept()[0]
        port = self.ports[self.next % len(self.ports)]
        self.next += 1
        self.links.append((port, near, socket.create_connection(("127.0.0.1", port), timeout=5)))

    def carry(self, link, ready):
        """Passes on what has come. False: one side has ended."""
        _, near, far = link
        try:
            for source, target in ((near, far), (far, near)):
                if source in ready:
                    data = source.recv(65536)
                    if not data:
                        return False
                    target.sendall(data)
        except OSError:
            return False
        return True

    def serve(self):
        while self.open:
            alive = [link for link in self.links if link not in self.frozen]
            watched = [self.listener, *(side for link in alive for side in link[1:])]
            ready = select.select(watched, [], [], 0.1)[0]
            for link in alive:
                if not self.carry(link, ready):
                    self.links.remove(link)
                    link[1].close()
                    link[2].close()
            if self.listener in ready:
                self.accept()

    def serving(self):
        """The port of the server that the newest connection leads to."""
        return self.links[-1][0]

    def freeze(self):
        """Nothing is carried any more on the connections that are open now, and none is closed."""
        self.frozen |= set(self.links)
