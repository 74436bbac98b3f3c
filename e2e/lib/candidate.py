# SPDX-License-Identifier: Apache-2.0
"""Runs e2e_candidate and records what it did; a link to the API server that can be cut."""
import os
import select
import signal
import socket
import subprocess
import threading
import time

from lib import kube

LEASE, RENEW, RETRY = 3.0, 2.0, 0.5
ACT_EVERY = 0.05


class Link:
    """A TCP forwarder on loopback. While cut it accepts bytes and answers nothing."""

    def __init__(self, port):
        self.target, self.cut, self.open = ("127.0.0.1", port), False, True
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.threads = []
        self.spawn(self.accept)

    def spawn(self, run, *arguments):
        self.threads.append(threading.Thread(target=run, args=arguments, daemon=True))
        self.threads[-1].start()

    def accept(self):
        while self.open:
            if select.select([self.listener], [], [], 0.1)[0]:
                self.spawn(self.forward, self.listener.accept()[0])

    def forward(self, near):
        """Forwards both ways until one side ends. While the link is cut, data waits."""
        try:
            with near, socket.create_connection(self.target, timeout=5) as far:
                while self.open:
                    if self.cut:
                        time.sleep(0.02)
                        continue
                    for source in select.select([near, far], [], [], 0.05)[0]:
                        data = source.recv(65536)
                        if not data:
                            return
                        while self.cut and self.open:
                            time.sleep(0.02)
                        (far if source is near else near).sendall(data)
        except OSError:
            pass  # the other side sees the end of the connection

    def close(self):
        self.open = False
        for thread in self.threads:
            thread.join(timeout=6)
        self.listener.close()


class Candidate:
    """One process and the timeline that it prints."""

    def __init__(self, scenario, cluster, identity, wall_offset_hours):
        server = cluster.client().address
        self.identity = identity
        self.link = Link(server.port)
        kubeconfig = kube.write_kubeconfig(
            scenario.path("kubeconfig." + identity), f"https://127.0.0.1:{self.link.port}",
            "admin", "admin-token", **{"certificate-authority": cluster.ca_file})
        self.command = [
            os.path.join(scenario.bin_dir, "e2e_candidate"), "--kubeconfig=" + kubeconfig,
            "--lease=e2e", "--identity=" + identity, f"--lease-duration={LEASE * 1000:.0f}",
            f"--renew-deadline={RENEW * 1000:.0f}", f"--retry-period={RETRY * 1000:.0f}",
            f"--wall-offset={wall_offset_hours * 3600 * 1000}"]
        self.acts, self.process, self.reader = [], None, None
        self.start()

    def start(self):
        """Starts it, or starts it again after its end."""
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.reader = threading.Thread(target=self.read, args=(self.process,), daemon=True)
        self.reader.start()

    def read(self, process):
        for line in process.stdout:
            at, what = line.split()[:2]
            if what == "act":
                self.acts.append(int(at) / 1e9)

    def acted_since(self, at):
        return next((act for act in self.acts if act > at), None)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds):
        code = self.process.wait(timeout=seconds)
        self.reader.join(timeout=5)
        return code

    def close(self):
        if self.process.poll() is None:
            self.signal(signal.SIGKILL)
            self.wait(5)
        self.link.close()
