# SPDX-License-Identifier: Apache-2.0
"""With 20,000 Secrets of 5 KiB, 50 configurations are injected, on a real server within 20 MiB.

The manager starts with and without streaming lists (WatchListClient).
"""
from lib import load
from lib.manager import Manager
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded", "real")
ALONE = True  # it measures
CONFIGURATIONS = 50
MEMORY_KIB_MAX = 20 * 1024


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    secrets = scenario.options.secrets
    load.load_secrets(client, secrets - 1, kib=5)
    load.ensure_namespace(client, "ca")
    ca = load.new_ca("scale")
    client.create(load.ca_secret("ca", "root", ca))
    peaks = {}
    for watch_list in ("true", "false"):
        prefix = f"target-{watch_list}"
        load.load_configurations(client, CONFIGURATIONS, "ca/root", prefix)
        flags = (f"--feature-gates=WatchListClient={watch_list}", "--leader-elect=false")
        with Manager(scenario.bin_dir, cluster.kubeconfig(), *flags) as manager:
            manager.wait_until(
                lambda p=prefix: load.in_sync(client, ca, CONFIGURATIONS, p) == CONFIGURATIONS,
                "all configurations hold the bundle", 120)
            ready = manager.wait_ready()
            objects = manager.metric("capstan_cache_objects", resource="secrets")
            peaks[watch_list] = manager.memory_kib()
            code, _ = manager.stop()
        scenario.figure(f"WatchListClient={watch_list}",
                        f"{objects or 0:.0f} Secrets cached, ready after {ready:.1f} s, "
                        f"VmHWM {peaks[watch_list] / 1024:.1f} MiB")
        check_equal("Secrets in the cache", objects, secrets)
        check_equal("exit code after SIGTERM", code, 0)
    if scenario.kind != "real":
        return  # the limit applies only on a real API server
    for watch_list, peak in peaks.items():
        check_at_most(f"VmHWM in KiB with WatchListClient={watch_list}", peak, MEMORY_KIB_MAX)
