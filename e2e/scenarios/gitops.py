# SPDX-License-Identifier: Apache-2.0
"""A server-side apply can remove a webhook with a bundle only with --field-ownership=detach.

kubectl applies a webhook and a CRD's conversion server-side, as Flux, Argo CD and Helm 4 do; on the
embedded API server the same request is sent. With keep, our entry in managedFields keeps alive what
its owner removes, and the API server rejects the apply with 422.

Another client that constantly writes the same targets causes conflicts only. It costs no bundle, and
the manager needs no right that the manual does not name.
"""
import json
import os
import subprocess

from lib import kube, load, targets
from lib.manager import Manager
from lib.meddler import Meddler, refused, rotate_until_conflict
from lib.scenario import check_equal

KINDS = ("embedded", "real")
WRITES = {"create", "update", "patch", "delete", "deletecollection"}
RESOURCES = {"validatingwebhookconfigurations", "customresourcedefinitions"}
DETACH = "--field-ownership=detach"


class Repository:
    """A user's manifests, and their way into the cluster."""

    def __init__(self, scenario, cluster):
        self.scenario, self.cluster, self.client = scenario, cluster, cluster.client()
        self.kubectl = None
        if scenario.kind == "real":
            self.kubectl = [os.path.join(cluster.state["binaries"], "kubectl"),
                            "--kubeconfig=" + cluster.kubeconfig("admin"),
                            "--cache-dir=" + scenario.path("kubectl"),
                            "apply", "--server-side", "-f"]

    def apply(self, target):
        """Returns None, or the rejection: 422 and its message."""
        path, manifest = target
        if self.kubectl is None:
            try:
                self.client.call("PATCH", path + "?fieldManager=kubectl", manifest,
                                 "application/apply-patch+yaml")
            except kube.ApiError as error:
                check_equal("code of the refusal", error.code, 422)
                return str(error)
            return None
        file_name = self.scenario.path("manifest.json")
        with open(file_name, "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        result = subprocess.run([*self.kubectl, file_name], text=True, capture_output=True,
                                timeout=60, check=False)
        if result.returncode == 0:
            return None
        # kubectl's message for 422.
        assert "is invalid: " in result.stderr, result.stderr
        return result.stderr

    def must_apply(self, target):
        refused = self.apply(target)
        assert refused is None, f"{target[0]} is refused: {refused}"

    def get(self, target):
        return self.client.call("GET", target[0])


def target_writes(cluster, since):
    calls, size = cluster.calls(since)
    return sum(1 for verb, what in calls if verb in WRITES and what in RESOURCES), size


def no_drift(repository, full):
    """Applies the same manifests again, which must change nothing."""
    for target in full:
        before = repository.get(target)
        repository.must_apply(target)
        after = repository.get(target)
        check_equal("object after the same manifest again", targets.without_managers(after),
                    targets.without_managers(before))
        # The server may update the time of the apply, which does not change the generation.
        check_equal("generation after the same manifest again",
                    after["metadata"]["generation"], before["metadata"]["generation"])


def kept(scenario, repository, manager, ca, full, less):
    manager.wait_until(lambda: all(targets.holds(repository.client, t[0], ca) for t in full),
                       "both are injected", 30)
    for target in full:
        check_equal("our entries", list(targets.entries(repository.get(target))), ["Apply"])
    no_drift(repository, full)
    webhook, conversion = (repository.apply(target) for target in less)
    assert webhook and "webhooks[1].sideEffects: Required value" in webhook, webhook
    assert conversion and "spec.conversion.strategy: Required value" in conversion, conversion
    scenario.figure("keep, a webhook is removed", "refused, 422")
    scenario.figure("keep, a conversion is removed", "refused, 422")


