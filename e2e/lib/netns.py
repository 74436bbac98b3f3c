# SPDX-License-Identifier: Apache-2.0
"""Network namespaces: one for a client, with links that drop packets, and one without IPv4. Needs root."""
import os
import shutil
import subprocess

from lib.scenario import Skipped

# A subnet of this process in the range for network tests. The server listens on both of its addresses.
SERVER, CLIENT, SERVER_TOO = (
    f"198.19.{os.getpid() // 32 % 256}.{os.getpid() % 32 * 8 + host}" for host in (1, 2, 3))
NOBODY = "02:00:00:00:00:99"  # no interface has this address, so packets to it are dropped


def ip(*arguments, check=True):
    try:
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Skipped("needs ip: apt-get install iproute2") from error
    if check and done.returncode != 0:
        raise Skipped(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


class Link:
    """A namespace for the client, connected by a pair of virtual interfaces.

    `hosts` are the lines of its /etc/hosts.
    """

    def __init__(self, hosts=()):
        self.namespace = f"capstan-{os.getpid()}"
        self.here, self.there = f"cap{os.getpid()}h", f"cap{os.getpid()}c"
        self.hosts, self.folder = hosts, f"/etc/netns/{self.namespace}"  # ip-netns(8) mounts it
        self.prefix = ["ip", "netns", "exec", self.namespace]

    def __enter__(self):
        if os.geteuid() != 0:
            raise Skipped("needs root, for a network namespace")
        try:
            ip("netns", "add", self.namespace)
            ip("link", "add", self.here, "type", "veth", "peer", "name", self.there,
               "netns", self.namespace)
            for address in (SERVER, SERVER_TOO):
                ip("addr", "add", address + "/29", "dev", self.here)
            ip("link", "set", self.here, "up")
            ip("-n", self.namespace, "addr", "add", CLIENT + "/29", "dev", self.there)
            for device in ("lo", self.there):
                ip("-n", self.namespace, "link", "set", device, "up")
            if self.hosts:
                os.makedirs(self.folder)
                with open(self.folder + "/hosts", "w", encoding="ascii") as file:
                    file.writelines(line + "\n" for line in self.hosts)
        except (Skipped, OSError):
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        ip("route", "del", "blackhole", CLIENT, check=False)
        ip("link", "del", self.here, check=False)
        ip("netns", "del", self.namespace, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self):
        """Drops all packets from and to the client silently."""
        ip("route", "add", "blackhole", CLIENT)

    def revive(self):
        ip("route", "del", "blackhole", CLIENT)

    def drop(self, address):
        """Drops the client's packets to that address silently."""
        ip("-n", self.namespace, "neigh", "replace", address, "lladdr", NOBODY, "dev", self.there,
           "nud", "permanent")

    def deliver(self, address):
        """Ends drop()."""
        ip("-n", self.namespace, "neigh", "del", address, "dev", self.there)

    def addresses(self, name):
        """Returns the addresses of a name in the order of the client's resolver."""
        found = subprocess.run([*self.prefix, "getent", "ahosts", name], capture_output=True,
                               text=True, check=True).stdout
        return [line.split()[0] for line in found.splitlines() if "STREAM" in line]


class Ipv6Only:
    """A namespace in which ::1 is the only address."""

    def __init__(self):
        self.namespace = f"capstan-ipv6-{os.getpid()}"
        self.prefix = ["ip", "netns", "exec", self.namespace]

    def __enter__(self):
        if os.geteuid() != 0:
            raise Skipped("needs root, for a network namespace")
        ip("netns", "add", self.namespace)
        try:
            ip("-n", self.namespace, "link", "set", "lo", "up")
            ip("-n", self.namespace, "addr", "del", "127.0.0.1/8", "dev", "lo")
        except Skipped:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        ip("netns", "del", self.namespace, check=False)
