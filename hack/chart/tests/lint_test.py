# SPDX-License-Identifier: Apache-2.0
"""Tests with helm lint and kube-score, of versions of Kubernetes, generated files and notes."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import chart
from chart import CHART, KUBERNETES, ROOT, run, text, variants

sys.path.insert(0, os.path.join(ROOT, "e2e"))
from lib import emergency  # pylint: disable=wrong-import-position,import-error

# Accepted findings of kube-score, with the reason. Every other critical finding fails the test.
ACCEPTED = {
    "container-image-pull-policy":
        "it requires Always, so that each start needs the registry; the chart supports digests",
}
BROKER = {
    "container-security-context-user-group-id": "the runtime's socket belongs to root",
}


def criticals(values_file):
    """Returns {(check, object, comments)} of the critical findings of kube-score."""
    # kube-score assumes an old version by default.
    code, out, err = run("kube-score", "score", "--output-format", "json",
                         "--kubernetes-version", "v1.34", "-",
                         stdin=text(files=[values_file]))
    assert out, (code, err)
    found = set()
    for scored in json.loads(out):
        for check in scored["checks"]:
            if check["grade"] == 1 and not check["skipped"]:
                comments = "; ".join(f"{c['path']}: {c['summary']}" for c in check["comments"] or [])
                found.add((check["check"]["id"], scored["object_name"], comments))
    return found


class LintTest(unittest.TestCase):
    def test_helm_lint(self):
        for name, path in variants().items():
            code, out, err = run("helm", "lint", "--strict", "--kube-version", KUBERNETES, CHART,
                                 "--values", path)
            self.assertEqual(code, 0, f"{name}: {out}{err}")
            self.assertNotIn("[WARNING]", out, name)

    def test_each_variant_on_several_versions(self):
        for name, path in variants().items():
            for version in ("1.30.0", "1.30.4-eks-036c24b", "1.34.0-gke.100", "1.37.9"):
                self.assertIn("kind: ", text(files=[path], kubernetes=version), name)

    def test_accepts_only_tested_versions(self):
        tested = subprocess.run([os.path.join(ROOT, "e2e/cluster/build"), "--versions"], check=True,
                                capture_output=True, text=True).stdout.split()
        oldest, newest = (int(version.split(".")[1]) for version in (tested[0], tested[-1]))
        for minor in (oldest, newest):
            self.assertIn("kind: Deployment", text(kubernetes=f"1.{minor}.0"))
        for minor in (oldest - 1, newest + 1):
            with self.assertRaisesRegex(chart.ChartError, "incompatible with Kubernetes"):
                text(kubernetes=f"1.{minor}.0")

    def test_kube_score_has_no_critical_finding(self):
        for name, path in variants().items():
            accepted = {**ACCEPTED, **(BROKER if name == "broker" else {})}
            left = sorted(f for f in criticals(path) if f[0] not in accepted)
            self.assertEqual(left, [], name)

    def test_each_accepted_finding_still_exists(self):
        found = {check for path in variants().values() for check, _, _ in criticals(path)}
        self.assertEqual(found, {*ACCEPTED, *BROKER})

    def test_no_definitions(self):
        for path in variants().values():
            self.assertNotIn("kind: CustomResourceDefinition", text(files=[path]))


class CurrentTest(unittest.TestCase):
    def test_generated_files_are_current(self):
        for script in ("readme.py", "dashboard.py"):
            result = subprocess.run([os.path.join(ROOT, "hack/chart", script), "--check"], text=True,
                                    capture_output=True, check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_each_argument_is_a_flag_of_its_program(self):
        with open(os.path.join(ROOT, "docs/flags.md"), encoding="utf-8") as file:
            pages = re.findall(r"<!-- Below: \S+ (\S+) -->(.*?)<!-- Above", file.read(), re.S)
        flags = {program: set(re.findall(r"^\| `.*?(--[a-z-]+)", page, re.M)) for program, page in pages}
        containers = [container for path in variants().values() for rendered in chart.objects(files=[path])
                      if rendered["kind"] in ("Deployment", "DaemonSet")
                      for container in chart.pod_of(rendered)["containers"] if container["name"] in flags]
        self.assertEqual({c["name"] for c in containers}, set(flags))
        for container in containers:
            given = {argument.partition("=")[0] for argument in container["args"]}
            self.assertEqual(given - flags[container["name"]], set(), container["name"])

    def test_the_version_equals_that_of_the_programs(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(capstan VERSION (\S+)", file.read()).group(1)
        with open(os.path.join(CHART, "Chart.yaml"), encoding="utf-8") as file:
            described = yaml.safe_load(file)
        self.assertEqual((described["version"], described["appVersion"]), (version, version))


class NotesTest(unittest.TestCase):
    def setUp(self):
        # `helm template` does not print the notes, and `helm install` needs an API server.
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.with_notes = os.path.join(folder.name, "capstan")
        shutil.copytree(CHART, self.with_notes)
        with open(os.path.join(CHART, "templates/NOTES.txt"), encoding="utf-8") as file:
            notes = '{{ define "notes" }}' + file.read() + '{{ end }}notes: {{ include "notes" . | toJson }}'
        with open(os.path.join(self.with_notes, "templates/notes.yaml"), "w", encoding="utf-8") as file:
            file.write(notes)

    def notes(self, values):
        return yaml.safe_load(text(values, chart=self.with_notes, show=["templates/notes.yaml"],
                                   namespace="n"))["notes"]

    def test_notes_explain_pods_without_gates(self):
        sets = {"gateSets": {"a": ["pod-ip:any"]}}
        opened, closed = "It is opened at once, with the reason NoGates", "It stays closed"
        for values, expected in (({}, None), (sets, opened),
                                 ({**sets, "podsWithoutGates": "closed"}, closed),
                                 ({**sets, "gates": ["pod-ip:any"]}, None),
                                 ({**sets, "mandatoryGates": ["pod-ip:any"]}, None)):
            shown = self.notes({"nodeAgent": {"enabled": True, **values}})
            for sentence in (opened, closed):
                self.assertEqual(sentence in shown, sentence == expected, values)

    def test_notes_name_what_the_agent_writes(self):
        annotation = ["pod-annotation:readiness.capstan.dev/ready", "dev/status", "rollout status daemonset",
                      emergency.for_pod("NAMESPACE", "POD").strip()]
        condition = ["pod-condition:readiness.capstan.dev/CertGates", '(@.type=="readiness.capstan.dev/CertGates")']
        by_condition = [emergency.for_condition("NAMESPACE", "POD").strip()]
        for output, there, missing in (
                (["annotation"], annotation, condition + by_condition),
                (["condition"], condition + by_condition + annotation[2:3], annotation[:2] + annotation[3:]),
                (["annotation", "condition"], annotation + by_condition, condition)):
            shown = self.notes({"nodeAgent": {"enabled": True, "gates": ["pod-ip:any"], "output": output}})
            for words in there:
                self.assertIn(words, shown, output)
            for words in missing:
                self.assertNotIn(words, shown, output)

    def test_notes_warn_about_unreadable_config_maps(self):
        sets = {"enabled": True, "gateSetsConfigMap": "a/sets"}
        warning = "of `configmap:` gates in a/sets. Name them in nodeAgent.rbac.configMaps"
        self.assertIn(warning, self.notes({"nodeAgent": sets}))
        for rights in ({"allConfigMaps": True}, {"configMaps": {"a": ["b"]}}):
            self.assertNotIn(warning, self.notes({"nodeAgent": {**sets, "rbac": rights}}))

    def test_notes_describe_the_installation(self):
        notes = self.notes
        shown = notes({})
        self.assertIn("kubectl -n n rollout status deployment/capstan-controller-manager", shown)
        self.assertNotIn("WARNING", shown)
        self.assertNotIn("daemonset", shown)
        shown = notes({"nodeAgent": {"enabled": True, "policies": {"enabled": False}}})
        self.assertIn("there are no gates", shown)
        self.assertIn("without the admission policies", shown)
        self.assertIn("nothing runs", notes({"controllerManager": {"enabled": False}}))
        self.assertIn("names no Secret", notes(
            {"controllerManager": {"referencedSecretsOnly": {"enabled": True}}}))
