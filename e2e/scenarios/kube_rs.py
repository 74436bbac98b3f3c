# SPDX-License-Identifier: Apache-2.0
"""A reflector of kube-rs reads the embedded API server and a real one, with LIST and with WATCH-LIST.

kube-rs asks for JSON. cargo builds it, and the first build takes minutes.
"""
import os
import shutil
import subprocess

from lib import load
from lib.cluster import ROOT
from lib.scenario import Skipped, check_equal

KINDS = ("embedded", "real")
SLOW = True
SECRETS = 300


def run(scenario):
    if shutil.which("cargo") is None:
        raise Skipped("there is no cargo to build the peer with")
    peer = subprocess.run([os.path.join(ROOT, "hack/bench/peers/kubers/build"), "kubers"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()
    cluster = scenario.cluster()
    client = cluster.client()
    load.load_secrets(client, SECRETS, 1, namespaces=2)
    stored = client.call("GET", "/api/v1/secrets")["items"]
    key = f"{stored[0]['metadata']['namespace']}/{stored[0]['metadata']['name']}"
    for how in ("--watch-list=false", "--watch-list=true"):
        with subprocess.Popen([peer, f"--kubeconfig={cluster.kubeconfig('admin')}", how], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            try:
                check_equal(f"objects with {how}", process.stdout.readline().split()[1], f"objects={len(stored)}")
                process.stdin.write(f"{key}\nnone/none\n")
                process.stdin.flush()
                check_equal(f"a Secret with {how}", process.stdout.readline(), f"{key} present\n")
                check_equal(f"another with {how}", process.stdout.readline(), "none/none absent\n")
            finally:
                process.kill()