def detached(scenario, repository, manager, ca, full, less):
    def free():
        found = [repository.get(target) for target in full]
        return not any(targets.entries(one) for one in found) and all(
            targets.holds(repository.client, target[0], ca) for target in full)

    manager.wait_until(free, "our entries are dropped, the bundles are there", 30)
    no_drift(repository, full)
    before = targets.bundles(repository.get(full[0]))
    for target in less:
        repository.must_apply(target)
    check_equal("bundle of the webhook that is left",
                targets.bundles(repository.get(less[0])), before[:1])
    check_equal("what is left of the conversion",
                repository.get(less[1])["spec"]["conversion"], {"strategy": "None"})
    scenario.figure("detach, both are removed", "done, and the other webhook keeps its bundle")
    for target in full:  # and back again
        repository.must_apply(target)
    manager.wait_until(free, "what came back is injected, and ours no more", 30)


def contested(scenario, repository, manager, full):
    """Rotates while another client writes the same targets."""
    def rotate():
        new = load.new_ca("contested")
        repository.client.merge_patch("/api/v1/namespaces/ca/secrets/root",
                                      {"data": {"ca.crt": load.encoded(new)}})
        return new

    with Meddler(repository.cluster, [path for path, _ in full]):
        new = rotate_until_conflict(manager, rotate)
    manager.wait_until(
        lambda: all(targets.holds(repository.client, t[0], new)
                    and not targets.entries(repository.get(t)) for t in full),
        "contested, rotated, and ours no more", 30)
    check_equal("requests that were forbidden", refused(manager, 403), 0)
    for reason in ("Forbidden", "Rejected"):
        check_equal(f"looks that ended with {reason}",
                    manager.metric("capstan_injection_total", result=reason) or 0, 0)
    scenario.figure("conflicts with another writer", int(refused(manager, 409)))


def run(scenario):
    cluster = scenario.cluster()
    repository = Repository(scenario, cluster)
    load.ensure_namespace(repository.client, "ca")
    ca, rotated = load.new_ca("root"), load.new_ca("rotated")
    repository.client.create(load.ca_secret("ca", "root", ca))
    kind = "ValidatingWebhookConfiguration"
    full = [targets.webhook_configuration(kind, "gitops", "ca/root"),
            targets.definition("gitops", "ca/root")]
    less = [targets.webhook_configuration(kind, "gitops", "ca/root", webhooks=1),
            targets.definition("gitops", "ca/root", conversion=False)]
    for target in full:
        repository.must_apply(target)

    with Manager(scenario.bin_dir, cluster.kubeconfig()) as manager:
        kept(scenario, repository, manager, ca, full, less)
        manager.stop()
    writes, size = target_writes(cluster, 0)
    check_equal("writes with keep", writes, 2)

    with Manager(scenario.bin_dir, cluster.kubeconfig(), DETACH) as manager:
        manager.wait_ready()
        writes, size = target_writes(cluster, size)
        check_equal("writes of the switch to detach", writes, 2)
        detached(scenario, repository, manager, ca, full, less)
        manager.stop()
    _, size = target_writes(cluster, size)

    with Manager(scenario.bin_dir, cluster.kubeconfig(), DETACH) as manager:
        manager.wait_ready()
        writes, size = target_writes(cluster, size)
        check_equal("writes of a restart with nothing to do", writes, 0)
        repository.client.merge_patch("/api/v1/namespaces/ca/secrets/root",
                                      {"data": {"ca.crt": load.encoded(rotated)}})
        manager.wait_until(
            lambda: all(targets.holds(repository.client, t[0], ca, rotated)
                        and not targets.entries(repository.get(t)) for t in full),
            "rotated, and ours no more", 30)
        manager.stop()
    writes, _ = target_writes(cluster, size)
    scenario.figure("writes of a rotation, two targets", writes)
    check_equal("writes of a rotation", writes, 4)

    with Manager(scenario.bin_dir, cluster.kubeconfig(), DETACH) as manager:
        manager.wait_ready()
        contested(scenario, repository, manager, full)
        manager.stop()
