#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every flag that the README gives one of our programs is in that program's --help.

usage: hack/check_flags.py     exit 77 (skipped) when no program is built.
"""
import glob
import os
import re
import subprocess
import sys

import tidy_docs

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))


def help_texts():
    """{name of a program: its --help}, from the newest build that has it."""
    programs = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "build/*/bin/*")), key=os.path.getmtime):
        programs[os.path.basename(path)] = path
    texts = {}
    for name, path in programs.items():
        result = subprocess.run([path, "--help"], capture_output=True, text=True, check=False,
                                timeout=10)
        if result.returncode != 0 or not result.stdout:
            print(f"{path}:1: help: --help exits {result.returncode}, prints to stdout: "
                  f"{bool(result.stdout)}")
        texts[name] = result.stdout
    return texts


def main():
    texts = help_texts()
    if not texts:
        print("no program is built: the flags in README.md are not checked against --help")
        return 77
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    bad = 0
    for number, code in tidy_docs.code_of(readme):
        words = code.replace("sudo ", "").split()
        name = os.path.basename(words[0]) if words else ""
        for flag in tidy_docs.FLAG.findall(code) if name in texts else []:
            if not re.search(rf"--{re.escape(flag)}\b", texts[name]):
                print(f"README.md:{number}: document-flag: {name} --help does not name --{flag}")
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
