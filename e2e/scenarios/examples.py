# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the example controllers, built with the installed library, on this server.

On a real API server, programs with a deploy/ run with its rights, which must be what they use. Otherwise
ctest also runs the tests on the API server in their own process, as hack/library_test.py does.
"""
import os
import shlex
import subprocess
import time

import yaml
from lib import kube, library
from lib.cluster import ROOT
from lib.scenario import check_equal

KINDS = ("embedded", "real")
EXAMPLES = os.path.join(ROOT, "examples")
# Each test, with the program that it runs. That of memcached runs the controller in its own process.
TESTS = {"cronjob": "cronjob-controller", "hello": "hello", "memcached": None, "namespaces": "namespaces",
         "pod-labeler": "pod-labeler", "sample-controller": "sample-controller",
         "secret-mirror": "secret-mirror"}


def told(*command):
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def granted_by(manifests):
    return {(group, resource, verb) for made in manifests for rule in made.get("rules", ())
            for group in rule["apiGroups"] for resource in rule["resources"] for verb in rule["verbs"]}


def manifests_of(example, program):
    """Returns what --print-rbac prints, which deploy/rbac.yaml has as well."""
    printed = list(yaml.safe_load_all(told(program, "--print-rbac")))
    with open(os.path.join(EXAMPLES, example, "deploy/rbac.yaml"), encoding="utf-8") as file:
        deployed = list(yaml.safe_load_all(file))
    check_equal(f"the objects in deploy/rbac.yaml of {example}",
                [(made["kind"], made["metadata"]) for made in deployed],
                [(made["kind"], made["metadata"]) for made in printed])
    check_equal(f"the rights in deploy/rbac.yaml of {example}", granted_by(deployed), granted_by(printed))
    return printed


class Rights:
    """The ServiceAccount and the ClusterRole of an example."""

    def __init__(self, scenario, cluster, manifests):
        self.cluster, self.granted = cluster, granted_by(manifests)
        client = cluster.client()
        for made in manifests:
            client.create(made)
            if made["kind"] == "ServiceAccount":
                account = made["metadata"]
        self.user = f"system:serviceaccount:{account['namespace']}:{account['name']}"
        token = client.call(
            "POST", f"/api/v1/namespaces/{account['namespace']}/serviceaccounts/{account['name']}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        self.kubeconfig = kube.write_kubeconfig(
            scenario.path(account["name"]), cluster.server, account["name"], token["status"]["token"],
            **{"certificate-authority": cluster.ca_file})

    def program(self, path):
        """Returns a program that is `path` with these rights."""
        wrapper = self.kubeconfig + ".sh"
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {shlex.quote(path)} "$@" '
                       f'{shlex.quote("--kubeconfig=" + self.kubeconfig)}\n')
        os.chmod(wrapper, 0o755)
        return wrapper

    def used(self):
        """Returns the rights that the requests so far needed. Each request must have been allowed."""
        found = set()
        for event in self.cluster.audited()[0]:
            what = event["objectRef"]
            if event["user"]["username"] != self.user or "resource" not in what:
                continue
            right = (what.get("apiGroup", ""), "/".join(
                filter(None, (what["resource"], what.get("subresource")))), event["verb"])
            assert event["responseStatus"]["code"] != 403, f"{self.user} needs the right {right}"
            found.add(right)
            if event["verb"] == "watch":  # a server without WATCH-LIST gets a LIST first
                found.add((*right[:2], "list"))
        return found

    def check(self):
        deadline = time.monotonic() + 10  # the end of a watch is logged later
        while self.used() != self.granted and time.monotonic() < deadline:
            time.sleep(0.1)
        check_equal(f"the rights that {self.user} uses", self.used(), self.granted)


def run(scenario):
    prefix = library.installed()
    build = os.path.join(ROOT, "build/library.examples")  # the run on the other server continues it
    told("cmake", "-S", EXAMPLES, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    told("cmake", "--build", build)
    if scenario.kind == "embedded":
        told("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
    cluster = scenario.cluster()
    for example, program in TESTS.items():
        test = os.path.join(build, example, example.replace("-", "_") + "_test")
        programs = [os.path.join(build, example, program)] if program else []
        deploys = os.path.exists(os.path.join(EXAMPLES, example, "deploy"))
        manifests = manifests_of(example, programs[0]) if programs and deploys else []
        if scenario.kind == "real" and manifests:
            rights = Rights(scenario, cluster, manifests)
            told(test, rights.program(programs[0]), "--real", cluster.kubeconfig("admin"))
            rights.check()
        else:
            told(test, *programs, "--real", cluster.kubeconfig("admin"))
