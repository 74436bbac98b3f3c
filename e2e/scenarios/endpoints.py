# SPDX-License-Identifier: Apache-2.0
"""`capstan check --endpoints` and the manager find each server that the API server would not trust.

The servers are TLS servers of this test: behind URLs, and on a real API server behind Services whose
EndpointSlices name the address of this machine. No server gets a byte after the handshake. The
outcomes of connections that fail are in the unit tests.
"""
import contextlib
import time

from lib import injection, load, targets
from lib.capstan import FAILED, FINE, FOUND, Capstan
from lib.manager import Manager
from lib.scenario import check_equal, eventually
from lib.tls_server import Authority, TlsServer, own_address

KINDS = ("embedded", "real")
NAME = "orders.shop.svc"


def configuration(name, client_config):
    """Returns a webhook configuration that requests and holds a bundle."""
    return {"apiVersion": load.ADMISSION, "kind": load.KINDS[0],
            "metadata": {"name": name, "annotations": {load.SOURCE: "ca/root"}},
            "webhooks": [{"name": "hook.example.com", "sideEffects": "None", "failurePolicy": "Ignore",
                          "admissionReviewVersions": ["v1"], "clientConfig": client_config}]}


class World:
    def __init__(self, scenario, stack, rbac=False):
        cluster = scenario.cluster(rbac=rbac)
        self.client, self.stack = cluster.client(), stack
        self.kubeconfig = cluster.kubeconfig("admin")
        self.capstan = Capstan(scenario.bin_dir, self.kubeconfig)
        self.good = Authority(scenario.path(""), "good")
        self.former = Authority(scenario.path(""), "former")
        self.servers = []
        for namespace in ("ca", "shop"):
            load.ensure_namespace(self.client, namespace)
        self.client.create(load.ca_secret("ca", "root", self.good.pem))

    def serve(self, file, host="0.0.0.0"):
        self.servers.append(self.stack.enter_context(TlsServer(file, host)))
        return self.servers[-1]

    def target(self, name, client_config):
        self.client.create(configuration(name, {"caBundle": load.encoded(self.good.pem), **client_config}))

    def service(self, name, *servers):
        """Creates a Service without a selector, and its endpoints."""
        self.client.create({"apiVersion": "v1", "kind": "Service",
                            "metadata": {"namespace": "shop", "name": name},
                            "spec": {"ports": [{"name": "https", "port": 443}]}})
        for number, server in enumerate(servers):
            self.client.create({
                "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "metadata": {"namespace": "shop", "name": f"{name}-{number}",
                             "labels": {"kubernetes.io/service-name": name}},
                "ports": [{"name": "https", "port": server.port}],
                "endpoints": [{"addresses": [own_address()], "conditions": {"ready": True}}]})

    def outcome(self, name, expected, code):
        """Checks the outcome of the only server of a target. Returns the item of the JSON output."""
        _, found = self.capstan.json("check", load.KINDS[0], name, "--endpoints", code=code)
        item, = found["items"]
        check_equal(f"outcome of {name}: {item.get('message', '')}", item["outcome"], expected)
        return item


def urls(world):
    good = world.serve(world.good.issue("IP:127.0.0.1"), "127.0.0.1")
    other_name = world.serve(world.good.issue("DNS:other.example.com"), "127.0.0.1")
    former = world.serve(world.former.issue("IP:127.0.0.1"), "127.0.0.1")
    for name, server in (("good", good), ("other-name", other_name), ("former", former)):
        world.target(name, {"url": f"https://127.0.0.1:{server.port}/validate"})
    item = world.outcome("good", "Verified", FINE)
    check_equal("address", item["address"], f"127.0.0.1:{good.port}")
    check_equal("the certificate's expiry is printed", item["expires"].startswith("20"), True)
    item = world.outcome("other-name", "NameMismatch", FOUND)
    check_equal("message", item["message"], "the certificate is for other.example.com, not for 127.0.0.1")
    world.outcome("former", "UnknownAuthority", FOUND)
    # The server reloads its certificate.
    former.serve(world.good.issue("IP:127.0.0.1"))
    world.outcome("former", "Verified", FINE)
    with contextlib.ExitStack() as stack:
        gone = stack.enter_context(TlsServer(world.good.issue("IP:127.0.0.1"), "127.0.0.1"))
    world.target("gone", {"url": f"https://127.0.0.1:{gone.port}"})
    world.outcome("gone", "Refused", FOUND)
    code, out, err = world.capstan.run("check", "--endpoints")
    check_equal("exit code for all targets", code, FOUND)
    check_equal("only wrong servers are listed", ["NameMismatch", "Refused"],
                sorted(line.split()[0] for line in out.splitlines()[1:]))
    check_equal("summary", err.splitlines()[-1], "2 of 4 servers are verified")


