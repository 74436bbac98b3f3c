# SPDX-License-Identifier: Apache-2.0
"""A network namespace behind a link with a bandwidth and a delay. Needs root.

tc's netem does the same in the kernel, but not every kernel has it. Here a thread forwards packets
between two TUN devices, so TCP runs from end to end. The devices pass segments of up to 64 KiB, so
the thread has little to do.
"""
import collections
import fcntl
import os
import select
import struct
import threading
import time

from lib.netns import ip
from lib.scenario import Skipped

SERVER, CLIENT = "198.18.232.1", "198.18.232.2"  # from the range for network tests
TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
IFF_TUN, IFF_NO_PI, IFF_VNET_HDR = 0x1, 0x1000, 0x4000
OFFLOAD_CHECKSUM, OFFLOAD_TSO4 = 0x1, 0x2
VIRTIO = struct.Struct("=BBHHHH")  # flags, type, header length, segment size, checksum's place
PACKET_BYTES_MAX = VIRTIO.size + 65536


def open_tun(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF,
                struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI | IFF_VNET_HDR))
    fcntl.ioctl(device, TUNSETOFFLOAD, OFFLOAD_CHECKSUM | OFFLOAD_TSO4)
    return device


def wire_bytes(packet):
    """Returns the bytes of the IP packets that this one would be sent as."""
    _, kind, header, segment, _, _ = VIRTIO.unpack_from(packet)
    size = len(packet) - VIRTIO.size
    if kind == 0 or segment == 0:
        return size
    return size + (max(1, -(-(size - header) // segment)) - 1) * header


class Direction:
    """The packets on their way from one device to the other."""

    def __init__(self, source, sink, link):
        self.source, self.sink, self.link = source, sink, link
        self.waiting = collections.deque()  # (when it arrives, packet)
        self.free_at = 0.0  # when the link has sent all packets
        self.bytes = 0

    def receive(self, now):
        while True:
            try:
                packet = os.read(self.source, PACKET_BYTES_MAX)
            except BlockingIOError:
                return
            size = wire_bytes(packet)
            self.bytes += size
            self.free_at = max(now, self.free_at) + size * 8 / self.link.bits_per_second
            self.waiting.append((self.free_at + self.link.delay, packet))

    def deliver(self, now):
        while self.waiting and self.waiting[0][0] <= now:
            try:
                os.write(self.sink, self.waiting.popleft()[1])
            except OSError:
                pass  # the device is down: lost


class SlowLink:
    """`prefix` runs a command in the namespace. `round_trip` is in seconds."""

    def __init__(self, mbit, round_trip):
        self.bits_per_second, self.delay = mbit * 1e6, round_trip / 2
        self.namespace = f"capstan-{os.getpid()}"
        self.names = (f"cap{os.getpid()}h", f"cap{os.getpid()}c")
        self.prefix = ["ip", "netns", "exec", self.namespace]
        self.devices, self.directions, self.stop, self.thread = [], [], threading.Event(), None

    def __enter__(self):
        if os.geteuid() != 0:
            raise Skipped("needs root, for a network namespace")
        here, there = self.names
        try:
            ip("netns", "add", self.namespace)
            self.devices = [open_tun(name) for name in self.names]
            ip("link", "set", there, "netns", self.namespace)
            for where, name, own, other in (([], here, SERVER, CLIENT),
                                            (["-n", self.namespace], there, CLIENT, SERVER)):
                ip(*where, "addr", "add", own, "dev", name)
                ip(*where, "link", "set", name, "up")
                ip(*where, "route", "add", other, "dev", name, "src", own, "congctl", "cubic")
            ip("-n", self.namespace, "link", "set", "lo", "up")
        except (Skipped, OSError):
            self.__exit__()
            raise
        first, second = self.devices
        self.directions = [Direction(first, second, self), Direction(second, first, self)]
        self.thread = threading.Thread(target=self.run, name="slow-link")
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        if self.thread:
            self.thread.join()
        for device in self.devices:
            os.close(device)
        ip("netns", "del", self.namespace, check=False)

    def run(self):
        while not self.stop.is_set():
            arrivals = [d.waiting[0][0] for d in self.directions if d.waiting]
            wait = min([max(0.0, arrival - time.monotonic()) for arrival in arrivals] + [0.1])
            select.select([d.source for d in self.directions], [], [], wait)
            now = time.monotonic()
            for direction in self.directions:
                direction.receive(now)
                direction.deliver(now)

    @property
    def bytes_to_client(self):
        return self.directions[0].bytes
