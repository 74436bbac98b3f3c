# SPDX-License-Identifier: Apache-2.0
"""The real cert-manager works with capstan in cainjector's place.

cert-manager 1.21.2 is installed with the chart of its Go module, without cainjector, and capstan with
its own chart. Each program has the arguments and the rights of its chart (lib.deployments). Real are
the CRDs, the issuing controllers, and the whole webhook: its dynamic CA, its TLS server, its validation.

What the module keeps internal, and what is left out of e2e/certmanager:
- Upstream's mains are modules of their own, which import the ACME DNS providers. Ours replace them. They
  have no leader election for the controllers, no metrics and no configuration files.
- The constructor of the webhook is internal. The module exports it to tests, so our main runs a test.
- The ACME, Vault and Venafi issuers, and the controllers for ingresses, gateways and
  CertificateSigningRequests, are not imported. The start-up check of the chart is off.
"""
from lib import certmanager
from lib.chain import Chain

KINDS = ("real",)


def run(scenario):
    with Chain(scenario, cainjector=False) as chain:
        cluster = chain.kubectl
        certmanager.install(cluster, chain.values())
        certmanager.webhook_unknown(cluster)
        chain.install_capstan()
        certmanager.webhook_trusted(cluster)
        certmanager.issue(cluster)
        certmanager.inject(cluster, chain.client_config(), chain.ports["orders"])
        certmanager.rotate(cluster, chain.serves)
        certmanager.delete_webhook_ca(cluster)
