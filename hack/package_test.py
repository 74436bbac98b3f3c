#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the build into a folder and packs it: the programs run, the dependencies are listed.

usage: hack/package_test.py BUILD_DIR PROGRAM...     exit 77 (skipped) without dpkg-shlibdeps
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, PROGRAMS = "", []


def told(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          env={**os.environ, **environment}).stdout


def files(folder):
    return {os.path.relpath(os.path.join(where, name), folder)
            for where, _, names in os.walk(folder) for name in names}


# The folders where Debian's bash, zsh and fish look by default.
COMPLETION = {"usr/share/bash-completion/completions/capstan",
              "usr/share/zsh/vendor-completions/_capstan",
              "usr/share/fish/vendor_completions.d/capstan.fish"}


# The folder that envtest reads its programs from.
ASSETS = {"usr/lib/capstan/envtest/kube-apiserver", "usr/lib/capstan/envtest/etcd"}


def expected(program):
    more = {"capstan": COMPLETION, "capstan-test-server": ASSETS}.get(program, set())
    return more | {f"usr/bin/{program}", f"usr/share/man/man1/{program}.1",
            f"usr/share/doc/{program}/copyright"}


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="capstan-package-")
        self.addCleanup(shutil.rmtree, self.work)

    def check_completes(self, root):
        """Returns bash's completions after `capstan in`."""
        script = os.path.join(root, "usr/share/bash-completion/completions/capstan")
        self.assertIn("inject\n", told(
            "bash", "-c", f'. "{script}"; COMP_WORDS=(capstan in); COMP_CWORD=1; _capstan; '
            'printf "%s\\n" "${COMPREPLY[@]}"'))
        for path in COMPLETION:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("explain", text, path)
            if "zsh" in path:  # compinit looks for the first line; the rest completes at the first TAB
                self.assertTrue(text.startswith("#compdef capstan "), text[:80])
                self.assertIn('== _capstan ]]; then\n  _capstan "$@"\n', text)

    def check_runs(self, root, program):
        path = os.path.join(root, "usr/bin", program)
        self.assertIn("0.", told(path, "--version"))
        self.assertIn("Usage:", told(path, "--help"))
        with open(os.path.join(root, f"usr/share/man/man1/{program}.1"), encoding="utf-8") as file:
            page = file.read()
        self.assertTrue(page.startswith(f".TH {program.upper()} 1 "), page[:80])
        if program != "capstan":  # its flags are its commands'
            self.assertIn(".SH OPTIONS", page)
        if program == "capstan-test-server":
            for link in ASSETS:
                self.assertIn("Usage:\n  " + os.path.basename(link), told(os.path.join(root, link), "--help"))

    def test_install(self):
        """Checks that every program has its page, and that there are no test programs."""
        for component in [*PROGRAMS, "Unspecified"]:  # a build may have the libraries, too
            told("cmake", "--install", BUILD, "--prefix", "/usr", "--component", component, DESTDIR=self.work)
        self.assertEqual(set().union(*map(expected, PROGRAMS)), files(self.work))
        for program in PROGRAMS:
            self.check_runs(self.work, program)
        self.check_completes(self.work)

    def test_packages(self):
        """Checks the packages: each depends on its libraries, and only the broker on gRPC."""
        told("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", self.work,
             "-D", "CPACK_COMPONENTS_ALL=" + ";".join(PROGRAMS))
        packages = {os.path.basename(path).split("_")[0]: path
                    for path in glob.glob(os.path.join(self.work, "*.deb"))}
        self.assertEqual(set(PROGRAMS), set(packages))
        for program, path in packages.items():
            root = os.path.join(self.work, "root", program)
            os.makedirs(root)
            told("dpkg-deb", "-x", path, root)
            self.assertEqual(expected(program), files(root))
            self.check_runs(root, program)
            if program == "capstan":
                self.check_completes(root)
            depends = told("dpkg-deb", "-f", path, "Depends")
            self.assertIn("libc6 (>=", depends)
            self.assertEqual("broker" in program, "libgrpc++" in depends, depends)
            self.assertEqual("broker" not in program, "libssl3" in depends, depends)
            for line in told("dpkg-deb", "-c", path).splitlines():
                self.assertEqual("root/root", line.split()[1], line)


if __name__ == "__main__":
    BUILD, PROGRAMS = os.path.realpath(sys.argv[1]), sys.argv[2:]
    del sys.argv[1:]
    if not shutil.which("dpkg-shlibdeps") or not shutil.which("file"):
        print("SKIPPED: needs dpkg-dev and file; hack/setup test installs them")
        sys.exit(77)
    unittest.main()
