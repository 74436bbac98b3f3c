# SPDX-License-Identifier: Apache-2.0
"""capstan explain names the first broken link and the fix for each reason of docs/reasons.md.

On a real API server the scenario runs the kubectl command, which must fix that link. capstan status
and check must agree. Their output must not contain any part of a private key.
"""
import base64
import fcntl
import hashlib
import json
import os
import pty
import re
import ssl
import struct
import subprocess
import termios
import time
import urllib.request

from lib import injection, kube, leaks, load, rights
from lib.capstan import FAILED, FINE, FOUND, Capstan
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
WEBHOOKS = "ValidatingWebhookConfiguration"
CRD = "CustomResourceDefinition"
REASONS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "docs", "reasons.md")
PLACEHOLDER = re.compile(r"\b(NAMESPACE|SECRET|CONFIGMAP|CERTIFICATE|USER)\b|crds\.yaml|edit |describe ")


class World:
    def __init__(self, scenario):
        self.scenario, self.cluster = scenario, scenario.cluster()
        self.client = self.cluster.client()
        self.ca = load.new_ca("explain")
        self.key, key_bytes = leaks.private_key()
        self.search = leaks.Search([key_bytes])
        self.capstan = Capstan(scenario.bin_dir, self.cluster.kubeconfig("admin"))
        self.seen, self.fixed = set(), 0
        load.ensure_namespace(self.client, "ca")
        with open(scenario.path("ca.crt"), "w", encoding="ascii") as file:
            file.write(self.ca)

    def target(self, name, annotation, value, kind=WEBHOOKS, pem="", change=None):
        made = injection.target(kind, name, annotation, value, pem)
        if change:
            change(made)
        self.client.create(made)

    def secret(self, name, content=None, allow="true"):
        made = load.ca_secret("ca", name, content or "")
        if content is None:
            made["data"] = {}
        made["metadata"]["annotations"]["cert-manager.io/allow-direct-injection"] = allow
        self.client.create(made)

    def explain(self, name, reason, link, kind=WEBHOOKS, state="Broken", fix=True,
                asked_as="", **options):
        """Runs explain and checks the reason and the first broken link. Returns the explanation."""
        arguments = ["explain", kind, injection.name_of(kind, name)]
        arguments += [f"--as={asked_as}"] if asked_as else []
        code, found = self.capstan.json(*arguments, **options)
        broken = next((one["name"] for one in found["links"] if one["state"] != "ok"), None)
        check_equal(f"explanation of {name}: {found}",
                    (found["state"], found.get("reason"), broken), (state, reason, link))
        well = state in ("InSync", "Skipped")
        unknown = state == "Unknown"
        check_equal("exit code", code, FINE if well else FAILED if unknown else FOUND)
        _, text, err = self.capstan.run(*arguments, **options)
        assert f"{kind}/{injection.name_of(kind, name)}: {state}, {reason}" in text, text
        if state == "Broken":
            # Each source of a list has a line of its own.
            assert "FAIL" in text and (found["message"] in text or reason == "SourcesIncomplete"), text
        if unknown:
            assert err == f"Error: check failed: {found['message']}\n", err
            assert "FAIL" not in text and "clusterrole" not in found["fix"], text
        if not well:
            assert f"{'capstan' if unknown else 'kubectl'} " in found["fix"], found
            assert found["fix"] in text, text
        self.seen.add(reason)
        self.scenario.figure(reason, f"{link}: {found['message'][:120]}")
        if fix and state == "Broken" and self.scenario.kind == "real":
            self.fix(found, arguments)
        return found

    def fix(self, found, arguments):
        """Runs the kubectl command of the fix and explains again."""
        if PLACEHOLDER.search(found["fix"]):
            return
        self.cluster.shell(found["fix"], self.scenario.folder)
        after = self.capstan.json(*arguments)[1]
        assert after["reason"] != found["reason"] or found["message"] != after["message"], after
        self.fixed += 1


