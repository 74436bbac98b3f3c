# SPDX-License-Identifier: Apache-2.0
"""The first of the API server's two addresses drops packets, and the manager leads at once.

The manager runs in its own network namespace, where the server's name has two addresses. Later all
connections break, and then the addresses swap roles. The Lease is never lost. Needs root.
"""
import time

from lib import kube
from lib.embedded import EmbeddedCluster
from lib.manager import Manager
from lib.netns import SERVER, SERVER_TOO, Link
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded",)
NAME = "api.capstan.test"
LEASE = ("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
         "cert-manager-cainjector-leader-election")
ELECTION = ["--leader-election-lease-duration=6s", "--leader-election-renew-deadline=4s",
            "--leader-election-retry-period=1s"]
LEADS_WITHIN = 3
RENEWS_WITHIN = 5  # a retry period and the renew deadline
HOLDS_FOR = 8      # longer than the Lease duration


class ManagerBeyond(Manager):
    """A manager in the namespace of `link`. Its pages are not reachable from here."""

    def __init__(self, link, *arguments):
        super().__init__(*arguments)
        self.arguments = [*link.prefix[1:], self.program, *self.arguments]
        self.program = link.prefix[0]


class Lease:
    def __init__(self, cluster):
        self.cluster = cluster

    def spec(self):
        try:
            return self.cluster.client().call("GET", LEASE)["spec"]
        except kube.ApiError:
            return {}

    def holder(self):
        return self.spec().get("holderIdentity")

    def term(self):
        spec = self.spec()
        return {key: spec[key] for key in ("holderIdentity", "acquireTime", "leaseTransitions")}

    def wait_renewed(self, manager, seconds):
        """Returns the seconds until the next renewal."""
        before, asked = self.spec()["renewTime"], time.monotonic()
        manager.wait_until(lambda: self.spec().get("renewTime", before) != before,
                           "the Lease is renewed", seconds)
        return time.monotonic() - asked


def keeps(scenario, what, lease, manager, term):
    """Checks that the Lease is renewed in time and not acquired again."""
    renewed = lease.wait_renewed(manager, RENEWS_WITHIN)
    scenario.figure(f"{what}: renewed after", f"{renewed:.1f} s")
    time.sleep(HOLDS_FOR)
    lease.wait_renewed(manager, RENEWS_WITHIN)
    check_equal("the holder and its term", lease.term(), term)


def run(scenario):
    cluster = EmbeddedCluster.create(scenario.bin_dir, "0.0.0.0")
    scenario.clusters.append(cluster)
    cluster.server = cluster.server.replace("0.0.0.0", "127.0.0.1")
    lease = Lease(cluster)
    port = cluster.server.rsplit(":", 1)[1]
    kubeconfig = kube.write_kubeconfig(
        scenario.path("kubeconfig"), f"https://{NAME}:{port}", "admin", "admin-token",
        **{"certificate-authority": cluster.ca_file, "tls-server-name": "localhost"})
    hosts = ["127.0.0.1 localhost", f"{SERVER} {NAME}", f"{SERVER_TOO} {NAME}"]
    with Link(hosts) as link:
        first, second = link.addresses(NAME)
        link.drop(first)
        with ManagerBeyond(link, scenario.bin_dir, kubeconfig, *ELECTION) as manager:
            leads = manager.wait_until(lease.holder, "the manager leads", 60)
            scenario.figure("with the first address dropped, leads after", f"{leads:.1f} s")
            check_at_most("the time until it leads", leads, LEADS_WITHIN)
            term = lease.term()
            cluster.ask("stop")
            cluster.ask("start")
            keeps(scenario, "all connections broken", lease, manager, term)
            link.deliver(first)
            link.drop(second)
            keeps(scenario, "the other address dropped", lease, manager, term)
