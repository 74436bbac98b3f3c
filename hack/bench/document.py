# SPDX-License-Identifier: Apache-2.0
"""Writes what a benchmark has measured into the documents.

A table in a document belongs to a benchmark if a line above it says so:

  <!-- measured by hack/bench/run injector --write -->

Its first column has figures of the benchmark, as many as the document wants and in its order. All other
cells are written by the benchmark. A row without a measured figure is kept, and reported: another part of
the benchmark measures it (--only), or its name is wrong.
"""
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
DOCUMENTS = ("README.md", "docs/performance.md")
HEAD_LINES = 2  # of a table: its headings, and the line below them


def marker(benchmark):
    return f"<!-- measured by hack/bench/run {benchmark} --write -->"


def rewritten(text, benchmark, rows):
    """Returns the text with the measured rows, and the figures of its tables that have none.

    `rows` maps a figure to its other cells.
    """
    lines, missing, number = text.split("\n"), [], 0
    while number < len(lines):
        if lines[number] != marker(benchmark):
            number += 1
            continue
        number += 1
        while number < len(lines) and not lines[number].startswith("|"):
            number += 1
        number += HEAD_LINES
        while number < len(lines) and lines[number].startswith("|"):
            figure = lines[number].split(" | ")[0].removeprefix("| ")
            if figure in rows:
                lines[number] = "| " + " | ".join([figure, *rows[figure]]) + " |"
            else:
                missing.append(figure)
            number += 1
    return "\n".join(lines), missing


def write(benchmark, rows, root=ROOT):
    for path in DOCUMENTS:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            old = file.read()
        new, missing = rewritten(old, benchmark, rows)
        for figure in missing:
            print(f"{path}: not measured now: {figure}", file=sys.stderr)
        if new != old:
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(new)
            print(f"{path}: written", file=sys.stderr)