def secrets(world):
    world.target("not-found", injection.FROM_SECRET, "ca/absent")
    world.explain("not-found", "SourceNotFound", "Secret")
    world.secret("refuses", world.ca, allow="yes")
    world.target("not-allowed", injection.FROM_SECRET, "ca/refuses")
    world.explain("not-allowed", "NotAllowed", "consent")
    world.secret("empty")
    world.target("no-data", injection.FROM_SECRET, "ca/empty")
    world.explain("no-data", "NoCaData", "ca.crt")
    world.secret("key", world.ca + world.key)
    world.target("invalid", injection.FROM_SECRET, "ca/key")
    world.explain("invalid", "InvalidBundle", "ca.crt")
    world.secret("old", load.new_ca("old", "20200101000000Z", "20210101000000Z"))
    world.target("expired", injection.FROM_SECRET, "ca/old")
    world.explain("expired", "Expired", "ca.crt")
    world.target("bad", injection.FROM_SECRET, "no slash; $(reboot)")
    world.explain("bad", "BadAnnotation", "annotation")
    world.secret("good", world.ca)
    distrusted(world)


def distrusted(world):
    """The manager's --distrust is a flag of capstan, too."""
    world.target("distrusted", injection.FROM_SECRET, "ca/good")
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(world.ca)).hexdigest()
    arguments = ("explain", WEBHOOKS, "distrusted", "--distrust=" + digest)
    _, found = world.capstan.json(*arguments, code=FOUND)
    check_equal("reason", found["reason"], "Distrusted")
    check_equal("the broken link", [one["name"] for one in found["links"] if one["state"] == "broken"], ["ca.crt"])
    world.seen.add("Distrusted")
    world.client.call("DELETE", injection.path_of(WEBHOOKS, "distrusted"))


def certificates(world):
    if world.scenario.kind == "embedded":
        world.cluster.ask("refuse certificates 404 get list")
    world.target("unavailable", injection.FROM_CERTIFICATE, "ca/serving")
    world.explain("unavailable", "SourceUnavailable", "Certificate")
    if world.scenario.kind == "embedded":
        world.cluster.ask("allow")
    injection.install_certificates(world.client)
    world.explain("unavailable", "SourceNotFound", "Certificate")
    world.client.create(injection.certificate("ca", "nameless", ""))
    world.target("nameless", injection.FROM_CERTIFICATE, "ca/nameless")
    world.explain("nameless", "SourceNotFound", "secretName")
    world.client.create(injection.certificate("ca", "serving", "serving-tls"))
    world.explain("unavailable", "SourceNotFound", "Secret")
    world.client.create(injection.certificate_secret("ca", "serving-tls", "other", world.ca))
    world.explain("unavailable", "NotThisCertificate", "belongs to it")
    world.client.create(injection.certificate("ca", "acme", "acme-tls"))
    made = injection.certificate_secret("ca", "acme-tls", "acme", "")
    made["data"] = {"tls.key": load.encoded(world.key)}
    world.client.create(made)
    world.target("acme", injection.FROM_CERTIFICATE, "ca/acme")
    found = world.explain("acme", "NoCaData", "ca.crt")
    assert injection.FROM_CONFIG_MAP in found["fix"], found


def config_maps(world):
    world.client.create(injection.config_map("ca", "commented", "# ours\n", True))
    world.target("commented", injection.FROM_CONFIG_MAP, "ca/commented")
    world.explain("commented", "InvalidBundle", "ca.crt")
    world.target("no-key", injection.FROM_CONFIG_MAP, "ca/commented/root.pem")
    world.explain("no-key", "NoCaData", "root.pem")


def lists(world):
    world.target("list", injection.FROM_SOURCES, "secret/ca/good, secret/ca/listed, configmap/ca/commented")
    found = world.explain("list", "SourcesIncomplete", "source")
    check_equal("sources", [one["state"] for one in found["links"] if one["name"] == "source"],
                ["ok", "broken", "broken"])
    world.target("bad-list", injection.FROM_SOURCES, "secret/ca/good, ca/good")
    world.explain("bad-list", "BadAnnotation", "annotation")


def places(world):
    def plain(made):
        del made["spec"]["conversion"]

    def unverified(made):
        made["spec"]["insecureSkipTLSVerify"] = True

    world.target("plain", injection.FROM_SECRET, "ca/good", CRD, change=plain)
    world.explain("plain", "NothingToInjectInto", "place", CRD, state="Skipped")
    world.target("unverified", injection.FROM_SECRET, "ca/good", "APIService", change=unverified)
    world.explain("unverified", "TLSVerifyDisabled", "place", "APIService")
    world.target("right", injection.FROM_SECRET, "ca/good", pem=world.ca)
    world.explain("right", "Unchanged", None, state="InSync")
    world.target("waiting", injection.FROM_SECRET, "ca/good", CRD)
    found = world.explain("waiting", "Injected", "bundle", CRD, state="Pending")
    assert "ease" in found["manager"], found
    world.client.create({**injection.target(WEBHOOKS, "silent", "x", "y")})
    code, found = world.capstan.json("explain", WEBHOOKS, "silent")
    check_equal("target without an annotation", (code, found["state"]), (FOUND, "NotRequested"))


