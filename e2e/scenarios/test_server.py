# SPDX-License-Identifier: Apache-2.0
"""capstan-test-server under the names kube-apiserver and etcd, as a test harness starts them.

It reports the time to the first answer and the memory with 500 objects. Between two starts it forgets all.
"""
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from lib import test_server
from lib.cluster import ROOT
from lib.scenario import check_at_most, check_equal

sys.path.append(os.path.join(ROOT, "hack/envtest"))
from plane import Plane, free_port  # pylint: disable=wrong-import-position

KINDS = ("embedded",)
OBJECTS = 500
MEMORY_MAX = 64  # MiB; kube-apiserver and etcd need ten times as much
START_MAX = 1000  # ms; about 20 on an idle machine


def first_answer(program):
    """Returns the milliseconds from the start of kube-apiserver to the first answer."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        with subprocess.Popen([program, f"--secure-port={port}", "--bind-address=127.0.0.1", f"--cert-dir={folder}"],
                              stderr=subprocess.DEVNULL) as process:
            while True:
                try:
                    with socket.create_connection(("127.0.0.1", port)) as plain:
                        with trusting.wrap_socket(plain) as connection:
                            connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
                            answer = connection.recv(100)
                            break
                except OSError:
                    assert process.poll() is None, f"{program} exits {process.returncode}"
            took = 1000 * (time.monotonic() - start)
            process.terminate()
            check_equal("exit code after SIGTERM", process.wait(timeout=10), 0)
    assert answer.startswith(b"HTTP/1.1 200"), answer
    return took


def protocol(port):
    """Returns the protocol that the server selects of HTTP/2 and HTTP/1.1."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    trusting.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection(("127.0.0.1", port)) as plain, trusting.wrap_socket(plain) as connection:
        return connection.selected_alpn_protocol()


def peak_memory(pid):
    """Returns the peak of the resident memory in MiB."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM:"))


def config_maps(plane):
    answer = plane.kubectl("get", "configmaps", "-o", "name", "-n", "default")
    check_equal("exit code of kubectl get", answer.returncode, 0)
    return [line for line in answer.stdout.splitlines() if line.startswith("configmap/many-")]


def run(scenario):
    test_server.need("kubectl")
    test_server.need("openssl")
    assets = test_server.assets(scenario)
    times = sorted(first_answer(os.path.join(assets, "kube-apiserver")) for _ in range(7))
    scenario.figure("milliseconds to the first answer, least, median, most",
                    " ".join(f"{times[at]:.1f}" for at in (0, 3, 6)))
    check_at_most("milliseconds to the first answer", times[0], START_MAX)
    manifest = scenario.path("many.yaml")
    with open(manifest, "w", encoding="utf-8") as file:
        for number in range(OBJECTS):
            file.write(f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: many-{number}, namespace: default}}\n"
                       f"data: {{a: {'x' * 1000}}}\n")
    with Plane(assets) as plane:
        check_equal("the protocol of the server", protocol(plane.port), "h2")
        created = plane.kubectl("create", "-f", manifest)
        check_equal(f"exit code of kubectl create: {created.stdout[-500:]}", created.returncode, 0)
        check_equal("objects", len(config_maps(plane)), OBJECTS)
        memory = sum(peak_memory(process.pid) for process in plane.processes)
    scenario.figure(f"MiB of etcd and kube-apiserver with {OBJECTS} objects", f"{memory:.1f}")
    check_at_most("MiB", memory, MEMORY_MAX)
    with Plane(assets) as plane:
        check_equal("objects of the server before", config_maps(plane), [])
