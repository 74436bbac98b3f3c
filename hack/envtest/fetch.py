# SPDX-License-Identifier: Apache-2.0
"""Fetches a suite as a Go module, and compiles the tests of its packages. Nothing is patched."""
import dataclasses
import json
import os
import re
import shutil
import subprocess

from table import NEWEST

RELEASE = re.compile(r"v\d+\.\d+\.\d+$")


class Failure(Exception):
    """Why a suite cannot be run, in one line."""


@dataclasses.dataclass(frozen=True)
class Package:
    path: str     # in the module: "pkg/client"
    folder: str   # where its tests run
    binary: str
    ginkgo: bool  # its test binary writes ginkgo's report
    specs: frozenset  # the Go tests that only run ginkgo's specs


# The go command may fetch a newer Go for a module.
ENVIRONMENT = {**os.environ, "GOTOOLCHAIN": "auto", "GOWORK": "off", "GOFLAGS": "-mod=readonly"}


def go(*arguments, cwd, **more):
    """Returns the output of the go command."""
    result = subprocess.run(["go", *arguments], cwd=cwd, env=ENVIRONMENT, text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).strip().splitlines()
        raise Failure(f"go {' '.join(arguments[:2])}: {' | '.join(lines[-3:])}")
    return result.stdout


def version_of(suite, cache):
    if suite.version != NEWEST:
        return suite.version
    versions = [word for word in go("list", "-m", "-versions", suite.module, cwd=cache).split()[1:]
                if RELEASE.match(word)]
    if not versions:
        raise Failure(f"the module proxy has no release of {suite.module}")
    return versions[-1]


def make_scripts_executable(root):
    """Gives scripts the mode that they have in the project's repository. A module has no modes."""
    for folder, _, names in os.walk(root):
        for path in (os.path.join(folder, name) for name in names):
            with open(path, "rb") as file:
                if file.read(2) == b"#!":
                    os.chmod(path, 0o755)


def fetch(suite, cache):
    """Returns the version and the folder of a writable copy of the module."""
    os.makedirs(cache, exist_ok=True)
    version = version_of(suite, cache)
    folder = os.path.join(cache, f"{suite.name}-{version}")
    if os.path.exists(folder):
        return version, folder
    found = json.loads(go("mod", "download", "-json", f"{suite.module}@{version}", cwd=cache))
    part = folder + f".part.{os.getpid()}"
    try:
        shutil.copytree(found["Dir"], part)
        subprocess.run(["chmod", "-R", "u+w", part], check=True)
        for path, module in suite.files.items():
            go("mod", "download", module, cwd=part)
            where = go("list", "-m", "-f", "{{.Dir}}", module, cwd=part).strip()
            shutil.copytree(where, os.path.join(part, path))
            subprocess.run(["chmod", "-R", "u+w", part], check=True)
        make_scripts_executable(part)
        if suite.prepare:
            subprocess.run(suite.prepare, shell=True, check=True, cwd=part, env=ENVIRONMENT)
        os.rename(part, folder)
    except subprocess.CalledProcessError as error:
        raise Failure(f"{suite.prepare or 'chmod'}: exit code {error.returncode}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return version, folder


def texts_of_tests(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith("_test.go"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield file.read()


def selected(suite, root):
    """Returns the folders of the packages that the suite runs, relative to the module."""
    found = set()
    for top in suite.folders:
        for folder, folders, names in os.walk(os.path.normpath(os.path.join(root, top))):
            if "go.mod" in names and folder != root:
                folders.clear()  # another module
                continue
            folders[:] = [name for name in folders if name not in ("vendor", "testdata") and name[0] not in "._"]
            path = os.path.relpath(folder, root)
            if path not in suite.without and any(suite.uses in text for text in texts_of_tests(folder)):
                found.add(path)
    return sorted(found)


def compile_tests(root, path):
    """Returns the Package of a folder, or None if it has no tests on this platform."""
    folder = os.path.join(root, path)
    texts = list(texts_of_tests(folder))
    binary = os.path.join(root, ".binaries", path.replace("/", "_") + ".test")
    if not os.path.exists(binary):
        os.makedirs(os.path.dirname(binary), exist_ok=True)
        go("test", "-c", "-vet=off", "-o", binary, "./" + path, cwd=root)
    if not os.path.exists(binary):
        return None
    runners = {name for text in texts
               for name, body in re.findall(r"^func (Test\w+)\(.*?\{(.*?)^\}", text, re.M | re.S)
               if "RunSpecs(" in body}
    return Package(path, folder, binary, any("onsi/ginkgo/v2\"" in text for text in texts), frozenset(runners))