def config_map_targets(world):
    """A key that another manager owns, and a ConfigMap without the label."""
    flag = "--enable-configmaps-injectable"
    made = injection.config_map("ca", "owned", "theirs\n", False)
    made["metadata"]["annotations"] = {injection.FROM_SECRET: "ca/good"}
    world.client.create(made)
    arguments = ["explain", flag, "configmap", "ca/owned"]
    code, found = world.capstan.json(*arguments)
    check_equal("without the label", (code, found["state"]), (FOUND, "NotWatched"))
    world.client.merge_patch("/api/v1/namespaces/ca/configmaps/owned",
                             {"metadata": {"labels": {"inject.capstan.dev/enabled": "true"}}})
    code, found = world.capstan.json(*arguments)
    check_equal(f"another owner: {found}", (code, found["state"], found["reason"]),
                (FOUND, "Broken", "FieldOwned"))
    assert ".data.ca.crt" in found["message"], found
    world.seen.add("FieldOwned")
    if world.scenario.kind == "real":
        world.fix(found, arguments)
        check_equal("with another key", world.capstan.json(*arguments)[1]["reason"], "Injected")


def other_namespaces(world):
    """A target in a namespace does not learn whether a source elsewhere exists."""
    load.ensure_namespace(world.client, "elsewhere")
    world.client.create(load.ca_secret("elsewhere", "theirs", world.ca))
    answers = set()
    for name in ("theirs", "absent"):
        made = injection.config_map("ca", "of-" + name, world.ca, False)
        made["metadata"].update(annotations={injection.FROM_SECRET: "elsewhere/" + name},
                                labels={"inject.capstan.dev/enabled": "true"})
        world.client.create(made)
        arguments = ["explain", "--enable-configmaps-injectable", "configmap", "ca/of-" + name]
        code, found = world.capstan.json(*arguments)
        check_equal(f"a source elsewhere: {found}", (code, found["state"], found["reason"]),
                    (FOUND, "Broken", "NotShared"))
        assert found["fix"] == (f"kubectl annotate secret -n elsewhere {name} "
                                "capstan.dev/allow-injection-into=ca --overwrite"), found
        answers.add(found["message"].replace(name, "NAME"))
    check_equal("answers", len(answers), 1)
    world.seen.add("NotShared")


def too_large(world):
    """40 places for a bundle of 100 CAs would have more than 1.5 MiB."""
    world.secret("many", "".join(load.new_ca(f"many-{index}") for index in range(100)))

    def repeat(made):
        made["webhooks"] = [{**made["webhooks"][0], "name": f"w{index}.example.com"} for index in range(40)]
    world.target("too-large", injection.FROM_SECRET, "ca/many", change=repeat)
    found = world.explain("too-large", "TooLarge", "bundle", fix=False)
    assert "1572864 bytes" in found["message"], found


def contested(world):
    """Another client removes the bundle after each write."""
    world.target("contested", injection.FROM_SECRET, "ca/good")
    path = injection.path_of(WEBHOOKS, "contested")
    webhooks = world.client.call("GET", path)["webhooks"]
    with Manager(world.scenario.bin_dir, world.cluster.kubeconfig(), "--leader-elect=false") as manager:
        def is_overwritten():
            if injection.holds(world.client, "contested", world.ca, (WEBHOOKS,)):
                world.client.merge_patch(path, {"webhooks": webhooks})
            return "Overwritten" in injection.reasons(world.client, WEBHOOKS, "contested")
        manager.wait_until(is_overwritten, "the reason Overwritten", 60)
        manager.stop()
    world.explain("contested", "Overwritten", "bundle", fix=False)


def refused(world):
    """The API server rejects the target, denies the source, or does not answer."""
    world.target("rejected", injection.FROM_SECRET, "ca/good", "APIService")
    real = world.scenario.kind == "real"
    if real:
        forbid_injection(world.client, injection.name_of("APIService", "rejected"))
    else:
        world.cluster.ask("refuse apiservices 422 patch")
    deadline = Deadline(30)
    while world.capstan.json("explain", "apiservice", "v1.rejected.example.com")[1][
            "reason"] != "Rejected":
        deadline.check("the policy acts")
    # The fix shows the policy. Only its owner can decide what to change.
    found = world.explain("rejected", "Rejected", "bundle", "APIService", fix=False)
    if real:
        world.cluster.shell(found["fix"], world.scenario.folder)
    else:
        world.cluster.ask("allow")
        world.cluster.ask("refuse secrets 403 get")
    may_not(world, real)
    if not real:
        world.cluster.ask("allow")


