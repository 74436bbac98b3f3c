# SPDX-License-Identifier: Apache-2.0
"""A kind that is missing, removed or forbidden stops only what needs it.

Certificates are not installed, then installed, then removed again. Then each kind of source and of
target is forbidden at the start and granted later. Meanwhile everything else is injected, also after
changes. /readyz?verbose, an Event and a metric report what is missing, and the process keeps running.
"""
from lib import injection, kube, load, rights
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
VALIDATING = "ValidatingWebhookConfiguration"
TARGET_KINDS = {kube.plural_of(kind): kind for kind in injection.KINDS}


class Certificates:
    """Installs and removes Certificates: their CRD, or on the embedded server their lists."""

    def __init__(self, scenario, cluster):
        self.embedded = scenario.kind == "embedded"
        self.cluster, self.client = cluster, cluster.client()

    def remove(self):
        if self.embedded:
            self.cluster.ask("refuse certificates 404")
        elif injection.serves_certificates(self.client):
            self.client.call("DELETE", injection.DEFINITION)
            injection.wait_certificates(self.client, False)

    def install(self):
        if self.embedded:
            self.cluster.ask("allow")
        injection.install_certificates(self.client)


class Story:
    def __init__(self, scenario, cluster, manager):
        self.scenario, self.client, self.manager = scenario, cluster.client(), manager
        self.ca = ""

    def rotate(self, what, kinds=tuple(injection.KINDS)):
        """Changes the Secret's CA and waits until these kinds hold it."""
        new = load.new_ca("next")
        self.client.merge_patch("/api/v1/namespaces/ca/secrets/root",
                                {"data": {"ca.crt": load.encoded(new)}})
        self.ca += new
        self.manager.wait_until(lambda: injection.holds(self.client, "by-secret", self.ca, kinds),
                                f"a rotation reaches the targets while {what}", 30)

    def says(self, words, what):
        """Returns whether a line of /readyz?verbose has all these words."""
        def found():
            return any(all(word in line for word in words)
                       for line in self.manager.get("/readyz?verbose")[1].splitlines())
        self.manager.wait_until(found, f"/readyz?verbose has {words}: {what}", 30)

    def check_alive(self, what, ready):
        check_equal(f"/livez while {what}", self.manager.get("/livez")[0], 200)
        check_equal(f"/readyz while {what}", self.manager.get("/readyz")[0], 200 if ready else 500)

    def reason(self, name, reason):
        self.manager.wait_until(
            lambda: reason in injection.reasons(self.client, VALIDATING, name),
            f"an Event {reason} on {name}", 30)
        kinds = self.manager.metric("capstan_injection_total", kind=VALIDATING, result=reason)
        assert kinds, f"no capstan_injection_total with the result {reason}"


def create_certificate(client, name, pem):
    client.create(injection.certificate("ca", name, name))
    client.create(injection.certificate_secret("ca", name, name, pem))


def come_and_go(story, certificates):
    story.manager.wait_ready()
    story.says(["[i]caches-certificates", "not synced"], "Certificates are not installed")
    story.reason("by-certificate", "SourceUnavailable")
    story.rotate("Certificates are not installed")

    certificates.install()
    ca = load.new_ca("certificate")
    create_certificate(story.client, "serving", ca)
    story.manager.wait_until(
        lambda: injection.holds(story.client, "by-certificate", ca),
        "targets of Certificates are injected after their installation", 90)
    check_equal("/readyz", story.manager.get("/readyz")[0], 200)

    certificates.remove()
    story.rotate("Certificates are removed")
    story.check_alive("Certificates are removed", ready=True)
    assert injection.holds(story.client, "by-certificate", ca), "the removal changed a target"
    story.says(["[i]caches-certificates"], "Certificates are removed")

    certificates.install()
    if not certificates.embedded:  # the caches kept them
        again = load.new_ca("again")
        story.client.create(injection.certificate("ca", "serving", "serving-2"))
        story.client.create(injection.certificate_secret("ca", "serving-2", "serving", again))
        story.manager.wait_until(
            lambda: injection.holds(story.client, "by-certificate", ca + again),
            "Certificates are installed again", 90)


def set_forbidden(scenario, cluster, resource):
    """Forbids list and watch of a resource; None allows everything again."""
    if scenario.kind == "embedded":
        cluster.ask(f"refuse {resource} 403" if resource else "allow")
        return
    rights.grant(cluster.client(), [right for right in rights.rights()
                                    if right[1] != resource or "list" not in right[2]])


def forbidden(scenario, cluster, resource, ca):
    """Starts the manager without the right to list a kind, and grants it later."""
    set_forbidden(scenario, cluster, resource)
    with Manager(scenario.bin_dir, cluster.kubeconfig(), "--leader-elect=false") as manager:
        story = Story(scenario, cluster, manager)
        story.ca = ca
        rest = tuple(kind for kind in injection.KINDS if kind != TARGET_KINDS.get(resource))
        mark = "[i]" if resource == "configmaps" else "[-]"
        story.says([f"{mark}caches-{resource}", "forbidden"], f"{resource} are forbidden")
        if resource == "secrets":
            story.reason("by-secret", "SourceUnavailable")
        else:
            story.rotate(f"{resource} are forbidden", rest)
        if resource == "certificates":
            story.reason("by-certificate", "SourceUnavailable")
        story.check_alive(f"{resource} are forbidden", ready=resource == "configmaps")
        set_forbidden(scenario, cluster, None)
        manager.wait_ready(60)
        story.rotate(f"{resource} are granted again")
        check_equal("exit code", manager.stop()[0], 0)
    scenario.figure(f"{resource} forbidden, then granted", "only what needs them stopped")
    return story.ca


def run(scenario):
    cluster = scenario.cluster()
    certificates = Certificates(scenario, cluster)
    certificates.remove()
    client = cluster.client()
    load.ensure_namespace(client, "ca")
    ca = load.new_ca("root")
    client.create(load.ca_secret("ca", "root", ca))
    injection.create(client, "by-secret", injection.FROM_SECRET, "ca/root")
    injection.create(client, "by-certificate", injection.FROM_CERTIFICATE, "ca/serving")
    with Manager(scenario.bin_dir, cluster.kubeconfig(), "--leader-elect=false") as manager:
        story = Story(scenario, cluster, manager)
        story.ca = ca
        come_and_go(story, certificates)
        check_equal("exit code", manager.stop()[0], 0)
        ca = story.ca
    for resource in ("secrets", "certificates", "configmaps", *TARGET_KINDS):
        ca = forbidden(scenario, cluster, resource, ca)
