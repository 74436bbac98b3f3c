#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the examples in the comments of public headers are compiled.

usage: hack/doc_examples.py [ROOT]
Each example must be in docs/examples/api_examples.cc, which is built with the programs. White space and
comments may differ, and "..." stands for anything. Prints one "file:line: rule: what" per finding; exit 1
if any.
"""
import os
import re
import sys

import doxygen_filter
import public_headers

SOURCE = "docs/examples/api_examples.cc"
OUTPUT = re.compile(r'([IWEF]\d{4} |\{")')  # lines of a log
# How much code may be between two lines, and in place of "...".
BETWEEN, OMITTED = 150, 600


def plain(code):
    """Returns the code without comments and white space."""
    return re.sub(r"\s+|/\*.*?\*/", "", re.sub(r"//.*", "", code), flags=re.S)


def pattern(example):
    """Returns a regular expression that finds an example, given as lines, in plain code."""
    parts = []
    for line in example:
        # A declaration may be a definition in the source.
        fragments = [re.escape(re.sub(";$", "", plain(part))) for part in line.split("...")]
        parts.append((".{0,%d}?" % OMITTED).join(fragments))
    return re.compile((".{0,%d}?" % BETWEEN).join(parts), re.S)


def examples(text):
    """Yields the first line's number and the lines of each example in a header."""
    number = 1
    for block in doxygen_filter.blocks(text.splitlines()):
        if not isinstance(block, list):
            number += 1
            continue
        for start, end in doxygen_filter.code_blocks(block):
            lines = [re.sub(r"^\s*//", "", line) for line in block[start:end]]
            lines = [line for line in lines if not OUTPUT.match(line.strip())]
            if lines:
                yield number + start, lines
        number += len(block)


def check(root):
    with open(os.path.join(root, SOURCE), encoding="utf-8") as file:
        compiled = plain(file.read())
    count = 0
    for folder, _, names in os.walk(os.path.join(root, "include")):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not public_headers.is_public(path):
                continue
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            for number, example in examples(text):
                count += 1
                if not pattern(example).search(compiled):
                    yield path, number, "doc-example", f"this example is not in {SOURCE}, or differs"
    if count == 0:
        yield SOURCE, 1, "doc-example", "no header has an example"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    found = list(check(root))
    for path, number, rule, what in found:
        print(f"{path}:{number}: {rule}: {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
