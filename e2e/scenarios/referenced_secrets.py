# SPDX-License-Identifier: Apache-2.0
"""With ReferencedSecretsOnly, rights on single Secrets are enough, and memory ignores all others.

The ClusterRole has no rights on Secrets, and a Role names the sources. e2e/run.py real
referenced_secrets --secrets 100000 is the measured run. It also measures the cost of a watch.
"""
import os

from lib import etcd, injection, kube, load
from lib.manager import Manager
from lib.scenario import check_at_most, check_equal

KINDS = ("real",)
USER = "capstan-without-secrets"
FLAGS = ("--feature-gates=ReferencedSecretsOnly=true", "--leader-elect=false")
FEW = 100
GROWTH_MAX = 1.10
MANY_WATCHES = 500
WATCH_KIB_MAX = 20  # over HTTP/2
ROLE = "/apis/rbac.authorization.k8s.io/v1/namespaces/ca/roles/sources"


def rule(names):
    return {"apiGroups": [""], "resources": ["secrets"], "resourceNames": names,
            "verbs": ["get", "list", "watch"]}


def grant(client, names):
    """Creates the Role for these Secrets of namespace ca, and its binding."""
    rbac = "rbac.authorization.k8s.io"
    client.create({"apiVersion": rbac + "/v1", "kind": "Role",
                   "metadata": {"namespace": "ca", "name": "sources"}, "rules": [rule(names)]})
    client.create({"apiVersion": rbac + "/v1", "kind": "RoleBinding",
                   "metadata": {"namespace": "ca", "name": "sources"},
                   "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "sources"},
                   "subjects": [{"apiGroup": rbac, "kind": "User", "name": USER}]})


def put_secret(client, name, pem, certificate=None):
    """Creates the Secret, or replaces its ca.crt."""
    secret = (injection.certificate_secret("ca", name, certificate, pem) if certificate
              else load.ca_secret("ca", name, pem))
    client.call("PATCH", f"/api/v1/namespaces/ca/secrets/{name}?fieldManager=e2e&force=true", secret,
                "application/apply-patch+yaml")


def add_target(client, name, source, annotation=load.SOURCE):
    target = load.configuration(load.KINDS[0], name, source)
    target["metadata"]["annotations"] = {annotation: source}
    client.create(target)


def prepare(client):
    load.ensure_namespace(client, "ca")
    injection.install_certificates(client)
    grant(client, ["root", "serving-tls", "late"])
    add_target(client, "by-secret-0", "ca/root")
    add_target(client, "by-certificate-0", "ca/serving", injection.FROM_CERTIFICATE)
    add_target(client, "late-0", "ca/late")


def exercise(client, manager):
    """Checks injection, rotation, and a Secret that is created late."""
    first, second = load.new_ca("first"), load.new_ca("second")

    def injected(pem, *prefixes):
        return all(load.in_sync(client, pem, 1, prefix) == 1 for prefix in prefixes)

    for pem in (first, second):
        put_secret(client, "root", pem)
        put_secret(client, "serving-tls", pem, "serving")
        manager.wait_until(lambda p=pem: injected(p, "by-secret", "by-certificate"), "injected", 60)
    manager.wait_ready()
    put_secret(client, "late", second)
    manager.wait_until(lambda: injected(second, "late"), "injected what came late", 30)


def measured(scenario, cluster, client, secrets):
    with Manager(scenario.bin_dir, cluster.kubeconfig(USER), *FLAGS) as manager:
        exercise(client, manager)
        held = manager.metric("capstan_cache_objects", resource="secrets")
        peak = manager.memory_kib()
        check_equal("exit code", manager.stop()[0], 0)
    client.call("DELETE", "/api/v1/namespaces/ca/secrets/late")
    check_equal("Secrets in the cache", held, 3)
    scenario.figure(f"{secrets} Secrets in the cluster", f"3 cached, VmHWM {peak} KiB")
    return peak


def check_rights(scenario, cluster):
    """Checks that no request was denied, and that all requests for Secrets name one."""
    events = [e for e in cluster.audited()[0] if e["user"]["username"] == USER]
    about_secrets = [e for e in events if e["objectRef"].get("resource") == "secrets"]
    refused = [e["requestURI"] for e in events if e.get("responseStatus", {}).get("code") == 403]
    unnamed = [e["requestURI"] for e in about_secrets if "name" not in e["objectRef"]]
    scenario.figure("requests, of them for Secrets, refused, for Secrets without a name",
                    f"{len(events)}, {len(about_secrets)}, {len(refused)}, {len(unnamed)}")
    assert about_secrets, "the audit log has no request for a Secret"
    check_equal("requests that were refused", refused, [])
    check_equal("requests for Secrets without a name", unnamed, [])


