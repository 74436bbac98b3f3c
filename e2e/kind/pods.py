# SPDX-License-Identifier: Apache-2.0
"""Reads the log of a pod of capstan, runs commands there, and connects to a port, through a real kubelet."""
import os
import re

METRICS = ("9402", "/metrics")
PROGRAM = "/usr/bin/capstan-controller-manager"
CONTEXT = "from-the-input"
# A kubeconfig of more bytes than one message of the protocol has.
KUBECONFIG = "# written to a command\n" * 5000 + f"current-context: {CONTEXT}\n"


def done(cluster, pod, *command, given=""):
    """Returns what the program read, and what the command wrote in the pod."""
    program = os.path.join(cluster.root, "build/release/bin/e2e_pod_commands")
    return cluster.run(program, cluster.path("kubeconfig"), pod["metadata"]["namespace"],
                       pod["metadata"]["name"], *METRICS, "--", *command, given=given)


def commands(cluster):
    pod = cluster.pods("controller-manager")[0]
    ended = done(cluster, pod, PROGRAM, "--version")
    assert re.search(r"^exit 0 output capstan-controller-manager \d", ended, re.M), ended
    assert re.search(r"^log [IWE]\d{4} .*\]", ended, re.M), ended
    assert re.search(r"^port HTTP/1.1 200 OK of \d{5,} bytes$", ended, re.M), ended
    failed = done(cluster, pod, PROGRAM, "--kubeconfig=/dev/stdin", given=KUBECONFIG)
    assert re.search(f'^exit 1 output .*context "{CONTEXT}" does not exist$', failed, re.M), failed
