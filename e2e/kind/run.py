#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/e2e kind: install, upgrade and uninstall the chart in a kind cluster with real kubelets.

The real cert-manager runs there without its cainjector. The last step goes from its cainjector to capstan
and back.

  --name NAME     name of the cluster (default: capstan-e2e-PID); an existing one is deleted first
  --keep          keep the cluster; `kind delete cluster --name NAME` removes it
  --check         only check whether it can run: exit 77 with the reason, or exit 0

It needs a container engine (docker info must answer) and a node image: $KIND_NODE_IMAGE, otherwise a
local kindest/node image, otherwise a pulled one. Without these it prints the reason and exits with 77.
The steps run in order on one cluster. The log, with the pods' memory, is build/release/logs/kind.txt.

After the build it takes eight minutes: one until the cluster is ready with the images, seven for the
steps. The first run compiles our programs, the library with four examples, helm, kind, kubectl, an API
server and cert-manager: our programs alone took 30 minutes on two cores that four other builds shared.
"""
import argparse
import os
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import by_hand  # pylint: disable=wrong-import-position
import chain  # pylint: disable=wrong-import-position
import examples  # pylint: disable=wrong-import-position
import gates  # pylint: disable=wrong-import-position
import install  # pylint: disable=wrong-import-position
import latency  # pylint: disable=wrong-import-position
import new_project  # pylint: disable=wrong-import-position
import pods  # pylint: disable=wrong-import-position
import rotations  # pylint: disable=wrong-import-position
import webhooks  # pylint: disable=wrong-import-position
import cluster as kind  # pylint: disable=wrong-import-position
from lib import certmanager  # pylint: disable=wrong-import-position

# (description, step). Each step relies on the steps before it.
STEPS = [
    ("cert-manager without its cainjector: its webhook is not trusted", chain.install),
    ("helm install: both programs ready", install.install),
    ("cert-manager's webhook is injected, and then the API server calls it", certmanager.webhook_trusted),
    ("the CA of a Certificate is injected into a target of each kind", chain.injected),
    ("a renewal changes the CA and no call is refused", chain.renewed),
    ("the CA of cert-manager's webhook is deleted and made again", certmanager.delete_webhook_ca),
    ("a webhook is injected, and then the API server calls it", webhooks.injection),
    ("a CA is rotated and no call is refused", webhooks.rotation),
    ("CAs are rotated under servers that reload early, late and never", rotations.rotated),
    ("the leader's pod is deleted: the other one acts", webhooks.failover),
    ("pods with an inline volume start when their gates open", gates.opened),
    ("from a pod's address to its certificate", latency.measured),
    ("helm upgrade with other gates: they apply to new pods", gates.upgraded),
    ("the same with WatchListClient=false", install.without_watch_list),
    ("pods are opened by hand, with and without agents", by_hand.opened),
    ("sample-controller from its image: a Foo and its Deployment", examples.sample_controller),
    ("cronjob from its image: both webhooks are injected, a Job runs", examples.cron_job),
    ("pod-labeler from its image: its own Pod gets a label", examples.pod_labeler),
    ("secret-mirror from its image: copies follow their source", examples.secret_mirror),
    ("Client<Pod> reads a log, runs commands and connects to a port", pods.commands),
    ("a project of capstan new: built, tested, and installed with its chart", new_project.installed),
    ("memory of the programs", install.memory),
    ("helm uninstall leaves nothing", install.uninstalled),
    ("docs/migrate-from-cainjector.md: to capstan and back, no call is refused", chain.migrated),
]


def run(cluster):
    """Returns [(description, seconds, passed)]. Stops at the first failure."""
    results = []
    for what, step in STEPS:
        print(f"=== kind: {what}", flush=True)
        before = time.monotonic()
        try:
            step(cluster)
            passed = True
        except Exception as error:  # pylint: disable=broad-except
            passed = False
            if not isinstance(error, AssertionError):
                traceback.print_exc(file=sys.stdout)
            print(f"  {error}")
            cluster.describe()
        took = time.monotonic() - before
        print(f"--- {'PASS' if passed else 'FAIL'} kind: {what} in {took:.1f} s", flush=True)
        results.append(passed)
        if not passed:
            break
    return results


class Tee:
    """Writes to the terminal and to the log."""

    def __init__(self, *files):
        self.files = files

    def write(self, text):
        for file in self.files:
            file.write(text)

    def flush(self):
        for file in self.files:
            file.flush()


def parse():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        sys.exit(0)
    parser = argparse.ArgumentParser(usage="see --help", add_help=False)
    parser.add_argument("--name", default=f"capstan-e2e-{os.getpid()}")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    if fault := kind.engine_fault() or kind.image_fault():
        print(f"hack/e2e kind: SKIPPED: {fault}")
        print(f"0 passed, 0 failed, {len(STEPS)} skipped")
        return 77
    if options.check:
        return 0
    root = os.path.dirname(os.path.dirname(HERE))
    logs = os.path.join(root, "build", "release", "logs")
    os.makedirs(logs, exist_ok=True)
    tools = subprocess.run([os.path.join(HERE, "tools")], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    os.environ["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
    with open(os.path.join(logs, "kind.txt"), "w", encoding="utf-8") as log:
        sys.stdout = Tee(sys.__stdout__, log)
        start = time.monotonic()
        cluster = kind.KindCluster(options.name, root)
        try:
            print(f"cluster {options.name}, node image {kind.node_image()}", flush=True)
            cluster.create()
            print(f"cluster ready after {time.monotonic() - start:.0f} s", flush=True)
            results = run(cluster)
        finally:
            if not options.keep:
                cluster.delete()
        print(f"total: {time.monotonic() - start:.0f} s")
        passed = sum(results)
        failed, skipped = len(results) - passed, len(STEPS) - len(results)
        print(f"{passed} passed, {failed} failed, {skipped} skipped")
        sys.stdout = sys.__stdout__
    return 0 if passed == len(STEPS) else 1


if __name__ == "__main__":
    sys.exit(main())
