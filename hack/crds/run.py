#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates and uses the types of other projects' custom resources; see hack/crds/run."""
import argparse
import glob
import json
import os
import re
import resource
import subprocess
import sys

import projects
import schemas
import yaml

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs/library/third-party-types.md")
HEADINGS = ("project", "kinds and versions", "structs", "fields", "kept as text", "objects",
            "seconds to generate, to compile")
KIND = re.compile(r"capstan::kKind<([\w:]+)> =")
SHOWN = 100  # differences of a project


class Loader(yaml.SafeLoader):
    """Reads YAML as Kubernetes does: a time stays a text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def module_folder(options, module):
    # Go downloads a module that needs a newer Go only with that Go.
    told = subprocess.run([options.go, "mod", "download", "-json", module], check=True, capture_output=True, text=True,
                          env={**os.environ, "GOTOOLCHAIN": "auto"})
    return json.loads(told.stdout)["Dir"]


def documents(path):
    """Yields the objects of a file; nothing for a file that is no YAML, such as a template."""
    try:
        with open(path, encoding="utf-8") as file:
            for each in yaml.load_all(file.read(), Loader):
                if isinstance(each, dict):
                    yield each
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, IsADirectoryError):
        return


def schemas_of(files):
    """Returns {(apiVersion, kind): schema}."""
    found = {}
    for path in files:
        for made in documents(path):
            if made.get("kind") != "CustomResourceDefinition":
                continue
            spec = made["spec"]
            for version in spec["versions"]:
                key = f"{spec['group']}/{version['name']}", spec["names"]["kind"]
                found[key] = version["schema"]["openAPIV3Schema"]
    return found


def examples(folder, known):
    """Returns what an API server stores of the objects in the YAML files of the folder: of those with one of the kinds,
    a name and all required fields."""
    found = {}
    for path in glob.glob(os.path.join(folder, "**/*.y*ml"), recursive=True):
        for made in documents(path):
            schema = known.get((made.get("apiVersion"), made.get("kind")))
            if not schema or not isinstance(made.get("metadata"), dict) or not made["metadata"].get("name"):
                continue
            stored = schemas.stored_object(schema, made)
            if not schemas.lacks_required(schema, stored):
                found[json.dumps(stored, sort_keys=True)] = os.path.relpath(path, folder)
    return [(json.loads(text), path) for text, path in found.items()]


def cpu_seconds(*command):
    """Runs a command and returns the CPU that it and its children have used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(command, check=False, capture_output=True, text=True)
    if told.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{told.stdout[-5000:]}{told.stderr[-5000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, told.stdout


def exact(value):
    """Returns the value such that 1, 1.0 and True differ only where JSON's do."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, list):
        return [exact(each) for each in value]
    return {name: exact(each) for name, each in value.items()}


def difference(path, wanted, got):
    """Returns the first path at which two values differ, with both values; None: they are equal."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name in sorted(set(wanted) | set(got)):
            if found := difference(f"{path}.{name}", wanted.get(name), got.get(name)):
                return found
        return None
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for number, (left, right) in enumerate(zip(wanted, got)):
            if found := difference(f"{path}[{number}]", left, right):
                return found
        return None
    return None if wanted == got else f"{path}: {json.dumps(wanted)[:200]} became {json.dumps(got)[:200]}"


def write_list(folder, types):
    """Writes the headers and the kinds of the generated types for round_trip.cc."""
    headers, kinds = [], []
    for path in sorted(glob.glob(os.path.join(types, "**/*.h"), recursive=True)):
        headers.append(f'#include "{os.path.relpath(path, types)}"\n')
        with open(path, encoding="utf-8") as file:
            kinds += [f"HAS_KIND({name})\n" for name in KIND.findall(file.read())]
    os.makedirs(folder, exist_ok=True)
    for name, lines in (("headers.inc", headers), ("kinds.inc", kinds)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.writelines(lines)
    return len(kinds)


def run_project(options, project):
    """Returns (row, passed, failed)."""
    folder = module_folder(options, project.module)
    files = sorted(path for pattern in project.definitions
                   for path in glob.glob(os.path.join(folder, pattern), recursive=True)
                   if any(made.get("kind") == "CustomResourceDefinition" for made in documents(path)))
    build = os.path.join(ROOT, "build/crds", re.sub(r"\W+", "-", project.name.lower()))
    types = os.path.join(build, "listed")
    flags = [flag for path in files for flag in ("-f", path)]
    generating, report = cpu_seconds(options.capstan, "generate", "types", "--out", types, *flags)
    kinds = write_list(os.path.join(build, "includes"), types)
    cpu_seconds("cmake", "-S", HERE, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                f"-DCMAKE_PREFIX_PATH={os.path.abspath(options.prefix)}", f"-DINCLUDES={build}/includes",
                f"-DCAPSTAN_EXECUTABLE={os.path.abspath(options.capstan)}", f"-DDEFINITIONS={';'.join(files)}")
    compiling, _ = cpu_seconds("cmake", "--build", build, "--parallel", "2", "--clean-first")
    known = schemas_of(files)
    objects = examples(folder, known)
    told = subprocess.run([os.path.join(build, "round_trip")], check=True, capture_output=True, text=True,
                          input="".join(json.dumps(made) + "\n" for made, _ in objects)).stdout.splitlines()
    wrong = []
    for (made, path), line in zip(objects, told):
        found = line if line.startswith("error: ") else difference(made["kind"], exact(made), exact(json.loads(line)))
        if found:
            wrong.append(f"{path}: {made['metadata']['name']}: {found}")
    for line in wrong[:SHOWN]:
        print(f"  {line}")
    structs, fields = (sum(map(int, re.findall(rf"(\d+) {what}", report))) for what in ("structs", "fields"))
    row = (f"{project.name} {project.module.rpartition('@')[2]}", kinds, structs, fields,
           report.count("kept as text"), f"{len(objects) - len(wrong)} of {len(objects)}",
           f"{generating:.1f}, {compiling:.0f}")
    return row, len(objects) - len(wrong), len(wrong)


def write_page(lines):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    table = re.compile(r"^\| project \|.*?(?=\n\n|\Z)", re.M | re.S)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(table.sub(lambda _: "\n".join(lines), text))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--go", "--capstan", "--prefix"):
        parser.add_argument(name, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("projects", nargs="*")
    options = parser.parse_args()
    passed = failed = 0
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---" * len(HEADINGS) + "|"]
    print("\n".join(lines))
    for project in projects.PROJECTS:
        if options.projects and project.name not in options.projects:
            continue
        row, good, bad = run_project(options, project)
        passed, failed = passed + good, failed + bad
        lines.append("| " + " | ".join(map(str, row)) + " |")
        print(lines[-1], flush=True)
    if options.write:
        write_page(lines)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