def may_not(world, real):
    """A missing right of the caller is Unknown, one of the user in --as is Broken."""
    options = {"kubeconfig": world.cluster.kubeconfig("capstan-without-secrets")} if real else {}
    found = world.explain("right", "Forbidden", "Secret", state="Unknown", **options)
    assert "--as=" in found["fix"], found
    code, out, err = world.capstan.run("check", WEBHOOKS, "right", **options)
    assert code == FAILED and "Unknown" in out and "could not be checked" in err, out + err
    if real:  # a user for --as
        world.client.create(rights.role("reader", [(
            "admissionregistration.k8s.io", "validatingwebhookconfigurations", ["get", "list"], "")]))
        world.client.create(rights.binding("reader", "User", "reader"))
    deadline = Deadline(30)
    while world.capstan.run("explain", WEBHOOKS, "right", "--as=reader")[0] == FAILED:
        deadline.check("the API server goes by the new rights")
    found = world.explain("right", "Forbidden", "Secret", asked_as="reader", fix=False)
    if real:
        assert "--user=reader" in found["fix"], found


class Deadline:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def check(self, what):
        assert time.monotonic() < self.end, f"not in time: {what}"
        time.sleep(0.1)


def forbid_injection(client, name):
    """Creates an admission policy that rejects the bundle of one APIService."""
    group = "admissionregistration.k8s.io/v1"
    client.call("POST", f"/apis/{group}/validatingadmissionpolicies", {
        "apiVersion": group, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "no-bundles"},
        "spec": {"failurePolicy": "Fail",
                 "matchConstraints": {"resourceRules": [{
                     "apiGroups": ["apiregistration.k8s.io"], "apiVersions": ["*"],
                     "operations": ["UPDATE"], "resources": ["apiservices"],
                     "resourceNames": [name]}]},
                 "validations": [{"expression": "!has(object.spec.caBundle)",
                                  "message": "no bundles here", "reason": "Invalid"}]}})
    client.call("POST", f"/apis/{group}/validatingadmissionpolicybindings", {
        "apiVersion": group, "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "no-bundles"},
        "spec": {"policyName": "no-bundles", "validationActions": ["Deny"]}})


def reported_by_the_manager(world):
    """Reasons that only the manager knows are in its Events."""
    for name, annotation, value in (("outside", injection.FROM_SECRET, "ca/good"),
                                    ("disabled", injection.FROM_CONFIG_MAP, "ca/commented")):
        world.target(name, annotation, value)
    with Manager(world.scenario.bin_dir, world.cluster.kubeconfig(), "--namespace=elsewhere",
                 "--leader-elect=false", "--feature-gates=ConfigMapSource=false") as manager:
        manager.wait_until(lambda: all(injection.reasons(world.client, WEBHOOKS, name) for name in
                                       ("outside", "disabled")), "Events", 60)
        manager.stop()
    for name, reason in (("outside", "OutsideNamespace"), ("disabled", "SourceDisabled")):
        found = world.explain(name, reason, "manager")
        assert "the manager reported this" in " ".join(found["notes"]), found


def status_and_check(world):
    code, found = world.capstan.json("status", code=FINE)
    rows = {(item["kind"], item["name"]): item for item in found["items"]}
    for (kind, name), item in rows.items():
        explained = world.capstan.json("explain", kind, name)[1]
        if explained["reason"] == "Rejected":
            continue  # only a write attempt shows this
        check_equal(f"status and explain of {kind} {name}", (item["state"], item["reason"]),
                    (explained["state"], explained["reason"]))
    text = world.capstan.run("status", code=FINE)[1]
    check_equal("rows of the table", len(text.splitlines()), 1 + len(rows))
    world.scenario.figure("targets in the table", len(rows))
    code, out, err = world.capstan.run("check")
    check_equal(f"exit code of check {out} {err}", code, FOUND)
    world.capstan.run("check", WEBHOOKS, "right", code=FINE)
    with Manager(world.scenario.bin_dir, world.cluster.kubeconfig(), "--leader-elect=false"):
        world.capstan.run("check", "crd", "waitings.example.com", "--wait=60s", code=FINE)
    item = next(item for item in world.capstan.json("status")[1]["items"]
                if item["name"] == "waitings.example.com")
    check_equal("afterwards", (item["state"], item["reason"]), ("InSync", "Unchanged"))
    assert re.match(r"20\d\d-\d\d-\d\dT", item["expires"]), item


