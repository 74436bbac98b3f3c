# SPDX-License-Identifier: Apache-2.0
"""A user with every right in one namespace neither stops the programs nor delays other namespaces.

The programs run with the chart's arguments, rights and memory limits. For each attack the table shows the
peak memory of both programs, also of a start during the attack, and how long another namespace's target
and pod waited. SECURITY.md has this table. CAPSTAN_ATTACKS=pods,slow_webhook runs only these attacks.
"""
import contextlib
import functools
import json
import os
import resource
import socket
import sys
import threading
import time

import yaml

from lib import agent, attacks, cgroup, injection, kube, load
from lib.agent import Agent
from lib.attacks import NAMESPACE
from lib.cluster import ROOT
from lib.manager import Manager
from lib.scenario import Skipped, check_equal
from lib.tls_server import Authority, TlsServer

sys.path.insert(0, os.path.join(ROOT, "hack/chart"))
import chart  # pylint: disable=wrong-import-position,import-error

KINDS = ("embedded", "real")
ALONE = True  # it measures
SLOW = True
VALUES = {"controllerManager": {"targets": {"configMaps": True}, "additionalTargets": attacks.ADDITIONAL_TARGETS},
          "nodeAgent": {"enabled": True, "gates": ["pod-ip:any"],
                        "gateSets": {"guarded": ["pod-ip:any", f"configmap:{NAMESPACE}/{attacks.GATE_CONFIG_MAP}"]}}}
PEAK_MIB_MAX = {"capstan-controller-manager": 48, "capstan-node-agent": 24}
LATER_FACTOR_MAX, LATER_SECONDS_MAX = 2, 0.5
PROBE_SECONDS_MAX = 1  # the default of the kubelet
VICTIM, SAMPLES = "other", 5
SLOW_WEBHOOK_SECONDS = 8
IDLE_CONNECTIONS = 6_000
CONTEST_SECONDS, WRITES_MAX = 10, 40
TRIES = 5
READY_SECONDS_MAX = GONE_SECONDS_MAX = 60


