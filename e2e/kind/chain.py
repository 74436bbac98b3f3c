# SPDX-License-Identifier: Apache-2.0
"""The real cert-manager as Deployments of its chart, with capstan in cainjector's place.

e2e/scenarios/certmanager.py lists what is real and what is left out.
"""
import os
import sys

import webhooks
from lib import certmanager
from lib.scenario import Skipped

PORT = certmanager.PORT
CLIENT = {"service": {"namespace": certmanager.SHOP, "name": certmanager.SERVING, "port": PORT}}


def load_images(cluster):
    """Loads an image FROM scratch of each of cert-manager's programs into the nodes."""
    try:
        folder = certmanager.folder()
    except Skipped as why:  # everything after it uses them
        raise AssertionError(str(why)) from why
    sys.path.insert(0, os.path.join(cluster.root, "hack/images"))
    import oci  # pylint: disable=import-outside-toplevel,import-error
    import rootfs  # pylint: disable=import-outside-toplevel,import-error
    for program in certmanager.PROGRAMS:
        entry = rootfs.Entry(f"usr/bin/{program}", rootfs.read(os.path.join(folder, program)), 0o755)
        architecture = cluster.run("dpkg", "--print-architecture").strip()
        image = oci.Image([entry], program, architecture, rootfs.USER, {}, level=1)
        oci.write([image], program + ":e2e", cluster.path(program))
        cluster.run("kind", "load", "image-archive", cluster.path(program + ".tar"), "--name", cluster.name)


def install(cluster):
    """Without capstan and cainjector, the API server cannot call cert-manager's webhook."""
    load_images(cluster)
    certmanager.install(cluster, {**certmanager.values(cainjector=False), **certmanager.ELECTION})
    certmanager.webhook_unknown(cluster)


def injected(cluster):
    certmanager.issue(cluster)
    certmanager.inject(cluster, CLIENT, PORT)
    cluster.kubectl("wait", "--for=condition=Available", *certmanager.API_SERVICE, "--timeout=60s")


def serves(cluster, pem):
    """Returns whether the shop's webhook serves a certificate of this CA."""
    webhooks.refresh(cluster, certmanager.SHOP, certmanager.SERVING)
    return webhooks.serves(cluster, pem, certmanager.SHOP, certmanager.SERVING)


def renewed(cluster):
    certmanager.rotate(cluster, lambda pem: serves(cluster, pem))


def clean(cluster):
    """Deletes the APIService first, because the end of a namespace needs all of them."""
    for target in certmanager.TARGETS:
        cluster.kubectl("delete", *target)
    cluster.kubectl("delete", "namespace", certmanager.SHOP, "--wait=false")


class Walk:
    """What lib.console needs of a scenario."""
    kind = "kind"

    def __init__(self, cluster):
        self.figure = cluster.figure


def migrated(cluster):
    """Runs the page with cainjector, which has injected into the shop's targets before."""
    certmanager.install(cluster, {**certmanager.values(cainjector=True), **certmanager.ELECTION})
    cluster.kubectl("create", "namespace", certmanager.SHOP)
    cluster.wait(lambda: certmanager.create(cluster, certmanager.probe(), dry_run=True) == "",
                 "the API server calls cert-manager's webhook")
    injected(cluster)
    cluster.kubectl("delete", "events", "-A", "--all")  # of the steps before
    values = certmanager.write_values(cluster, "capstan.json", certmanager.ELECTION)
    certmanager.migrate(cluster, Walk(cluster), {"charts/capstan": f"charts/capstan -f {values}"})
