# SPDX-License-Identifier: Apache-2.0
"""The cluster of a soak test: its programs, what disturbs them, and what must hold nevertheless."""
import functools
import time

from lib import agent, injection, kube, load, scenario as scenarios, targets
from lib.agent import Agent
from lib.cache_dump import CacheDump
from lib.manager import Manager
from lib.scenario import check_equal
from soak.certificates import ClientCertificates
from soak.churn import CONDITION

TARGETS = 48  # of webhook configurations; for each source there are also targets of every kind
GATE_SETS = kube.path_of("v1", "configmaps", "ca", "gate-sets")
# The pair's Lease. After a SIGTERM the standby acquires it within the retry period.
ELECTION = ("--leader-election-namespace=pair", "--leader-election-retry-period=2s")
# Everything settles within two minutes.
eventually = functools.partial(scenarios.eventually, seconds=120)


def short_lived_ca(name):
    """Returns a CA that expires in five minutes. A bundle keeps former CAs until they expire."""
    since, until = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + seconds))
                    for seconds in (-60, 300))
    return load.new_ca(name, since, until)


class World:
    """A context manager. `manager`, `agent` and `informer` run from the beginning to the end. `pair`
    are two managers of another namespace that take turns as the leader."""

    def __init__(self, scenario):
        self.certificates = ClientCertificates(scenario.path("clients"), "capstan")
        self.cluster = scenario.cluster("--client-ca-file=" + self.certificates.ca)
        self.client = self.cluster.client()
        self.counts = dict.fromkeys(
            ("kills", "rotations", "client certificates", "gate-set edits", "leader changes"), 0)
        self.pems = {}
        agent.grant(self.cluster)
        for name in ("pair", "ca", agent.NAMESPACE):
            load.ensure_namespace(self.client, name)
        for namespace in ("ca", "pair"):
            self.pems[namespace] = short_lived_ca(namespace)
            self.client.create(load.ca_secret(namespace, "root", self.pems[namespace]))
            load.load_configurations(self.client, TARGETS, namespace + "/root", "target-" + namespace)
            injection.create(self.client, "kind-" + namespace, load.SOURCE, namespace + "/root")
        self.client.create({"apiVersion": "v1", "kind": "ConfigMap",
                            "metadata": {"namespace": "ca", "name": "gate-sets"}, "data": {}})
        kubeconfig = self.certificates.kubeconfig(self.cluster)
        binaries = scenario.bin_dir
        self.informer = CacheDump(binaries, kubeconfig)
        self.manager = Manager(binaries, kubeconfig, "--ignore-namespaces=pair",
                               "--leader-election-namespace=ca")
        self.agent = Agent(binaries, kubeconfig, "--pod-readiness-gate=pod-ip:any",
                           f"--pod-readiness-gate=pod-annotation:{CONDITION}",
                           "--gate-sets=ca/gate-sets")
        self.new_member = lambda: Manager(binaries, kubeconfig, "--namespace=pair", *ELECTION)
        self.pair = [self.new_member(), self.new_member()]

    def programs(self):
        return [self.informer, self.manager, self.agent, *self.pair]

    def __enter__(self):
        for program in self.programs():
            program.__enter__()
        for program in (self.manager, self.agent):
            program.wait_ready()
        eventually(lambda: self.leader() is not None, "a manager of the pair leads")
        return self

    def __exit__(self, *exception):
        for program in self.programs():
            program.__exit__(*exception)

    def pids(self):
        return {"manager": self.manager.process.pid, "agent": self.agent.process.pid,
                "informer": self.informer.process.pid}

    def leader(self):
        return next((member for member in self.pair
                     if member.metric("leader_election_master_status") == 1), None)

    # What disturbs the programs:

    def kill_apiserver(self):
        self.cluster.kill("kube-apiserver")
        time.sleep(self.counts["kills"] % 4)  # 0 to 3 s
        self.cluster.start_apiserver()
        self.client.close()
        self.counts["kills"] += 1

    def rotate(self):
        for namespace in self.pems:
            pem = short_lived_ca(namespace)
            self.client.merge_patch(kube.path_of("v1", "secrets", namespace, "root"),
                                    {"data": {"ca.crt": load.encoded(pem)}})
            self.pems[namespace] = pem
        self.counts["rotations"] += 1

    def rotate_client_certificate(self):
        self.certificates.rotate()
        self.counts["client certificates"] += 1

    def edit_gate_sets(self):
        number = self.counts["gate-set edits"]
        sets = {f"set-{i}": f"pod-ip:any\npod-annotation:example.com/{number}\n"
                for i in range(number % 5)}
        self.client.merge_patch(GATE_SETS, {"data": {f"set-{i}": None for i in range(5)} | sets})
        self.counts["gate-set edits"] += 1

    def change_leader(self):
        """Stops the leader with SIGTERM and starts another manager. One of the two soon leads."""
        leader = self.leader()
        if leader is None:
            return  # a change is on its way
        check_equal("exit code of the former leader", leader.stop()[0], 0)
        leader.__exit__(None, None, None)
        self.pair.remove(leader)
        self.pair.append(self.new_member().__enter__())
        eventually(lambda: self.leader() is not None, "another manager leads", seconds=30)
        self.counts["leader changes"] += 1

    # What must hold when the cluster is quiet:

    def check(self):
        for program in (self.manager, self.agent, *self.pair):
            assert program.is_running(), f"{program.PROGRAM} exits {program.process.returncode}"
        for namespace, pem in self.pems.items():
            self.check_targets(namespace, pem)
        self.check_caches()
        self.check_gates()

    def check_targets(self, namespace, pem):
        eventually(lambda: load.in_sync(self.client, pem, TARGETS, "target-" + namespace) == TARGETS,
                   f"every webhook configuration has the bundle of {namespace}/root")
        paths = [injection.path_of(kind, "kind-" + namespace) for kind in injection.KINDS]
        eventually(lambda: all(targets.holds(self.client, path, pem) for path in paths),
                   f"the targets of each kind have the bundle of {namespace}/root")

    def check_caches(self):
        versions = {f"{item['metadata']['namespace']}/{item['metadata']['name']}":
                    item["metadata"]["resourceVersion"]
                    for item in self.client.list_all("v1", "secrets")}
        eventually(lambda: self.informer.read() == versions, "the informer equals a fresh list")
        secrets = sum(1 for key in versions if not key.startswith("pair/"))
        eventually(lambda: self.manager.metric("capstan_cache_objects", resource="secrets") == secrets,
                   f"the manager has {secrets} Secrets")
        pods = len(self.pods())
        eventually(lambda: self.agent.metric("capstan_cache_objects", resource="pods") == pods,
                   f"the agent has {pods} pods")

    def pods(self):
        return self.client.call(
            "GET", agent.path() + "?fieldSelector=spec.nodeName%3D" + agent.NODE)["items"]

    def check_gates(self):
        """An open pod stays open, so a pod with address and annotation is open, and no other."""
        def wrong():
            return [pod["metadata"]["name"] for pod in self.pods() if is_open(pod) != should_open(pod)]
        eventually(lambda: not wrong(), "the gates of all pods are right")


def is_open(pod):
    return agent.READY in (pod["metadata"].get("annotations") or {})


def should_open(pod):
    return bool(pod["status"].get("podIP")) and CONDITION in (pod["metadata"].get("annotations") or {})