class World:
    """The API server, the chart's rights, the tenant, and a neighbour who is to notice nothing."""

    def __init__(self, scenario):
        self.scenario, self.cluster = scenario, scenario.cluster()
        self.real = scenario.kind == "real"
        self.client = self.cluster.client()
        self.ca = load.new_ca("root")
        self.objects = chart.objects(VALUES)
        self.count = 0
        for namespace in (NAMESPACE, VICTIM, chart.NAMESPACE):
            load.ensure_namespace(self.client, namespace)
        injection.install_certificates(self.client)
        self.client.create(attacks.definition())
        for namespace, name in ((VICTIM, "ca"), (NAMESPACE, "small")):
            self.client.create(load.ca_secret(namespace, name, self.ca))
        self.wait_served()
        self.tenant = self.client
        self.kubeconfigs = {name: self.cluster.kubeconfig() for name in PEAK_MIB_MAX}
        if self.real:
            self.client.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": agent.NODE}})
            self.install_chart()
            self.tenant = self.tenant_client()

    def wait_served(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.client.call("GET", kube.path_of(attacks.GROUP + "/v1", "gateways"))
            except kube.ApiError:
                assert time.monotonic() < deadline, "Gateways are not served"
                time.sleep(0.1)

    def install_chart(self):
        """Creates the accounts, rights, policies and gate sets of the chart."""
        for found in self.objects:
            if "Role" in found["kind"] or found["kind"] in ("ServiceAccount", "ConfigMap") or (
                    found["kind"].startswith("ValidatingAdmissionPolicy")):
                plural = {"ValidatingAdmissionPolicy": "validatingadmissionpolicies"}.get(
                    found["kind"], kube.plural_of(found["kind"]))
                namespace = found["metadata"].get("namespace")
                if namespace:
                    load.ensure_namespace(self.client, namespace)
                self.client.call("POST", kube.path_of(found["apiVersion"], plural, namespace), found)
        for name in PEAK_MIB_MAX:
            bound = agent.pod_of_agent(self.client, chart.NAMESPACE, name) if name == Agent.PROGRAM else None
            self.kubeconfigs[name] = agent.account_kubeconfig(
                self.scenario, self.cluster, chart.NAMESPACE, name, bound)

    def tenant_client(self):
        """Returns a client with a Role of * in the tenant's namespace, and nothing else."""
        metadata = {"name": "tenant", "namespace": NAMESPACE}
        self.client.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
        api = "rbac.authorization.k8s.io"
        self.client.create({"apiVersion": api + "/v1", "kind": "Role", "metadata": metadata,
                            "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]})
        self.client.create({
            "apiVersion": api + "/v1", "kind": "RoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": api, "kind": "Role", "name": "tenant"},
            "subjects": [{"kind": "ServiceAccount", "name": "tenant", "namespace": NAMESPACE}]})
        path = kube.path_of("v1", "serviceaccounts", NAMESPACE, "tenant") + "/token"
        token = self.client.call("POST", path, {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"audiences": ["https://kubernetes.default.svc"]}})["status"]["token"]
        return kube.Client(self.cluster.server, token, self.cluster.ca_file)

    def container(self, kind):
        return chart.pod_of(chart.one(self.objects, kind))["containers"][0]

    def limit_mib(self, kind):
        limit = self.container(kind)["resources"]["limits"]["memory"]
        assert limit.endswith("Mi"), limit
        return int(limit[:-2])

    def create(self, objects):
        """Creates (path, body) as the tenant. Returns the paths of what was created."""
        def one(client, item):
            path, body = item
            text = body if isinstance(body, str) else json.dumps(body)
            for attempt in range(TRIES):
                try:
                    client.send("POST", path, text)
                    break
                except kube.ApiError as error:
                    # kube-apiserver needs many seconds for a deep object, and may have stored it anyway.
                    if error.code == 409 and attempt:
                        break
                    if error.code != 504 or attempt == TRIES - 1:
                        raise
            return path + "/" + (json.loads(text) if not isinstance(body, str) else {
                "metadata": {"name": text.split('"name": "', 1)[1].split('"', 1)[0]}})["metadata"]["name"]
        return self.tenant.parallel(one, objects, threads=4)

    def delete(self, paths):
        """Deletes the objects, and waits until the watch cache has none: the next attack must not pay for them."""
        def is_there(client, *request):
            try:
                client.send(*request)
                return True
            except kube.ApiError as error:
                if error.code != 404:
                    raise
                return False

        def one(client, path):
            is_there(client, "DELETE", path, {"gracePeriodSeconds": 0})
            took = seconds_until(lambda: not is_there(client, "GET", path + "?resourceVersion=0"), GONE_SECONDS_MAX)
            assert took < GONE_SECONDS_MAX, f"{path} is not gone after its attack"
        self.tenant.parallel(one, paths, threads=4)

    def target_seconds(self):
        """Creates a target of the neighbour. Returns the seconds until it has its bundle."""
        self.count += 1
        name = f"trust-{self.count}"
        path = kube.path_of("v1", "configmaps", VICTIM, name)
        self.client.create({"apiVersion": "v1", "kind": "ConfigMap", "data": {}, "metadata": {
            "name": name, "namespace": VICTIM, "labels": attacks.INJECT,
            "annotations": {injection.FROM_SECRET: f"{VICTIM}/ca"}}})
        took = seconds_until(lambda: self.client.call("GET", path).get("data", {}).get("ca.crt") == self.ca)
        self.client.call("DELETE", path)
        return took

    def pod_seconds(self):
        """Creates a pod of the neighbour. Returns the seconds from its address until it is open."""
        self.count += 1
        path = kube.path_of("v1", "pods", VICTIM, f"web-{self.count}")
        body = agent.pod(f"web-{self.count}")
        body["metadata"]["namespace"] = VICTIM
        self.client.create(body)

        def annotations():
            return self.client.call("GET", path)["metadata"].get("annotations") or {}
        seconds_until(lambda: agent.STATUS in annotations())
        self.client.call("PATCH", path + "/status", {"status": {
            "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}}, "application/strategic-merge-patch+json")
        took = seconds_until(lambda: agent.READY in annotations())
        self.client.call("DELETE", path, {"gracePeriodSeconds": 0})
        return took


def seconds_until(condition, seconds=20):
    """Returns the seconds until the condition is true, or `seconds` if it is not by then."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() > begin + seconds:
            break
        time.sleep(0.01)
    return time.monotonic() - begin


class Programs:
    """Both programs, each in its memory limit."""

    def __init__(self, world, stack):
        self.running = {}
        for program, kind, flags in ((Manager, "Deployment", ["--leader-elect=false"]),
                                     (Agent, "DaemonSet", [])):
            limit = stack.enter_context(cgroup.MemoryLimit(program.PROGRAM, world.limit_mib(kind)))
            made = program(world.scenario.bin_dir, world.kubeconfigs[program.PROGRAM],
                           *world.container(kind)["args"], *flags)
            made.prefix = limit.prefix
            self.running[program.PROGRAM] = (stack.enter_context(made), limit)

    def __getitem__(self, name):
        return self.running[name][0]

    def wait_ready(self):
        """Returns what is wrong: a program that is not ready in time, or has ended."""
        wrong = []
        for name, (program, _) in self.running.items():
            seconds_until(lambda p=program: p.get("/readyz")[0] == 200 or not p.is_running(),
                          READY_SECONDS_MAX)
            if program.is_running() and program.get("/readyz")[0] != 200:
                wrong.append(f"{name} is not ready: {program.get('/readyz?verbose')[1][-200:]}")
        return wrong + self.ended()

    def ended(self):
        return [f"{name} has ended" + (": out of memory" if limit.kills() else "")
                for name, (program, limit) in self.running.items() if not program.is_running()]

    def peaks(self):
        """Returns the peak of each program in MiB."""
        return {name: program.memory_kib() / 1024 if program.is_running() else float("inf")
                for name, (program, _) in self.running.items()}

    def probe_seconds(self):
        """Returns the longest time of a probe, three for each program. A probe that fails is infinite."""
        longest = 0.0
        for name, (program, _) in self.running.items():
            for _ in range(3):
                begin = time.monotonic()
                code, text = program.get("/readyz")
                longest = max(longest, time.monotonic() - begin if code == 200 else float("inf"))
                if code != 200:
                    print(f"  {name}: {code} {text[-300:]}")
        return longest


@contextlib.contextmanager
def stored(world, _programs, *, make):
    """An attack that stores objects. While it lasts, the tenant changes one of them ten times a second."""
    paths, stop = [], threading.Event()

    def churn():
        client = kube.Client(*world.tenant.parameters)
        count = 0
        while not stop.wait(0.1):
            count += 1
            with contextlib.suppress(kube.ApiError, OSError):
                client.send("PATCH", paths[count % len(paths)], {"metadata": {"labels": {"churn": str(count)}}},
                            "application/merge-patch+json")
    thread = threading.Thread(target=churn)
    try:
        paths += world.create(make())
        thread.start()
        yield lambda: []
    finally:
        stop.set()
        if thread.ident:
            thread.join()
        world.delete(paths)


@contextlib.contextmanager
def removed_bundle(world, programs):
    """Another client that removes the bundle of a target again and again"""
    path, body = attacks.config_map("contested", {}, attacks.INJECT, attacks.SOURCE)
    stop = threading.Event()

    def remove():
        client = kube.Client(*world.tenant.parameters)
        while not stop.wait(0.005):
            with contextlib.suppress(kube.ApiError, OSError):
                client.merge_patch(path + "/contested", {"data": None})
    thread = threading.Thread(target=remove)

    def wrong():
        manager = programs[Manager.PROGRAM]
        stop.wait(CONTEST_SECONDS)
        writes = manager.metric("capstan_injection_total", kind="ConfigMap", result="Injected") or 0
        return [] if writes <= WRITES_MAX else [f"{writes:.0f} writes, at most {WRITES_MAX} are allowed"]
    try:
        world.create([(path, body)])
        thread.start()
        yield wrong
    finally:
        stop.set()
        thread.join()
        world.delete([path + "/contested"])


class SilentServer(TlsServer):
    """Accepts requests and does not answer them."""

    def run(self):
        held = []
        with contextlib.suppress(OSError):
            while True:
                held.append(self.listener.accept()[0])


@contextlib.contextmanager
def slow_webhook(world, _programs):
    """A webhook for the tenant's pods that does not answer for eight seconds, and 40 pods"""
    authority = Authority(world.scenario.folder, f"slow-{time.monotonic_ns()}")
    with SilentServer(authority.issue("IP:127.0.0.1"), "127.0.0.1") as server:
        paths = world.create(attacks.pod(f"pod-{index}") for index in range(40))
        name = "slow.tenant.example.com"
        world.client.create({
            "apiVersion": load.ADMISSION, "kind": "MutatingWebhookConfiguration", "metadata": {"name": name},
            "webhooks": [{
                "name": name, "sideEffects": "None", "admissionReviewVersions": ["v1"],
                "failurePolicy": "Ignore", "timeoutSeconds": SLOW_WEBHOOK_SECONDS,
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}},
                "clientConfig": {"url": f"https://127.0.0.1:{server.port}/", "caBundle": load.encoded(authority.pem)},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"],
                           "resources": ["pods"]}]}]})
        try:
            time.sleep(1)  # there is no notification when kube-apiserver uses a new webhook
            for path in paths:
                world.client.call("PATCH", path + "/status", {"status": {
                    "podIP": "10.0.0.2", "podIPs": [{"ip": "10.0.0.2"}]}}, "application/strategic-merge-patch+json")
            yield lambda: []
        finally:
            world.client.call("DELETE", kube.path_of(load.ADMISSION, "mutatingwebhookconfigurations", None, name))
            world.delete(paths)


