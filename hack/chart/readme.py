#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of charts/capstan/README.md from the comments in its values.yaml.

usage: hack/chart/readme.py [--check]     --check: write nothing, and exit 1 if it differs.

"# ## Title" starts a section. The comment above a key is its description. A key without a comment
must contain keys with comments.
"""
import json
import os
import re
import sys

import yaml

CHART = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../charts/capstan"))
BELOW = "<!-- Below: hack/chart/readme.py -->\n"
ABOVE = "<!-- Above: hack/chart/readme.py -->\n"
KEY = re.compile(r"^( *)([A-Za-z][\w./-]*):(?: (.*))?$")


class ValuesError(Exception):
    """An error at a place in values.yaml."""


def values(text):
    """Returns [(section, [(key path, default, description)])] in the file's order."""
    sections, path, comment, documented_above = [], [], [], None
    defaults = yaml.safe_load(text)
    for number, line in enumerate(text.splitlines()):
        stripped = line.strip()
        if stripped.startswith("# ## "):
            sections.append((stripped[5:], []))
            comment = []
        elif stripped.startswith("#"):
            comment.append(stripped[1:].strip())
        elif match := KEY.match(line):
            indent, key, value = len(match.group(1)), match.group(2), match.group(3)
            path = [p for p in path if p[0] < indent] + [(indent, key)]
            if documented_above is not None and indent > documented_above:
                continue  # part of a value that has a description as a whole
            documented_above = None
            name = ".".join(p[1] for p in path)
            if comment:
                if value is None:
                    documented_above = indent
                default = defaults
                for _, part in path:
                    default = default[part]
                sections[-1][1].append((name, json.dumps(default), " ".join(comment)))
            elif value is not None:
                raise ValuesError(f"values.yaml:{number + 1}: {name} has no description above it")
            comment = []
        elif not stripped:
            comment = []
    return sections


def markdown(text):
    out = []
    for title, rows in values(text):
        out += [f"### {title}", "", "| value | default | what it does |", "|---|---|---|"]
        for name, default, description in rows:
            cells = (f"`{name}`", f"`{default}`", description)
            out.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        out.append("")
    return "\n".join(out)


def rendered():
    """Returns (current README.md, expected README.md)."""
    with open(os.path.join(CHART, "values.yaml"), encoding="utf-8") as file:
        text = file.read()
    # Comments before the first section describe the file.
    text = text[text.index("# ## "):]
    with open(os.path.join(CHART, "README.md"), encoding="utf-8") as file:
        before = file.read()
    head, start, rest = before.partition(BELOW)
    _, end, tail = rest.partition(ABOVE)
    if not start or not end:
        raise ValuesError("README.md has no markers of hack/chart/readme.py")
    return before, head + start + "\n" + markdown(text) + "\n" + end + tail


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    try:
        before, after = rendered()
    except ValuesError as error:
        sys.exit(f"charts/capstan/{error}")
    if before == after:
        return 0
    if arguments:
        print("charts/capstan/README.md is not what values.yaml says; run hack/chart/readme.py")
        return 1
    with open(os.path.join(CHART, "README.md"), "w", encoding="utf-8") as file:
        file.write(after)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