def services(world):
    first, second = (world.serve(world.good.issue("DNS:" + NAME)) for _ in range(2))
    world.service("orders", first, second)
    world.service("empty")
    for name in ("orders", "empty", "absent"):
        world.target("service-" + name, {"service": {"namespace": "shop", "name": name}})
    check_equal("server", world.outcome("service-orders", "Verified", FINE)["server"], NAME + ":443")
    second.serve(world.former.issue("DNS:" + NAME))
    item = world.outcome("service-orders", "UnknownAuthority", FOUND)
    check_equal("the replica with the former certificate", item["address"],
                f"{own_address()}:{second.port}")
    check_equal("message", world.outcome("service-empty", "NoEndpoints", FOUND)["message"],
                "Service shop/empty has no ready endpoint")
    check_equal("message", world.outcome("service-absent", "NoEndpoints", FOUND)["message"],
                "Service shop/absent does not exist")
    _, _, err = world.capstan.run("check", load.KINDS[0], "service-orders", "--endpoints",
                                  "--as=system:anonymous", code=FAILED)
    assert "forbidden" in err.lower(), err


def managed(scenario, world):
    """The manager reports when a server becomes bad and good again, and knows more than one place."""
    server = world.serve(world.good.issue("IP:127.0.0.1"), "127.0.0.1")
    world.target("managed", {"url": f"https://127.0.0.1:{server.port}"})
    labels = {"kind": load.KINDS[0], "name": "managed"}
    with Manager(scenario.bin_dir, world.kubeconfig, "--verify-endpoints",
                 "--verify-endpoints-period=10s") as manager:
        manager.wait_ready()

        def verified(value):
            return lambda: manager.metric("capstan_endpoint_verified", **labels) == value
        eventually(verified(1), "the server is verified")
        server.serve(world.former.issue("IP:127.0.0.1"))
        eventually(verified(0), "the server with the former certificate is noticed")
        eventually(lambda: "EndpointUnknownAuthority" in injection.reasons(world.client, *labels.values()),
                   "there is an Event with the reason")
        expires = manager.metric("capstan_endpoint_certificate_expiration_timestamp_seconds", **labels)
        check_equal("days until the certificate expires", round((expires - time.time()) / 86400), 10)
        assert "certificate is not issued by a CA of the bundle" in manager.get("/statusz")[1]
        server.serve(world.good.issue("IP:127.0.0.1"))
        eventually(verified(1), "the server is verified again")
        eventually(lambda: "EndpointVerified" in injection.reasons(world.client, *labels.values()),
                   "there is an Event about it")
        check_equal("exit code", manager.stop()[0], 0)


def retired(scenario, world):
    """A former CA leaves a target when no server needs it any more, and not before."""
    new = Authority(scenario.path(""), "new")
    server_name = "DNS:rotated.shop.svc"
    server = world.serve(world.good.issue(server_name))
    world.service("rotated", server)
    world.client.create(load.ca_secret("ca", "rotated", world.good.pem))
    target = configuration("rotated", {"service": {"namespace": "shop", "name": "rotated"}})
    target["metadata"]["annotations"][load.SOURCE] = "ca/rotated"
    world.client.create(target)
    path = injection.path_of(load.KINDS[0], "rotated")
    with Manager(scenario.bin_dir, world.kubeconfig, "--verify-endpoints", "--verify-endpoints-period=10s",
                 "--retire-unused-cas-after=15s") as manager:
        manager.wait_ready()
        eventually(lambda: targets.holds(world.client, path, world.good.pem), "the target has the CA")
        world.client.merge_patch("/api/v1/namespaces/ca/secrets/rotated",
                                 {"data": {"ca.crt": load.encoded(new.pem)}})

        def step(reason):
            return lambda: reason in injection.reasons(world.client, load.KINDS[0], "rotated")
        eventually(step("CAPublished"), "the new CA is published")
        eventually(step("CAStillNeeded"), "the manager notices that the server needs the former CA")
        assert targets.holds(world.client, path, world.good.pem, new.pem), "both CAs are in the target"
        server.serve(new.issue(server_name))
        eventually(step("CAVerified"), "the server is trusted with the new CA alone")
        assert targets.holds(world.client, path, world.good.pem, new.pem), "both CAs are in the target"
        eventually(lambda: not targets.holds(world.client, path, world.good.pem), "the former CA leaves the target")
        assert targets.holds(world.client, path, new.pem), "the new CA is in the target"
        eventually(step("CARetired"), "there is an Event about it")


def run(scenario):
    with contextlib.ExitStack() as stack:
        world = World(scenario, stack)
        urls(world)
        if scenario.kind == "real":
            services(world)
        managed(scenario, world)
        if scenario.kind == "real":
            retired(scenario, world)
        check_equal("bytes after the handshakes", sum(server.received for server in world.servers), 0)
        scenario.figure("handshakes", sum(server.handshakes for server in world.servers))
