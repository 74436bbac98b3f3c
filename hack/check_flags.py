#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every flag of our programs in the README is in their --help.

usage: hack/check_flags.py     exit 77 (skipped) if no program is built.
"""
import glob
import os
import re
import subprocess
import sys

import tidy_docs

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))


def help_text(program, command):
    """Returns the --help of a program or of one of its commands, or None if it fails."""
    arguments = [program, *([command] if command and not command.startswith("-") else []), "--help"]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=10)
    return result.stdout if result.returncode == 0 else None


def main():
    # {name: newest build} of each program.
    programs = {os.path.basename(path): path for path in sorted(
        glob.glob(os.path.join(ROOT, "build/*/bin/capstan*")), key=os.path.getmtime)}
    if not programs:
        print("no program is built: the flags in README.md are not checked against --help")
        return 77
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    bad = 0
    for number, code in tidy_docs.code_of(readme):
        words = code.replace("sudo ", "").split()
        program = programs.get(os.path.basename(words[0]) if words else "")
        if program is None:
            continue
        text = help_text(program, words[1] if len(words) > 1 else "")
        if not text:
            print(f"README.md:{number}: document-help: {code!r}: --help does not exit 0 on stdout")
            bad = 1
            continue
        for flag in tidy_docs.FLAG.findall(code):
            if flag != "help" and not re.search(rf"--{re.escape(flag)}\b", text):
                print(f"README.md:{number}: document-flag: {code!r}: --help has no --{flag}")
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
