# SPDX-License-Identifier: Apache-2.0
"""Runs each command of docs/migrate-from-cainjector.md and compares its output with the page.

The cluster has the real cert-manager with its cainjector (lib.certmanager). In between, no target loses
its CA, and no call of a webhook is refused. --write updates the outputs in the page.
"""
from lib import certmanager
from lib.chain import Chain

KINDS = ("real",)


def run(scenario):
    with Chain(scenario, cainjector=True) as chain:
        cluster = chain.kubectl
        certmanager.install(cluster, {**chain.values(), **certmanager.ELECTION})
        cluster.kubectl("create", "namespace", certmanager.SHOP)
        certmanager.webhook_trusted(cluster)
        certmanager.issue(cluster)
        certmanager.inject(cluster, chain.client_config(), chain.ports["orders"])
        values = certmanager.write_values(cluster, "capstan.json", certmanager.ELECTION)
        certmanager.migrate(cluster, scenario, {"charts/capstan": f"charts/capstan -f {values}"},
                            scenario.options.write)
