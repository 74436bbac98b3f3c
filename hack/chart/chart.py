# SPDX-License-Identifier: Apache-2.0
"""Renders the chart with helm, for its tests and for e2e/scenarios."""
import functools
import glob
import json
import os
import subprocess

import yaml

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
CHART = os.path.join(ROOT, "charts/capstan")
NAMESPACE = "capstan-system"
KUBERNETES = "1.34.0"


class ChartError(Exception):
    """helm's error."""


@functools.lru_cache(None)
def tools():
    """Returns the folder with helm and kube-score, or None."""
    result = subprocess.run([os.path.join(ROOT, "hack/chart/build"), "--cached"], check=False,
                            capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def run(program, *arguments, stdin=None):
    """Returns (exit code, stdout, stderr)."""
    result = subprocess.run([os.path.join(tools(), program), *arguments], input=stdin, text=True,
                            capture_output=True, check=False, timeout=120)
    return result.returncode, result.stdout, result.stderr


def text(values=None, files=(), kubernetes=KUBERNETES, show=(), namespace=NAMESPACE, chart=CHART):
    """Returns the output of `helm template`. values is a map, files are some of variants()."""
    code, out, err = run(
        "helm", "template", "capstan", chart, "--namespace", namespace, "--kube-version", kubernetes,
        *[word for file in files for word in ("--values", file)],
        *[word for file in show for word in ("--show-only", file)], "--values", "-",
        stdin=json.dumps(values or {}))
    if code != 0:
        raise ChartError(err)
    return out


@functools.lru_cache(None)
def rendered(values_json, files, kubernetes):
    loaded = yaml.load_all(text(json.loads(values_json), files, kubernetes),
                           getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return [found for found in loaded if found]


def objects(values=None, files=(), kubernetes=KUBERNETES):
    """Returns the objects of the chart. They are shared, so callers must not change them."""
    return rendered(json.dumps(values or {}), tuple(files), kubernetes)


def variants():
    """Returns {name: values file} of the variants for helm lint, kube-score and the API server."""
    suffix = "-values.yaml"
    return {os.path.basename(path)[:-len(suffix)]: path
            for path in sorted(glob.glob(os.path.join(CHART, "ci", "*" + suffix)))}


def one(found, kind, name=None):
    """Returns the only object of that kind (and, if given, with this end of the name)."""
    matching = [o for o in found if o["kind"] == kind
                and (name is None or o["metadata"]["name"].endswith(name))]
    assert len(matching) == 1, f"{len(matching)} of {kind} {name}: {names(found)}"
    return matching[0]


def names(found):
    return sorted(f"{o['kind']}/{o['metadata']['name']}" for o in found)


def pod_of(workload):
    return workload["spec"]["template"]["spec"]
