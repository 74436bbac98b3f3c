# SPDX-License-Identifier: Apache-2.0
"""capstan explain --endpoints names the server and the fix for each outcome of docs/trust.md.

Without the flag no connection is opened. capstan check --endpoints must agree, also for APIServices and
for CRDs with a conversion webhook. On a real API server the commands of the fixes are run.
"""
import contextlib
import os
import re
import socket

from lib import injection, load, rights
from lib.capstan import FAILED, FINE, FOUND
from lib.cluster import ROOT
from lib.scenario import check_equal, eventually
from lib.tls_server import PlainServer, TlsServer, own_address
from scenarios import endpoints

KINDS = ("embedded", "real")
WEBHOOKS = load.KINDS[0]
RESTART = "kubectl rollout restart deployment -n shop DEPLOYMENT   # "
EDIT = "kubectl edit validatingwebhookconfiguration {}   # "


def documented():
    with open(os.path.join(ROOT, "docs", "trust.md"), encoding="utf-8") as file:
        table = file.read().split("| outcome |")[1].split("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)` \|", table, re.M))


class World(endpoints.World):
    def __init__(self, scenario, stack):
        super().__init__(scenario, stack)
        self.scenario, self.seen = scenario, set()
        self.cluster, = scenario.clusters

    def explain(self, outcome, kind, name, detail, fix=""):
        """Checks the link to the only server, in both formats. Returns the explanation."""
        arguments = ("explain", kind, name, "--endpoints")
        good = outcome == "Verified"
        code, found = self.capstan.json(*arguments)
        link = found["links"][-1]
        check_equal(f"explanation of {name}: {found}",
                    (code, found["state"], found["reason"], link["name"], link["state"], link["reason"]),
                    (FINE, "InSync", "Unchanged", "server", "ok", outcome) if good else
                    (FOUND, "Broken", "Endpoint" + outcome, "server", "broken", outcome))
        assert all(one["state"] == "ok" for one in found["links"][:-1]), found
        assert link["detail"].startswith(detail), f"{link['detail']}\nhas to begin with {detail}"
        assert found.get("fix", "").startswith(fix) and good == ("fix" not in found), found
        _, text, _ = self.capstan.run(*arguments, code=code)
        assert f"{'ok  ' if good else 'FAIL'}  server " in text and link["detail"] in text, text
        assert good or found["fix"] in text, text
        self.check(outcome, kind, name)
        self.seen.add(outcome)
        self.scenario.figure(outcome, link["detail"])
        return found

    def check(self, outcome, kind, name):
        """capstan check must agree."""
        _, found = self.capstan.json("check", kind, name, "--endpoints")
        check_equal(f"outcome of {name}", [item["outcome"] for item in found["items"]], [outcome])

    def hook(self, outcome, name, server, fix=""):
        return self.explain(outcome, WEBHOOKS, name, server, fix)


def urls(world):
    """Servers behind URLs: no object in the cluster is the server's."""
    local = "127.0.0.1"
    good_file = world.good.issue("IP:" + local)
    good, former, other, old = (world.serve(file, local) for file in (
        good_file, world.former.issue("IP:" + local), world.good.issue("DNS:other.example.com"),
        world.good.issue("IP:" + local, days=-1)))
    with TlsServer(good_file, local) as gone:
        pass
    plain = world.stack.enter_context(PlainServer(local))
    silent = world.stack.enter_context(socket.create_server((local, 0)))  # accepts nothing
    for outcome, address, fix in (
            ("Verified", f"{local}:{good.port}", ""),
            ("UnknownAuthority", f"{local}:{former.port}", "# After a rotation: "),
            ("NameMismatch", f"{local}:{other.port}",
             "kubectl edit certificate -n NAMESPACE CERTIFICATE   # Add 127.0.0.1 to "),
            ("Expired", f"{local}:{old.port}", "# Renew it, "),
            ("Refused", f"{local}:{gone.port}", EDIT),
            ("NotTLS", f"{local}:{plain.port}", EDIT),
            ("Timeout", f"{local}:{silent.getsockname()[1]}", "# Look for a NetworkPolicy "),
            # No resolver sends a query for this name.
            ("NoSuchHost", "-absent-.invalid:443", EDIT)):
        name = outcome.lower()
        world.target(name, {"url": f"https://{address}/validate"})
        world.hook(outcome, name, f'{address} of the webhook "hook.example.com"', fix.format(name))
    for server, outcome in ((former, "UnknownAuthority"), (other, "NameMismatch"), (old, "Expired")):
        server.serve(good_file)  # as the fix says
        world.hook("Verified", outcome.lower(), f"{local}:{server.port}")


def opens_no_connection(world):
    """Without the flag, and for a target without its bundle."""
    server = world.serve(world.good.issue("IP:127.0.0.1"), "127.0.0.1")
    world.target("quiet", {"url": f"https://127.0.0.1:{server.port}"})
    _, found = world.capstan.json("explain", WEBHOOKS, "quiet", code=FINE)
    check_equal("the last link", found["links"][-1]["name"], "bundle")
    world.target("nobundle", {"url": f"https://127.0.0.1:{server.port}", "caBundle": None})
    _, found = world.capstan.json("explain", WEBHOOKS, "nobundle", "--endpoints", code=FOUND)
    check_equal("the last links without a bundle",
                [(one["name"], one["state"]) for one in found["links"][-2:]],
                [("bundle", "waits"), ("server", "notReached")])
    check_equal("handshakes", server.handshakes, 0)
    # explain stops at the bundle, so only check has the outcome NoBundle.
    world.check("NoBundle", WEBHOOKS, "nobundle")
    world.seen.add("NoBundle")


