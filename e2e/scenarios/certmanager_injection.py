# SPDX-License-Identifier: Apache-2.0
"""The cases of cert-manager's e2e suite for CA injection, with its real controllers issuing.

The suite (test/e2e/suite/serving/cainjector.go) has seven cases for validating and mutating webhooks and
APIServices, and disables them for CRDs. Here each case runs for all four kinds. The suite waits half a
minute for what must not happen. Here an Event shows that capstan has decided against an injection.
"""
from lib import certmanager, injection, kube, load
from lib.chain import Chain

KINDS = ("real",)
FROM_CERTIFICATE = injection.FROM_CERTIFICATE
CERTIFICATE = "serving-certs"
GATE = "--set=controllerManager.featureGates=CAInjectorMerging=false"


def target(kind, name, annotations):
    """Returns a target with these annotations. Webhook configurations have a URL and a service."""
    made = injection.target(kind, name, "none", "none")
    made["metadata"]["annotations"] = annotations
    if "webhooks" in made:
        made["webhooks"][0]["clientConfig"] = {"url": "https://localhost:8675"}
    return made


class Cases:
    def __init__(self, scenario, chain):
        self.scenario, self.cluster, self.client = scenario, chain.kubectl, chain.cluster.client()
        with open(chain.cluster.ca_file, encoding="ascii") as file:
            self.api_server_ca = file.read()

    def create(self, name, annotations):
        for kind in injection.KINDS:
            self.client.create(target(kind, name, annotations))

    def check(self, name, pem, what):
        """Waits until each place of each kind holds exactly this bundle."""
        took = self.cluster.wait(lambda: injection.holds(self.client, name, pem), what, 10)
        self.scenario.figure(what, f"{took:.1f} s")

    def check_empty(self, name, reason, what):
        """Waits until capstan has reported why it injects nothing.

        The cache may not have a new source yet, so there may be an Event SourceNotFound before.
        """
        self.cluster.wait(lambda: all(reason in injection.reasons(self.client, kind, name)
                                      for kind in injection.KINDS), f"{what}: Event {reason}", 10)
        assert injection.holds(self.client, name, ""), f"{what}: there is a bundle"
        self.scenario.figure(what, "empty")

    def issue(self, name, **spec):
        """Creates a Certificate with the Secret NAME-data, and returns its CA."""
        made = certmanager.certificate(name, "self-signed", commonName="test.example.com",
                                       subject={"organizations": ["test"]}, **spec)
        made["spec"]["secretName"] = name + "-data"
        self.cluster.apply(made)
        return self.issued(name)

    def issued(self, name):
        certmanager.ready(self.cluster, "certificate", name)
        return certmanager.ca_of(self.cluster, certmanager.SHOP, name + "-data")

    def reissue(self, name, host, old):
        """Adds a name to the Certificate, and returns the CA of the new one."""
        self.client.merge_patch(kube.path_of("cert-manager.io/v1", "certificates", certmanager.SHOP, name),
                                {"spec": {"dnsNames": [host]}})
        self.cluster.wait(lambda: self.issued(name) != old, f"{name} is issued again")
        return self.issued(name)

    def secret(self, name, allowed):
        """Creates the empty Secret that a Certificate fills later."""
        self.client.create({
            "apiVersion": "v1", "kind": "Secret", "metadata": {
                "namespace": certmanager.SHOP, "name": name + "-data",
                "annotations": {"cert-manager.io/allow-direct-injection": allowed}}})

    def run(self):
        source = f"{certmanager.SHOP}/{CERTIFICATE}"
        self.create("non-injected", {})
        self.create("injected", {FROM_CERTIFICATE: source})
        old = self.issue(CERTIFICATE)
        self.check("injected", old, "a Certificate after its target")
        new = self.reissue(CERTIFICATE, "something.example.com", old)
        self.check("injected", old + new, "a changed Certificate")
        assert injection.holds(self.client, "non-injected", ""), "a target without annotation has a bundle"

        self.create("invalid", {FROM_CERTIFICATE: CERTIFICATE})
        self.check_empty("invalid", "BadAnnotation", "an annotation without a namespace")
        self.create("api-server", {injection.FROM_API_SERVER: "true"})
        self.check("api-server", self.api_server_ca, "the CA of the API server")

        self.secret("denied", "false")
        self.create("denied", {load.SOURCE: f"{certmanager.SHOP}/denied-data"})
        self.issue("denied")
        # capstan reads this Secret after the previous one.
        self.secret("direct", "true")
        self.create("direct", {load.SOURCE: f"{certmanager.SHOP}/direct-data"})
        self.check("direct", self.issue("direct"), "a Secret that a Certificate fills")
        self.check_empty("denied", "NotAllowed", "a Secret that does not allow it")
        return new


def run(scenario):
    with Chain(scenario, cainjector=False) as chain:
        cluster = chain.kubectl
        certmanager.install(cluster, chain.values())
        cluster.kubectl("create", "namespace", certmanager.SHOP)
        chain.install_capstan()
        certmanager.webhook_trusted(cluster)
        cluster.apply(certmanager.issuer("self-signed", {"selfSigned": {}}))
        certmanager.ready(cluster, "issuer", "self-signed")
        cases = Cases(scenario, chain)
        current = cases.run()

        # Without merging, the suite expects only the new CA.
        chain.upgrade_capstan(GATE)
        new = cases.reissue(CERTIFICATE, "more.example.com", current)
        cases.check("injected", new, "a changed Certificate, without CAInjectorMerging")