def on_a_terminal(world, **environment):
    """Returns the output of `capstan status` on a terminal of 60 columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    with subprocess.Popen([world.capstan.program, "status"], stdout=its, env={
            "KUBECONFIG": world.capstan.kubeconfig, "TERM": "xterm", **environment}):
        os.close(its)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def terminals(world):
    coloured, plain = on_a_terminal(world), on_a_terminal(world, NO_COLOR="1")
    assert "\x1b[31m" in coloured and "\x1b" not in plain, repr(coloured)
    check_equal("without the colours", re.sub("\x1b[^m]*m", "", coloured), plain)
    check_equal("columns", max(map(len, plain.splitlines())), 60)
    os.symlink(world.capstan.program, world.scenario.path("kubectl-capstan"))
    if world.scenario.kind == "real":
        path = f"{world.scenario.folder}:{world.cluster.state['binaries']}:{os.environ['PATH']}"
        done = subprocess.run(["kubectl", "capstan", "check", WEBHOOKS, "right"], check=False,
                              capture_output=True, text=True, env={
                                  **os.environ, "PATH": path,
                                  "KUBECONFIG": world.capstan.kubeconfig})
        check_equal(f"kubectl capstan: {done.stderr}", done.returncode, FINE)


def no_answer(world):
    if world.scenario.kind == "real":  # etcd has garbage for this Secret
        body = {"key": base64.b64encode(b"/registry/secrets/ca/broken").decode(),
                "value": base64.b64encode(b"garbage").decode()}
        urllib.request.urlopen(urllib.request.Request(
            world.cluster.state["etcd_url"] + "/v3/kv/put", json.dumps(body).encode()),
            timeout=10).close()
    else:
        world.cluster.ask("refuse secrets 500 get")
    world.target("no-answer", injection.FROM_SECRET, "ca/broken")
    world.explain("no-answer", "Error", "Secret", state="Unknown")
    world.capstan.run("status", code=FAILED)


def bad_input(world):
    broken = kube.write_kubeconfig(world.scenario.path("closed"), "https://127.0.0.1:1", "u", "t")
    for arguments, words in (
            (("explain", "validatingwebhookconfig", "x"), "did you mean validatingwebhookconfiguration?"),
            (("explain", "pod", "x"), "unknown kind \"pod\"; use "),
            (("explain", "crd"), "a KIND and a NAME are needed"),
            (("explain", "vwc", "a", "b"), "unexpected argument \"b\""),
            (("explain", WEBHOOKS, "righ"), "did you mean right?"),
            (("status", "-o", "yaml"), "invalid argument \"yaml\" for --output: expected json"),
            (("status", "--contxt=x"), "did you mean --context?"),
            (("check", "--wait=soon"), "invalid argument \"soon\" for --wait"),
            (("status", f"--kubeconfig={broken}"), "; start the API server, or correct"),
            (("statu",), "did you mean status?")):
        code, out, err = world.capstan.run(*arguments, code=FAILED)
        assert err.count("\n") == 1 and words in err and not out, f"{arguments}: {code} {err}"


def run(scenario):
    world = World(scenario)
    secrets(world)
    certificates(world)
    config_maps(world)
    lists(world)
    places(world)
    config_map_targets(world)
    other_namespaces(world)
    too_large(world)
    refused(world)
    reported_by_the_manager(world)
    status_and_check(world)
    terminals(world)
    contested(world)
    bad_input(world)
    no_answer(world)
    with open(REASONS, encoding="utf-8") as file:
        documented = set(re.findall(r"^\| `(\w+)` \|", file.read(), re.M))
    check_equal("reasons without an explanation", documented - world.seen, set())
    output = "\n".join(world.capstan.outputs)
    check_equal("parts of a private key", world.search.found_in(output), [])
    assert "PRIVATE KEY-----" not in output and "\x1b" not in output, "a key, or colour in a pipe"
    scenario.figure("reasons explained", len(world.seen))
    scenario.figure("fixed by the suggested command", world.fixed)