def services(world):
    """Servers behind Services. The embedded API server has no EndpointSlices."""
    world.target("absent", {"service": {"namespace": "shop", "name": "absent"}})
    world.hook("NoEndpoints", "absent", "absent.shop.svc:443 of the webhook",
               "kubectl describe service -n shop absent   # Start the pods, ")
    if world.scenario.kind == "embedded":
        return
    world.service("empty")
    world.target("empty", {"service": {"namespace": "shop", "name": "empty"}})
    world.cluster.shell(world.hook("NoEndpoints", "empty", "empty.shop.svc:443", "kubectl ")["fix"])
    servers = [world.serve(world.good.issue("DNS:" + endpoints.NAME)) for _ in range(2)]
    world.service("orders", *servers)
    world.target("orders", {"service": {"namespace": "shop", "name": "orders"}})
    world.hook("Verified", "orders", endpoints.NAME + ":443 of the webhook")
    at = f"{endpoints.NAME}:443 at {own_address()}:{servers[1].port} of the webhook"
    servers[1].serve(world.former.issue("DNS:" + endpoints.NAME))
    world.hook("UnknownAuthority", "orders", at, RESTART)
    servers[1].serve(world.good.issue("DNS:orders.example.com"))
    world.hook("NameMismatch", "orders", at,
               f"kubectl edit certificate -n shop CERTIFICATE   # Add {endpoints.NAME} to ")


def unknown(world):
    """A missing right of the caller is Unknown. A missing right of the user in --as is Broken."""
    real = world.scenario.kind == "real"
    if not real:
        world.cluster.ask("refuse services 403 get")
    name = "orders" if real else "absent"
    arguments = ("explain", WEBHOOKS, name, "--endpoints")
    # This user has the manager's rights without --verify-endpoints.
    restricted = world.cluster.kubeconfig()
    _, found = world.capstan.json(*arguments, code=FAILED, kubeconfig=restricted)
    link = found["links"][-1]
    check_equal(f"a missing right: {found}",
                (found["state"], found["reason"], link["state"], link["reason"]),
                ("Unknown", "Forbidden", "unknown", "Unknown"))
    assert found["fix"].startswith(f"capstan explain validatingwebhookconfiguration {name} --endpoints "
                                   "--as="), found
    _, text, err = world.capstan.run(*arguments, code=FAILED, kubeconfig=restricted)
    assert "?     server " in text and "FAIL" not in text and found["fix"] in text, text
    check_equal("error", err, f"Error: check failed: {found['message']}\n")
    if not real:
        world.check("Unknown", WEBHOOKS, name)
    world.seen.add("Unknown")
    as_user = (*arguments, "--as=reader")
    if real:
        group = "admissionregistration.k8s.io"
        world.client.create(rights.role("reader", [(group, WEBHOOKS.lower() + "s", ["get", "list"], ""),
                                                   ("", "secrets", ["get"], "")]))
        world.client.create(rights.binding("reader", "User", "reader"))
        eventually(lambda: world.capstan.run(*as_user)[0] == FOUND, "the rights on the target take effect")
    _, found = world.capstan.json(*as_user, code=FOUND)
    check_equal("with --as", (found["state"], found["reason"]), ("Broken", "Forbidden"))
    if not real:
        world.cluster.ask("allow")
        return
    for resource in ("services", "endpointslices"):
        assert f'resource "{resource}"' in found["message"] and "--user=reader" in found["fix"], found
        world.cluster.shell(found["fix"])
        eventually(lambda old=found["message"]: world.capstan.json(*as_user)[1]["message"] != old,
                   f"the right on {resource} takes effect")
        _, found = world.capstan.json(*as_user)
    check_equal("with the rights", found["reason"], "EndpointNameMismatch")


def other_kinds(world):
    """An APIService, and a CRD with a conversion webhook. Their Service has an external name."""
    name = "external.shop.svc"
    server = world.serve(world.good.issue("DNS:" + name), "127.0.0.1")
    service = {"namespace": "shop", "name": "external", "port": server.port}
    world.client.create({"apiVersion": "v1", "kind": "Service",
                         "metadata": {"namespace": "shop", "name": "external"},
                         "spec": {"type": "ExternalName", "externalName": "localhost"}})
    places = {"APIService": "spec", "CustomResourceDefinition": "conversion webhook"}
    for kind in places:
        made = injection.target(kind, "order", injection.FROM_SECRET, "ca/root", world.good.pem)
        holder = made["spec"] if kind == "APIService" else made["spec"]["conversion"]["webhook"]["clientConfig"]
        holder["service"] = service
        world.client.create(made)
    for issuer, outcome, at, fix in (
            (world.good, "Verified", "", ""),
            (world.former, "UnknownAuthority", f" at 127.0.0.1:{server.port}", RESTART),
            (world.good, "Verified", "", "")):
        server.serve(issuer.issue("DNS:" + name))
        for kind, place in places.items():
            world.explain(outcome, kind, injection.name_of(kind, "order"),
                          f"{name}:{server.port}{at} of the {place}", fix)


def run(scenario):
    with contextlib.ExitStack() as stack:
        world = World(scenario, stack)
        urls(world)
        opens_no_connection(world)
        services(world)
        unknown(world)
        other_kinds(world)
        check_equal("outcomes without an explanation", documented() - world.seen, set())
        scenario.figure("outcomes explained", len(world.seen))
