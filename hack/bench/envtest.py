#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cold start of a test: the embedded API server beside envtest; see hack/bench/run.

Both programs start an API server with the same CRDs and a manager, and create an object. Measured is the
time from the start of the process until the controller has reconciled the object, and until the process
has ended.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import rounds  # before the next, which are in the folders that it adds
import fill  # pylint: disable=wrong-import-order
from lib.cluster import ROOT

GROUP = "bench.capstan.dev"
MILLISECONDS_MAX = 50
# A description and a type for each of a hundred fields: about the size of a Deployment's schema.
LARGE_KIB = 25


def definitions(count):
    """Returns the CRD of Widgets, and others until there are `count`."""
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    return [fill.crd(GROUP, "widgets", "Widget", schema)] + [
        fill.crd(GROUP, f"larges{i}", f"Large{i}", fill.schema_of(LARGE_KIB))
        for i in range(1, count)]


def measure(command, environment):
    """Returns the milliseconds until the object was reconciled, and until the end."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environment},
                          text=True) as process:
        line = process.stdout.readline()
        reconciled = time.monotonic()
        code = process.wait()
    ended = time.monotonic()
    assert line == "reconciled\n" and code == 0, f"{command[0]}: exit code {code}"
    return 1000 * (reconciled - begin), 1000 * (ended - begin)


def run(options, assets, count, table):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for crd in definitions(count):
            files.append(os.path.join(folder, crd["metadata"]["name"] + ".json"))
            with open(files[-1], "w", encoding="utf-8") as file:
                json.dump(crd, file)
        found = {"ours": [], "peer": []}

        def run_round():
            found["ours"].append(measure([os.path.join(options.bin, "bench_first_reconcile"),
                                          *files], {}))
            found["peer"].append(measure([os.path.join(options.peers, "envtest"), folder],
                                         {"KUBEBUILDER_ASSETS": assets}))
        rounds.in_turn(options.rounds, run_round, f"{count} CRDs")
    crds = "1 CRD" if count == 1 else f"{count} CRDs"
    for part, what in enumerate(("until the first reconciliation", "until the process has ended")):
        times = {name: [pair[part] for pair in pairs] for name, pairs in found.items()}
        limits = {"peer": 0.02, **({None: MILLISECONDS_MAX} if count == 1 else {})}
        table.compare(f"{crds}, {what}, ms", times, limits, 1)


def main():
    options = rounds.parse(__doc__)
    assets = subprocess.run([os.path.join(ROOT, "e2e/cluster/build")], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    table = rounds.Table(("figure", "embedded", "envtest", "allowed", ""))
    for count in (1, 20):
        run(options, assets, count, table)
    sys.exit(0 if table.kept else 1)


if __name__ == "__main__":
    main()
