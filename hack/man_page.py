#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a program's man page from its --help, and from that of each of its commands.

usage: hack/man_page.py OUT [EMULATOR...] PROGRAM
"""
import os
import re
import subprocess
import sys

USAGE = re.compile(r"^Usage:\n((?:  .*\n)+)", re.M)
COMMANDS = re.compile(r"^Commands:\n((?:  .*\n)+)", re.M)
SECTION = re.compile(r"^(\S.* flags):$")
FLAG = re.compile(r"^ {2,6}(-.*)$")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def escaped(text):
    """Escapes a line for troff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def description(text):
    """Returns the text above Usage as one paragraph."""
    return " ".join(text[:USAGE.search(text).start()].split())


def synopsis(text):
    return [line.strip() for line in USAGE.search(text).group(1).splitlines()]


def flags(text):
    """Returns the sections of flags in the order of the help."""
    out = []
    for line in text.splitlines():
        if match := SECTION.match(line):
            out.append(f".SS {escaped(match.group(1))}")
        elif out and (match := FLAG.match(line)):
            out += [".TP", f"\\fB{escaped(match.group(1))}\\fR"]
        elif out and line.startswith(" " * 16):
            out += [escaped(line.strip())] if not re.match(r" +\w+=true\|false", line) else \
                [".br", escaped(line.strip())]
    return out


def page(command):
    name = os.path.basename(command[-1])
    text = output_of(*command, "--help")
    # No commit and no date, so that a page changes only with the program's help.
    version = re.search(r"\d+\.\d+\.\d+\S*", output_of(*command, "--version")).group()
    summary = description(text).split(". ")[0].rstrip(".").removeprefix(name + " ")
    out = [f'.TH {name.upper()} 1 "" "capstan {version}"', ".SH NAME",
           f"{escaped(name)} \\- {escaped(summary)}", ".SH SYNOPSIS"]
    for line in synopsis(text):
        out += [f"\\fB{escaped(line)}\\fR"]
    out += [".SH DESCRIPTION", escaped(description(text))]
    if commands := COMMANDS.search(text):
        out.append(".SH COMMANDS")
        names = [line.strip().partition(" ") for line in commands.group(1).splitlines()]
        for verb, _, what in names:
            out += [".TP", f"\\fB{escaped(verb)}\\fR", escaped(what.strip())]
        for verb, _, _ in names:
            result = subprocess.run([*command, verb, "--help"], capture_output=True, text=True,
                                    check=False)
            if result.returncode == 0 and USAGE.search(result.stdout):
                out += [f".SH {name.upper()} {verb.upper()}",
                        escaped(description(result.stdout)), *flags(result.stdout)]
    if found := flags(text):
        out += [".SH OPTIONS", *found]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(page(sys.argv[2:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
