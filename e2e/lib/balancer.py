# SPDX-License-Identifier: Apache-2.0
"""A TCP load balancer on loopback whose connections can be frozen."""
import select
import socket
import threading


class Balancer:
    """Sends each new connection to the next server. A context manager."""

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
        """Forwards what has arrived. Returns False if one side has ended."""
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
        """Returns the port of the server of the newest connection."""
        return self.links[-1][0]

    def freeze(self):
        """Stops forwarding on all open connections without closing them."""
        self.frozen |= set(self.links)
