# SPDX-License-Identifier: Apache-2.0
"""From a pod's address to its certificate: csi-driver alone, and with the agent.

csi-lib, and therefore csi-driver, is not available as a module, so the driver is our stand-in
(e2e_csi_driver). It polls as csi-driver does (volume_polls.h) and writes a file where csi-driver would
request the certificate, so the figures have no time for issuing. Alone, it has the gate pod-ip:any;
with the agent, the agent has that gate, and the driver waits for the ready key.
"""
import statistics
import time

import gates
from lib.kubectl import Watch
from lib.scenario import check_at_most

PODS = 6  # of each kind
BACKOFFS = {"default": "1000 2 10000 0.5", "250ms": "250 1 10000 0.1"}  # see docs/node-agent.md
HELD_SECONDS = 20  # the backoff has grown by then
GATE_SET = "readiness.capstan.dev/gate-set"
SETS = {"address": ["pod-ip:any"], "go": ["pod-annotation:" + gates.GO]}  # values of the chart
LABEL = "e2e.capstan.dev/latency"
KEY = r"{.metadata.annotations.readiness\.capstan\.dev/ready}"
LINE = "{.metadata.name}|{.status.podIPs[0].ip}|" + KEY


def pod(name, node, kind, backoff):
    """Returns a pod whose volume waits for its address, or for the agent with a gate set."""
    made = gates.pod(name, node)
    made["metadata"]["labels"] = {LABEL: "yes"}
    attributes = {"e2e.capstan.dev/gate": "address" if kind == "alone" else "ready-key",
                  "e2e.capstan.dev/backoff": BACKOFFS[backoff]}
    made["spec"]["volumes"][0]["csi"]["volumeAttributes"] = attributes
    if kind != "alone":
        made["metadata"]["annotations"] = {GATE_SET: "go" if kind == "held" else "address"}
    return made


class Times:
    """When pods got their address and their key, in Unix seconds."""

    def __init__(self):
        self.address, self.key = {}, {}

    def note(self, line):
        name, address, key = line.split("|")
        if address:
            self.address.setdefault(name, time.time())
        if key:
            self.key.setdefault(name, time.time())


def issued(cluster):
    """Returns {pod: Unix seconds} of the files that the drivers wrote."""
    log = cluster.kubectl("logs", "-n", gates.NAMESPACE, "-l", "app=e2e-csi", "--tail=-1")
    lines = [line.split() for line in log.splitlines() if line.startswith("issued ")]
    return {name: int(milliseconds) / 1000 for _, name, milliseconds in lines}


def seconds(times, since):
    """Returns text with the median and the maximum of the differences."""
    found = [times[name] - since[name] for name in times]
    return f"{statistics.median(found):.2f}, {max(found):.2f}"


def measured(cluster):
    groups = {(kind, backoff): [f"{kind}-{backoff}-{number}" for number in range(PODS)]
              for kind in ("held", "alone", "agent") for backoff in BACKOFFS}
    times = Times()
    with Watch(cluster, ("pods", "-n", gates.NAMESPACE, "-l", LABEL), LINE, times.note):
        for (kind, backoff), names in groups.items():
            cluster.apply(*[pod(name, cluster.nodes[number % len(cluster.nodes)], kind, backoff)
                            for number, name in enumerate(names)])
            if kind == "held":
                begin = time.monotonic()
                continue
            cluster.wait(lambda of=names: set(of) <= set(issued(cluster)), f"{names} have a certificate", 60)
        held = [name for (kind, _), names in groups.items() if kind == "held" for name in names]
        time.sleep(max(0, begin + HELD_SECONDS - time.monotonic()))
        assert not set(held) & set(issued(cluster)), "a pod has a certificate before its gate is open"
        cluster.kubectl("annotate", "pod", "-n", gates.NAMESPACE, *held, gates.GO + "=yes")
        cluster.wait(lambda: set(held) <= set(issued(cluster)), f"{held} have a certificate", 60)
    made = issued(cluster)
    for (kind, backoff), names in groups.items():
        since, what = (times.key, "key") if kind == "held" else (times.address, "address")
        how = {"held": f"agent, opened after {HELD_SECONDS} s", "alone": "csi-driver alone",
               "agent": "agent"}[kind]
        cluster.figure(f"{how}, backoff {backoff}: seconds from the {what} to the certificate, median, most",
                       seconds({name: made[name] for name in names}, since))
    keys = {name: times.key[name] for (kind, _), names in groups.items() if kind == "agent" for name in names}
    cluster.figure("agent: seconds from the address to the key, median, most", seconds(keys, times.address))
    check_at_most("seconds from an address to the key", max(
        when - times.address[name] for name, when in keys.items()), 2)
    cluster.kubectl("delete", "pods", "-n", gates.NAMESPACE, "-l", LABEL)
