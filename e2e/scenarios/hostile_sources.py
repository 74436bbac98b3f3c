# SPDX-License-Identifier: Apache-2.0
"""Sources without a valid CA bundle do not change targets, and their content appears nowhere.

Each kind of source (Secret, Certificate, ConfigMap, the API server's CA file) is valid at first and
injected into all kinds of targets. Then it is garbage, empty, expired, oversize, or a private key.
Then it is fixed and injected. All output is searched for the content, plain, in base64 and in hex:
logs with -v=6 (text and JSON), Events, targets, /metrics, /readyz?verbose. There is no core dump.
"""
import json
import os
import resource
import shutil
import signal
import subprocess
import time

from lib import injection, kube, leaks, load
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
SOURCES = ("secret", "certificate", "labelled", "plain")  # ConfigMaps with and without the label
PAGES = ("/metrics", "/readyz?verbose", "/livez?verbose", "/healthz?verbose", "/statusz")


class Hostile:
    """The content of hostile sources by name, and the parts that must not appear."""

    def __init__(self, good):
        key, key_bytes = leaks.private_key()
        garbage, in_block, label, big = (leaks.marker() for _ in range(4))
        expired_name = leaks.marker()
        expired = load.new_ca(expired_name, "20200101000000Z", "20210101000000Z")
        self.contents = {
            "garbage": f"password: {garbage}\n",
            "empty": "",
            "expired": expired,
            "oversize": good + (big + "\n") * (400_000 // len(big)),
            "key": good + key,
            "key-alone": key,
            "no-certificate": leaks.block("CERTIFICATE", in_block.encode() * 9),
            "cut-off": good + leaks.block("CERTIFICATE", in_block.encode() * 9)[:200],
            "label": f"-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n"}
        self.beside = leaks.marker()  # under another key of the Secrets
        self.search = leaks.Search(
            [garbage, in_block, label, big, expired_name, key_bytes, self.beside])


def source(kind, name, pem, beside):
    if kind == "secret":
        made = load.ca_secret("ca", f"s-{name}", pem)
    elif kind == "certificate":
        made = injection.certificate_secret("ca", f"c-{name}", f"c-{name}", pem)
    else:
        return injection.config_map("ca", f"{kind[0]}-{name}", pem, kind == "labelled")
    made["data"]["tls.key"] = load.encoded(beside)
    return made


def annotation(kind, name):
    return {"secret": (injection.FROM_SECRET, f"ca/s-{name}"),
            "certificate": (injection.FROM_CERTIFICATE, f"ca/c-{name}"),
            "labelled": (injection.FROM_CONFIG_MAP, f"ca/l-{name}"),
            "plain": (injection.FROM_CONFIG_MAP, f"ca/p-{name}")}[kind]




class Run:
    """One manager with one log format."""

    def __init__(self, scenario, cluster, hostile, good):
        self.scenario, self.cluster, self.client = scenario, cluster, cluster.client()
        self.hostile, self.good = hostile, good
        self.kinds = list(injection.KINDS)

    def each(self):
        for name in self.hostile.contents:
            for kind in SOURCES:
                yield kind, name

    def target_kind(self, kind, name):
        """Returns the kind of target for a source. All kinds take turns."""
        return self.kinds[(SOURCES.index(kind) + list(self.hostile.contents).index(name)) % 4]

    def set_up(self):
        load.ensure_namespace(self.client, "ca")
        for kind, name in self.each():
            self.client.create(source(kind, name, self.good, self.hostile.beside))
            if kind == "certificate":
                self.client.create(injection.certificate("ca", f"c-{name}", f"c-{name}"))
            self.client.create(injection.target(self.target_kind(kind, name), f"{kind}-{name}",
                                              *annotation(kind, name)))

    def change_sources(self, pem_of):
        for kind, name in self.each():
            made = source(kind, name, pem_of(name), self.hostile.beside)
            self.client.call("PUT", kube.path_of("v1", kube.plural_of(made["kind"]), "ca",
                                                 made["metadata"]["name"]), made)
            if kind == "plain":  # without the label there is no watch
                path = injection.path_of(self.target_kind(kind, name), f"{kind}-{name}")
                self.client.merge_patch(path, {"metadata": {"labels": {"look": leaks.marker()}}})

    def all_hold(self, pem):
        return all(bundle == pem for kind, name in self.each()
                   for bundle in injection.held(self.client, self.target_kind(kind, name),
                                              f"{kind}-{name}"))

    def all_reported(self):
        """Returns whether each target has an Event with the reason."""
        reasons = {"InvalidBundle", "NoCaData", "Expired"}
        found = self.client.call("GET", "/api/v1/namespaces/default/events?limit=5000")["items"]
        reported = {(event["involvedObject"]["kind"], event["involvedObject"]["name"])
                    for event in found if event["reason"] in reasons}
        return all((self.target_kind(kind, name),
                    injection.name_of(self.target_kind(kind, name), f"{kind}-{name}")) in reported
                   for kind, name in self.each())

    def all_output(self, manager):
        """Returns {place: text}."""
        output = {page: manager.get(page)[1] for page in PAGES}
        output["the log"] = manager.log()
        output["Events"] = json.dumps(self.client.call("GET", "/api/v1/events?limit=5000"))
        for kind, name in self.each():
            path = injection.path_of(self.target_kind(kind, name), f"{kind}-{name}")
            output[f"the target of {kind} {name}"] = json.dumps(self.client.call("GET", path))
        return output

    def check_search(self):
        """Checks that the search finds the content in the sources themselves."""
        for name, content in self.hostile.contents.items():
            data = self.client.call("GET", f"/api/v1/namespaces/ca/secrets/s-{name}")["data"]
            for key, value in data.items():
                assert not content or self.hostile.search.found_in(value), f"{key} of s-{name}"

    def check_silence(self, manager):
        output = self.all_output(manager)
        for where, text in output.items():
            found = self.hostile.search.found_in(text)
            assert not found, f"{where} has parts of what is secret: {found[:5]}"
        return sum(map(len, output.values()))


def start(scenario, run, file, *flags):
    """Returns a kubeconfig whose CA is in `file`."""
    kubeconfig = kube.write_kubeconfig(scenario.path("kubeconfig"), run.cluster.server, "capstan",
                                       "manager-token", **{"certificate-authority": file})
    return Manager(scenario.bin_dir, kubeconfig, "-v=6", "--leader-elect=false", *flags)


def sources_phase(scenario, run, manager):
    manager.wait_until(lambda: run.all_hold(run.good), "the good sources are injected", 60)
    run.change_sources(run.hostile.contents.get)
    run.check_search()
    manager.wait_until(run.all_reported, "an Event for each target of a hostile source", 60)
    assert run.all_hold(run.good), "a hostile source changed a target"
    scenario.figure("hostile sources", f"{len(run.hostile.contents)} contents, {len(SOURCES)} "
                    f"kinds; characters searched: {run.check_silence(manager)}")


def fixed_phase(run, manager):
    new = load.new_ca("new")
    run.change_sources(lambda name: new)
    manager.wait_until(lambda: run.all_hold(run.good + new),
                       "the fixed sources are injected beside the old", 60)
    run.check_silence(manager)


def file_phase(scenario, run, manager, file, canonical):
    """Changes the API server's CA file, which is read every 10 s. Without it no Event is sent."""
    kind = "ValidatingWebhookConfiguration"

    def refused():
        return sum(manager.metric("capstan_injection_total", kind=kind, result=result) or 0
                   for result in ("InvalidBundle", "NoCaData"))

    run.client.create(injection.target(kind, "api-server", injection.FROM_API_SERVER, "true"))
    manager.wait_until(lambda: injection.holds(run.client, "api-server", canonical, [kind]),
                       "the API server's CA is injected", 30)
    shutil.copy(file, file + ".good")
    for name in ("key-alone", "no-certificate", "oversize", "garbage", "empty"):
        before = refused()
        with open(file, "w", encoding="ascii") as out:
            out.write((canonical if name in ("key-alone", "no-certificate") else "")
                      + run.hostile.contents[name])
        manager.wait_until(lambda n=before: refused() > n, f"the CA file is refused: {name}", 40)
        assert injection.holds(run.client, "api-server", canonical, [kind]), f"{name} changed it"
    run.check_silence(manager)
    new = load.new_ca("new")
    with open(file + ".good", encoding="ascii") as good, open(file, "w", encoding="ascii") as out:
        out.write(good.read() + new)
    manager.wait_until(lambda: injection.holds(run.client, "api-server", canonical + new, [kind]),
                       "the fixed file is injected", 40)
    scenario.figure("the CA file", "holds a key, no certificate, garbage, nothing, then is fixed")


def check_no_core(scenario, manager):
    """Checks that a crash leaves no core dump, although the system would write one."""
    def dumps(pid):
        os.kill(pid, signal.SIGABRT)
        return os.WCOREDUMP(os.waitpid(pid, 0)[1])

    with open(f"/proc/{manager.process.pid}/limits", encoding="ascii") as file:
        limit = next(line for line in file if line.startswith("Max core file size"))
    check_equal("core limits of the manager", limit.split()[4:6], ["1", "1"])
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    other = subprocess.Popen(  # pylint: disable=consider-using-with
        ["sleep", "60"], cwd=scenario.folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)))
    time.sleep(0.2)
    scenario.figure("another program that aborts dumps core", dumps(other.pid))
    assert not dumps(manager.process.pid), "the manager dumped core"


def run(scenario):
    good = load.new_ca("good")
    hostile = Hostile(good)
    for log_format in ("text", "json"):
        cluster = scenario.cluster()
        injection.install_certificates(cluster.client())
        one = Run(scenario, cluster, hostile, good)
        one.set_up()
        file = scenario.path("ca.crt")
        shutil.copy(cluster.ca_file, file)
        with open(file, encoding="ascii") as text:
            canonical = text.read()
        with start(scenario, one, file, f"--logging-format={log_format}") as manager:
            sources_phase(scenario, one, manager)
            fixed_phase(one, manager)
            if log_format == "text":
                file_phase(scenario, one, manager, file, canonical)
                check_no_core(scenario, manager)
            else:
                check_equal("exit code", manager.stop()[0], 0)
            assert not hostile.search.found_in(manager.log()), "the last lines of the log"
        cluster.destroy()
        scenario.clusters.remove(cluster)
