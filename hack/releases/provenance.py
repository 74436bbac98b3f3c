# SPDX-License-Identifier: Apache-2.0
"""Writes how a release was made: an in-toto statement with the predicate of SLSA's provenance 1.

It has no times and no names of machines, so two builds of a commit have the same statement.
"""
import hashlib

import sbom

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "https://capstan.dev/release/v1"
BUILDER = "https://capstan.dev/hack/release"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def subject(name, digest):
    return {"name": name, "digest": {"sha256": digest}}


def package(line):
    """Returns the dependency of a line of a sysroot's packages.txt: the .deb file and its SHA-256."""
    file, digest = line.split()
    name, version, architecture = file.removesuffix(".deb").replace("%3a", ":").split("_")
    return {"uri": sbom.purl(name, version, architecture), "digest": {"sha256": digest}}


def statement(release, subjects, packages, tools):
    """Returns the statement for JSON.

    subjects is {name: SHA-256}, packages the lines of the sysroots' packages.txt, and tools the purls of
    the compilers and tools of the machine.
    """
    source = {"uri": f"git+{release['source']}@refs/tags/v{release['version']}",
              "digest": {"gitCommit": release["commit"]}}
    return {
        "_type": STATEMENT,
        "subject": [subject(name, subjects[name]) for name in sorted(subjects)],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"version": release["version"], "source": source["uri"]},
                "internalParameters": {"architectures": release["architectures"]},
                "resolvedDependencies": [source] + [package(line) for line in sorted(set(packages))] +
                                        [{"uri": tool} for tool in sorted(tools)]},
            "runDetails": {"builder": {"id": BUILDER}}}}
