# SPDX-License-Identifier: Apache-2.0
"""Probes get through while a client holds as many connections to the metrics port as it can.

For both programs, connections from one address send nothing, send a byte from time to time, or read no
answer, and reconnect: 6,000, or 200 of those that make the server write pages of metrics. The probe comes from the same address, like the kubelet's if the client is a
pod of the host network.
"""
import multiprocessing
import resource
import selectors
import socket
import time

from lib import agent
from lib.agent import Agent
from lib.manager import Manager
from lib.scenario import check_at_most

KINDS = ("embedded", "real")
COUNTS = {"idle": 6000, "slow": 6000, "greedy": 200}
SECONDS_MAX = 1.0  # the default timeoutSeconds of a probe
PROBES = 20
REQUESTS = {"idle": b"", "slow": b"GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ",
            "greedy": b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 3}


class Crowd:
    """Holds so many connections to a port and reopens closed ones.

    It is a process, because a thread would delay the probe between its connect and its request.
    """

    def __init__(self, port, kind):
        self.port, self.kind = port, kind
        self.sockets = None
        self.reopened = multiprocessing.Value("i", 0)
        self.ready, self.stop = multiprocessing.Event(), multiprocessing.Event()
        self.process = multiprocessing.Process(target=self.work)

    def open(self):
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.settimeout(5)
        made.connect(("127.0.0.1", self.port))
        made.setblocking(False)
        try:
            made.send(REQUESTS[self.kind])
        except OSError:
            pass  # it was closed at once, or nothing more fits
        self.sockets.register(made, selectors.EVENT_READ)

    def close(self, key):
        self.sockets.unregister(key.fileobj)
        key.fileobj.close()

    def work(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.sockets = selectors.DefaultSelector()
        for _ in range(COUNTS[self.kind]):
            self.open()
        self.ready.set()
        trickled = time.monotonic()
        while not self.stop.is_set():
            self.read()
            if self.kind == "slow" and time.monotonic() - trickled > 2:
                trickled = time.monotonic()
                self.trickle()

    def read(self):
        if self.kind == "greedy":  # it reads nothing, so it does not see the end
            return self.stop.wait(0.1)
        for key, _ in self.sockets.select(timeout=0.05):
            try:
                ended = not key.fileobj.recv(4096)
            except OSError:
                ended = True
            if ended:
                self.close(key)
                self.open()
                self.reopened.value += 1
        return None

    def trickle(self):
        for key in list(self.sockets.get_map().values()):
            try:
                key.fileobj.send(b"x")
            except OSError:
                pass  # closed: read() sees it

    def __enter__(self):
        self.process.start()
        assert self.ready.wait(30), "the connections were not opened"
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.process.join()


def probed(scenario, process, name):
    for kind in REQUESTS:
        slowest = 0.0
        with Crowd(process.port, kind) as crowd:
            for _ in range(PROBES):
                before = time.monotonic()
                status, text = process.get("/livez")
                assert status == 200, f"/livez of the {name} with {COUNTS[kind]} {kind}: {status} {text}"
                slowest = max(slowest, time.monotonic() - before)
        check_at_most(f"seconds until /livez with {COUNTS[kind]} {kind}", slowest, SECONDS_MAX)
        scenario.figure(f"{name}, {COUNTS[kind]} {kind} connections",
                        f"/livez within {slowest * 1000:.0f} ms of {PROBES} probes, "
                        f"{crowd.reopened.value} connected again")


def run(scenario):
    cluster = scenario.cluster()
    with Manager(scenario.bin_dir, cluster.kubeconfig(), "--leader-elect=false") as manager:
        manager.wait_ready()
        probed(scenario, manager, "manager")
    with Agent(scenario.bin_dir, agent.grant(cluster), "--pod-readiness-gate=pod-ip:any") as process:
        process.wait_ready()
        probed(scenario, process, "agent")