@contextlib.contextmanager
def idle_connections(_world, programs):
    """6,000 idle connections to each metrics port"""
    with contextlib.ExitStack() as stack:
        for program, _ in programs.running.values():
            for _ in range(IDLE_CONNECTIONS):
                with contextlib.suppress(OSError):  # a server may refuse them
                    stack.enter_context(socket.create_connection(("127.0.0.1", program.port), 5))
        yield lambda: []


def baseline(world):
    with contextlib.ExitStack() as stack:
        programs = Programs(world, stack)
        check_equal("what is wrong without an attack", programs.wait_ready(), [])
        usual = {what: sorted(measure() for _ in range(SAMPLES))[SAMPLES // 2]
                 for what, measure in (("target", world.target_seconds), ("pod", world.pod_seconds))}
        row(world, "none", programs.peaks(), usual, programs.probe_seconds())
    return usual


def row(world, name, peaks, took, probe):
    world.scenario.figure(f"{name:22}", " | ".join(
        [f"manager {peaks['capstan-controller-manager']:5.1f} MiB", f"agent {peaks['capstan-node-agent']:5.1f} MiB",
         f"target {took['target']:6.2f} s", f"pod {took['pod']:6.2f} s", f"probe {probe:5.3f} s"]))


def measure(world, programs, took):
    """Adds the longest times of the neighbour to `took`. Returns the peaks, the probe and what is wrong."""
    for _ in range(SAMPLES):
        if programs.ended() or max(took.values()) > 2 * LATER_SECONDS_MAX:
            break  # more would only take more time
        took["target"] = max(took["target"], world.target_seconds())
        took["pod"] = max(took["pod"], world.pod_seconds())
    return programs.peaks(), programs.probe_seconds(), programs.ended()


def attack(world, usual, name, begin):
    """Runs one attack: against running programs, then against programs that start. Returns what is wrong."""
    took, wrong = {"target": 0.0, "pod": 0.0}, []
    with contextlib.ExitStack() as outer:
        with contextlib.ExitStack() as stack:
            programs = Programs(world, stack)
            wrong += programs.wait_ready()
            check = outer.enter_context(begin(world, programs))
            peaks, probe, ended = measure(world, programs, took)
            wrong += ended + check()
        with contextlib.ExitStack() as stack:
            programs = Programs(world, stack)
            wrong += programs.wait_ready()
            peaks_again, probe_again, ended = measure(world, programs, took)
            wrong += ended
    peaks = {program: max(peak, peaks_again[program]) for program, peak in peaks.items()}
    probe = max(probe, probe_again)
    row(world, name, peaks, took, probe)
    wrong += [f"the peak of {program} is {peak:.1f} MiB, at most {PEAK_MIB_MAX[program]} is allowed"
              for program, peak in peaks.items() if peak > PEAK_MIB_MAX[program]]
    wrong += [f"the {what} of another namespace waited {seconds:.2f} s, usually {usual[what]:.2f} s"
              for what, seconds in took.items()
              if seconds > LATER_FACTOR_MAX * usual[what] + LATER_SECONDS_MAX]
    if probe > PROBE_SECONDS_MAX:
        wrong.append(f"a probe took {probe:.2f} s, at most {PROBE_SECONDS_MAX} is allowed")
    return [f"{name}: {what}" for what in wrong]


def foreign_sources(world):
    """The answer about a source of another namespace does not show whether it exists."""
    body = load.ca_secret(VICTIM, "private", world.ca)
    body["metadata"]["annotations"] = {}
    world.client.create(body)
    world.client.create(injection.config_map(VICTIM, "roots", world.ca, False))
    sources = {"exists": {injection.FROM_SECRET: f"{VICTIM}/private"}, "absent": {injection.FROM_SECRET: f"{VICTIM}/absent"},
               "map-exists": {injection.FROM_CONFIG_MAP: f"{VICTIM}/roots"},
               "map-absent": {injection.FROM_CONFIG_MAP: f"{VICTIM}/absent"}}
    paths = world.create(attacks.config_map(name, {}, attacks.INJECT, source) for name, source in sources.items())
    with contextlib.ExitStack() as stack:
        programs = Programs(world, stack)
        wrong = programs.wait_ready()

        def told():
            events = world.tenant.call("GET", kube.path_of("v1", "events", NAMESPACE) + "?limit=5000")["items"]
            return {event["involvedObject"]["name"]: event["reason"] + " " + event["message"] for event in events
                    if event["involvedObject"]["name"] in sources}
        seconds_until(lambda: len(told()) == len(sources), 20)
        held = {name: world.client.call("GET", path).get("data") for name, path in zip(sources, paths)}
        found = {name: text.replace("private", "X").replace("absent", "X").replace("roots", "X")
                 for name, text in told().items()}
    world.delete(paths)
    wrong += [f"{name} got the bundle of another namespace" for name, data in held.items() if data]
    for one, two in (("exists", "absent"), ("map-exists", "map-absent")):
        if found.get(one) != found.get(two) or not found.get(one):
            wrong.append(f"{found.get(one)!r} differs from {found.get(two)!r}")
    world.scenario.figure("sources of another namespace", found)
    return ["foreign sources: " + what for what in wrong]


def run(scenario):
    if chart.tools() is None:
        raise Skipped("no helm here; hack/chart/build makes one")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * IDLE_CONNECTIONS + 1000
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(needed, hard)))
    world = World(scenario)
    usual = baseline(world)
    wrong = foreign_sources(world)
    chosen = os.environ.get("CAPSTAN_ATTACKS", "").split(",")
    for begin in (*attacks.STORED, removed_bundle, slow_webhook, idle_connections):
        if chosen != [""] and begin.__name__ not in chosen:
            continue
        scenario.figure(begin.__name__, begin.__doc__)
        wrong += attack(world, usual, begin.__name__, functools.partial(stored, make=begin)
                        if begin in attacks.STORED else begin)
    assert not wrong, "\n  ".join([f"{len(wrong)} limits are exceeded:", *wrong])
