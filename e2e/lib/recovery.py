# SPDX-License-Identifier: Apache-2.0
"""Kills the API server (-9), restarts it after some seconds, and measures the recovery."""
import threading
import time

from lib import load

TARGETS = 50
SOURCE = "recovery/root"


def prepare(client):
    """Creates the targets and the Secret of their bundle. Returns the bundle."""
    pem = load.new_ca("recovery 0")
    load.ensure_namespace(client, "recovery")
    client.create(load.ca_secret("recovery", "root", pem))
    load.load_configurations(client, TARGETS, SOURCE)
    return pem


def rotate(client, pem):
    client.merge_patch("/api/v1/namespaces/recovery/secrets/root",
                       {"data": {"ca.crt": load.encoded(pem)}})


def seconds_until_in_sync(client, pem, alive, limit=150):
    """Returns the seconds from now until all targets hold `pem`."""
    start = time.monotonic()
    while load.in_sync(client, pem, TARGETS) != TARGETS:
        assert alive(), "the injector has exited"
        assert time.monotonic() - start < limit, f"not all targets are right after {limit} s"
        time.sleep(0.05)
    return time.monotonic() - start


def outage(cluster, seconds, number, at_the_end=lambda: None):
    """Kills the API server and restarts it after `seconds`. Returns after /readyz, with the PEM of the
    source's new CA. `at_the_end` runs before the start."""
    pem = load.new_ca(f"recovery {number} after {seconds} s")
    cluster.kill("kube-apiserver")
    threading.Event().wait(seconds)
    at_the_end()
    cluster.start_apiserver()
    client = cluster.client()
    rotate(client, pem)
    return client, pem


def kill_again_and_again(cluster, outages, alive, count_requests=lambda: 0):
    """Returns [(seconds down, seconds from /readyz to recovery, requests during the outage)]."""
    rows = []
    for number, seconds in enumerate(outages, 1):
        counts = [count_requests()]
        client, pem = outage(cluster, seconds, number, lambda n=counts: n.append(count_requests()))
        rows.append((seconds, seconds_until_in_sync(client, pem, alive), counts[1] - counts[0]))
    return rows


def percentile(values, part):
    """Returns the smallest value that `part` of all values do not exceed."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * part // 100) - 1)]


def describe(values):
    return (f"median {percentile(values, 50):.2f} s, 99th percentile {percentile(values, 99):.2f} s "
            f"({min(values):.2f} to {max(values):.2f})")

