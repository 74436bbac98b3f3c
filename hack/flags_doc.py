#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Updates docs/flags.md: the text between a program's two markers is made from its --help.

usage: hack/flags_doc.py PROGRAM [--check]     --check: write nothing, and exit 1 if it differs.
"""
import os
import re
import subprocess
import sys

DOCUMENT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../docs/flags.md"))
MARKER = "<!-- {}: hack/flags_doc.py {} -->\n"
TITLE = re.compile(r"^(\S.* flags):$")
FLAG = re.compile(r"^ {2,6}(-.*)$")
TEXT = re.compile(r"^ {16}(.*)$")
DEFAULT = re.compile(r"\s*\(default (\"[^\"]*\"|[^()]*)\)$")


def sections(help_text):
    """Returns [(title, [(flag with its type, [line of text])])] in the order of the help."""
    found = []
    for line in help_text.splitlines():
        if match := TITLE.match(line):
            found.append((match.group(1), []))
        elif found and (match := FLAG.match(line)):
            found[-1][1].append((match.group(1), []))
        elif found and found[-1][1] and (match := TEXT.match(line)):
            found[-1][1][-1][1].append(match.group(1))
    return found


def cell(lines):
    """Returns the text of a flag as one cell. Options of a list stay on their own lines."""
    out = ""
    for line in lines:
        is_option = re.match(r"\w+=true\|false", line)
        out += ("<br>" if is_option else " " if out else "") + line
    return out.replace("|", "\\|").replace("<type>", "&lt;type&gt;")


def markdown(help_text):
    """Returns one table for each section."""
    out = []
    for title, flags in sections(help_text):
        out += [f"\n## {title}\n", "| flag | default | what it does |", "|---|---|---|"]
        for flag, lines in flags:
            text = cell(lines)
            default = DEFAULT.search(text)
            shown = f"`{default.group(1)}`" if default else ""
            out.append(f"| `{flag}` | {shown} | {DEFAULT.sub('', text)} |")
    return "\n".join(out) + "\n"


def main(arguments):
    program, check = arguments[0], arguments[1:] == ["--check"]
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    with open(DOCUMENT, encoding="utf-8") as file:
        before = file.read()
    name = os.path.basename(program)
    above, start, rest = before.partition(MARKER.format("Below", name))
    _, end, below = rest.partition(MARKER.format("Above", name))
    if not start or not end:
        sys.exit(f"{DOCUMENT} has no markers of {name}")
    after = above + start + markdown(text) + "\n" + end + below
    if after == before:
        return 0
    if check:
        print("docs/flags.md differs from --help; run hack/flags_doc.py", program)
        return 1
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(after)
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
