# SPDX-License-Identifier: Apache-2.0
"""With --namespace and --ignore-namespaces, excluded Secrets are not sent and use no memory.

The same holds for Secrets without the label and the feature gate SecretsFilteredCaching.
"""
from lib import load
from lib.manager import Manager
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded", "real")
NAMESPACES = 20


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    secrets = min(scenario.options.secrets, 4000)
    load.load_secrets(client, secrets, kib=1, namespaces=NAMESPACES)
    load.ensure_namespace(client, "ca")
    ca = load.new_ca("root")
    client.create(load.ca_secret("ca", "root", ca))
    load.load_configurations(client, 2, "ca/root")
    each = secrets // NAMESPACES
    ignored = ",".join(f"load-{i}" for i in range(1, NAMESPACES))
    bytes_of = {}
    for what, expected, *flags in (
            ("everything", secrets + 1),
            ("--namespace=ca,load-0", each + 1, "--namespace=ca,load-0"),
            ("--ignore-namespaces, 19 of 21", each + 1, "--ignore-namespaces=" + ignored),
            ("SecretsFilteredCaching", 0, "--feature-gates=SecretsFilteredCaching=true")):
        with Manager(scenario.bin_dir, cluster.kubeconfig(), "--leader-elect=false",
                     *flags) as manager:
            manager.wait_ready()
            manager.wait_until(lambda: load.in_sync(client, ca, 2) == 2, "injected", 60)
            objects = manager.metric("capstan_cache_objects", resource="secrets")
            bytes_of[what] = manager.metric("capstan_cache_bytes", resource="secrets")
            scenario.figure(what, f"{objects:.0f} Secrets, {bytes_of[what]:.0f} bytes, "
                                  f"VmHWM {manager.memory_kib()} KiB")
            manager.stop()
        check_equal("Secrets in the cache, " + what, objects, expected)
    for what in list(bytes_of)[1:]:
        check_at_most("bytes of the cache, " + what, bytes_of[what], bytes_of["everything"] / 10)
