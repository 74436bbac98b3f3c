# SPDX-License-Identifier: Apache-2.0
"""A real containerd 1.7 creates and removes pods, and the broker forwards each event without blocking.

No part of Kubernetes runs. A small client makes the kubelet's calls, and a socket of this process
replaces the node agent's.
"""
import os
import signal
import socket
import struct
import subprocess
import time

from lib.containerd import IMAGE, Containerd
from lib.scenario import Skipped, check_at_most, check_equal

KINDS = ("real",)
TYPES = {1: "created", 2: "deleted", 3: "full pass", 4: "up", 5: "down"}
PODS = 10


class Agent:
    """The receiving socket. It counts datagrams by type."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.counts = dict.fromkeys(TYPES.values(), 0)
        self.last = {}

    def receive(self, until, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not until():
            self.socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                data = self.socket.recv(64)
            except TimeoutError as error:
                raise AssertionError(f"{what}: not within {seconds} s; {self.counts}") from error
            magic, kind, zero, count = struct.unpack(">4sBBH", data)
            assert magic == b"CEV1" and zero == 0 and len(data) == 8, data
            self.counts[TYPES[kind]] += count
            self.last[TYPES[kind]] = time.monotonic()

    def settle(self):
        """Reads until two heartbeats in a row had nothing before them."""
        quiet = 0
        while quiet < 2:
            before, beats = self.events(), self.counts["up"]
            self.receive(lambda beats=beats: self.counts["up"] > beats, "a heartbeat")
            quiet = quiet + 1 if self.events() == before else 0

    def receive_exactly(self, created_and_deleted):
        """Waits for this number of events, and checks that there are no more."""
        self.receive(lambda: all(a >= b for a, b in zip(self.events(), created_and_deleted)),
                     f"{created_and_deleted} events", 60)
        self.settle()
        check_equal("created and deleted", self.events(), created_and_deleted)

    def events(self):
        return self.counts["created"], self.counts["deleted"]


def run_pods(scenario, containerd, names):
    """Runs and removes pods one after another. Returns the seconds."""
    before = time.monotonic()
    done = subprocess.run(
        [os.path.join(scenario.bin_dir, "e2e_run_pods"), "unix://" + containerd.socket, IMAGE],
        input="".join(f"{name}\n" for name in names), text=True, capture_output=True, check=False,
        timeout=300)
    if done.returncode != 0:
        raise Skipped(f"containerd runs no pod on this machine: {done.stderr.strip()[-400:]}")
    check_equal("pods run", done.stdout.count(" done\n"), len(names))
    return time.monotonic() - before


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)


def scenario_with(scenario, containerd, agent, broker):
    agent.receive(lambda: agent.counts["up"] > 0, "the first stream")
    agent.settle()
    created, deleted = agent.events()
    seconds = run_pods(scenario, containerd, [f"pod-{i}" for i in range(PODS)])
    # Each pod has a sandbox and a container, and each of these causes an event.
    agent.receive_exactly((created + 2 * PODS, deleted + 2 * PODS))
    scenario.figure(f"{PODS} pods", f"{2 * PODS} created and {2 * PODS} deleted events, "
                    f"{seconds / PODS * 1000:.0f} ms a pod")

    # The agent does not read. Neither broker nor runtime waits for it, and nothing is lost.
    created, deleted = agent.events()
    stalled = run_pods(scenario, containerd, [f"stalled-{i}" for i in range(PODS)])
    agent.receive_exactly((created + 2 * PODS, deleted + 2 * PODS))
    scenario.figure("... while the agent reads nothing", f"{stalled / PODS * 1000:.0f} ms a pod")

    passes, beats = agent.counts["full pass"], agent.counts["down"]
    containerd.kill()
    agent.receive(lambda: agent.counts["down"] > beats, "that the stream is gone")
    containerd.start()
    agent.receive(lambda: agent.counts["full pass"] > passes, "the full pass of a new stream", 60)
    agent.settle()
    created, deleted = agent.events()
    run_pods(scenario, containerd, ["after"])
    agent.receive(lambda: agent.events() >= (created + 2, deleted + 2), "events of the new stream")
    scenario.figure("containerd killed and started again", "full pass, then events as before")

    status = status_of(broker.pid)
    check_equal("capabilities", (status["CapPrm"].strip(), status["CapBnd"].strip()), ("0" * 16,) * 2)
    check_equal("seccomp", status["Seccomp"].strip(), "2")
    high = int(status["VmHWM"].split()[0]) / 1024
    scenario.figure("the broker's peak memory", f"{high:.1f} MiB in {status['Threads'].strip()} threads")
    check_at_most("the broker's peak memory in MiB", high, 64)
    broker.send_signal(signal.SIGTERM)
    check_equal("exit code", broker.wait(20), 0)


def run(scenario, suite="trixie"):
    program = os.path.join(scenario.bin_dir, "capstan-cri-event-broker")
    if not os.path.exists(program):
        raise Skipped("the broker is not built; its build says what is missing")
    containerd = Containerd(scenario.folder, suite)
    agent = Agent(scenario.path("agent.sock"))
    broker = None
    try:
        containerd.start()
        scenario.figure("containerd", containerd.version())
        run_pods(scenario, containerd, ["first"])
        with open(scenario.path("broker.log"), "wb") as log:
            broker = subprocess.Popen(  # pylint: disable=consider-using-with
                [program, "--runtime-endpoint=unix://" + containerd.socket,
                 "--socket=" + scenario.path("agent.sock")], stdout=log, stderr=log)
        scenario_with(scenario, containerd, agent, broker)
    except AssertionError:
        if broker is None:
            raise
        with open(scenario.path("broker.log"), encoding="utf-8") as file:
            print(file.read()[-2000:])
        raise
    finally:
        if broker is not None and broker.poll() is None:
            broker.kill()
            broker.wait()
        containerd.stop()
