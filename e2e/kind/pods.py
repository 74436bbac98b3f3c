# SPDX-License-Identifier: Apache-2.0
"""Reads a log, runs commands and connects to a port of the pod of etcd, through a real kubelet."""
import os
import re

PKI = "/etc/kubernetes/pki/etcd/"
ETCDCTL = ("etcdctl", "--endpoints=https://127.0.0.1:2379", f"--cacert={PKI}ca.crt", f"--cert={PKI}server.crt",
           f"--key={PKI}server.key")
METRICS = ("2381", "/metrics")  # which etcd serves on 127.0.0.1 of its pod
KEY, VALUE = "/capstan-e2e", "written by a command " * 5000


def told(cluster, pod, *command, given=""):
    program = os.path.join(cluster.root, "build/release/bin/e2e_pod_commands")
    return cluster.run(program, cluster.path("kubeconfig"), "kube-system", pod, *METRICS, "--", *command, given=given)


def commands(cluster):
    pod = cluster.kubectl("get", "pods", "-n", "kube-system", "-l", "component=etcd", "-o", "name").strip()
    pod = pod.removeprefix("pod/")
    written = told(cluster, pod, *ETCDCTL, "put", KEY, given=VALUE)  # etcdctl reads the value from its input
    assert "exit 0 output OK\n" in written, written
    last = cluster.kubectl("logs", "-n", "kube-system", pod, "--tail=1").strip()
    assert re.search(r"^log \{.*\}$", written, re.M) and last, written
    assert re.search(r"^port HTTP/1.1 200 OK of \d{5,} bytes$", written, re.M), written
    read = told(cluster, pod, *ETCDCTL, "get", KEY, "--print-value-only")
    assert f"exit 0 output {VALUE}\n" in read, read[:500]
    failed = told(cluster, pod, "etcdctl", "no-such-command")
    assert re.search(r"^exit [1-9]\d* output", failed, re.M), failed
    told(cluster, pod, *ETCDCTL, "del", KEY)