def one_forbidden(scenario, cluster, client):
    """Checks that a missing right is reported, and affects only its target."""
    add_target(client, "closed-0", "ca/closed")
    rotated = load.new_ca("rotated")
    with Manager(scenario.bin_dir, cluster.kubeconfig(USER), *FLAGS) as manager:
        manager.wait_ready()
        put_secret(client, "root", rotated)
        manager.wait_until(lambda: load.in_sync(client, rotated, 1, "by-secret") == 1,
                           "the others go on", 30)
        manager.wait_until(lambda: "ca/closed" in manager.get("/readyz?verbose")[1],
                           "/readyz?verbose names the Secret", 30)
        check_equal("/readyz", manager.get("/readyz")[0], 200)
        count = manager.metric("capstan_injection_total", result="Forbidden")
        assert count, "capstan_injection_total has no result Forbidden"
        manager.wait_until(
            lambda: injection.reasons(client, load.KINDS[0], "closed-0") == {"Forbidden"},
            "an Event on the target whose Secret may not be read", 30)
        notes = [line for line in manager.get("/readyz?verbose")[1].splitlines()
                 if line.startswith("[i]referenced-secrets")]
        scenario.figure("a Secret without rights", notes[0][:200])
        manager.stop()
    # It would be one of the watches that the limit allows.
    client.call("DELETE", load.CONFIGURATIONS + kube.plural_of(load.KINDS[0]) + "/closed-0")


def usage(scenario, cluster, watches, protocol, injected=lambda: True):
    """Returns VmRSS and RssAnon in KiB, and the number of threads, with this many watches."""
    with Manager(scenario.bin_dir, cluster.kubeconfig(USER), *FLAGS,
                 f"--http2={protocol}") as manager:
        manager.wait_ready()
        manager.wait_until(injected, "injected", 120)
        manager.wait_until(lambda: (manager.metric(
            "capstan_referenced_secrets", state="watched") or 0) >= watches, "watched", 120)
        tasks = len(os.listdir(f"/proc/{manager.process.pid}/task"))
        found = (manager.memory_kib("VmRSS"), manager.memory_kib("RssAnon"), tasks)
        manager.stop()
    return found


def cost_of_a_watch(scenario, cluster, client):
    """Measures what each watched Secret costs, with its target, over both protocols."""
    names = [f"many-{i}" for i in range(MANY_WATCHES)]
    pem = load.new_ca("many")
    few = {protocol: usage(scenario, cluster, 0, protocol) for protocol in ("auto", "off")}
    client.merge_patch(ROLE, {"rules": [rule(["root", "serving-tls", "late", *names])]})
    client.parallel(lambda c, name: put_secret(c, name, pem), names)
    client.parallel(lambda c, name: add_target(c, name, "ca/" + name), names)
    # All targets are in sync from now on.
    usage(scenario, cluster, MANY_WATCHES, "auto",
          lambda: load.in_sync(client, pem, MANY_WATCHES, "many") == MANY_WATCHES)
    for protocol, before in few.items():
        after = usage(scenario, cluster, MANY_WATCHES, protocol)
        rss, anonymous, threads = ((many - none) / MANY_WATCHES
                                   for many, none in zip(after, before))
        scenario.figure(f"a watch, of {MANY_WATCHES}, --http2={protocol}",
                        f"{rss:.1f} KiB (RssAnon {anonymous:.1f} KiB), {threads:.2f} threads")
        if protocol == "auto":
            check_at_most("KiB of each watch over HTTP/2", rss, WATCH_KIB_MAX)


def copy_secrets(cluster, client, first, count):
    """Puts Secrets `first` to `count` - 1 into etcd, because the API server takes minutes."""
    name = "s-" + etcd.TOKEN
    uid = client.create(load.filler_secret("load-0", name, kib=1))["metadata"]["uid"]
    store = etcd.Etcd(cluster)
    key = f"/registry/secrets/load-0/{name}"
    etcd.put_all(store, etcd.copies(store, key, uid, range(first + 1, count)))


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    prepare(client)
    client.create(injection.certificate("ca", "serving", "serving-tls"))
    load.load_secrets(client, FEW, kib=1)
    few = measured(scenario, cluster, client, FEW)
    copy_secrets(cluster, client, FEW, scenario.options.secrets)
    many = measured(scenario, cluster, client, scenario.options.secrets)
    check_at_most("VmHWM with many Secrets, by that with few", many / few, GROWTH_MAX)
    check_rights(scenario, cluster)
    one_forbidden(scenario, cluster, client)
    cost_of_a_watch(scenario, cluster, client)
