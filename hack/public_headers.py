#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules for the headers that are installed: what they include, define and export.

usage: hack/public_headers.py [--write|--list] [ROOT]
Prints one "file:line: rule: what" per finding; exit 1 if any. --write adds missing CAPSTAN_EXPORTs;
--list prints the headers. hack/tidy.py applies the same rules.

A header under include/ is public. The folder that implements it lists it as its API.
"""
import functools
import os
import re
import sys

EXPORT = "CAPSTAN_EXPORT"
EXPORT_HEADER = "capstan/export.h"
# Third-party headers that a public header may include, and the C library's.
ALLOWED = ("tl/expected.hpp", "pthread.h", "unistd.h")
STANDARD = re.compile(r"[a-z_]+$")
API = re.compile(r"\bAPI((?:\s+[\w./]+\.h)+)")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)")
ATTRIBUTES = r"((?:\[\[[^\]]*\]\]\s*)*)"
CLASS = re.compile(r"(class|struct)\s+" + ATTRIBUTES)
FUNCTION = re.compile(ATTRIBUTES)
# A statement that begins with one of these is no class and no function that a library defines.
OTHER = re.compile(r"(namespace|using|template|typedef|enum|inline|constexpr|static|friend|concept|"
                   r"static_assert|union|public|private|protected|CAPSTAN_\w+\()\b")
DEDUCTION_GUIDE = re.compile(r"\w+\s*\(.*\)\s*->")


def is_public(path):
    """Returns whether the header is installed."""
    return path.startswith("include/") and path.endswith(".h")


@functools.lru_cache(maxsize=None)
def api_of(lists):
    """Returns the headers in the API of a CMakeLists.txt."""
    return [f"include/capstan/{name}" for api in API.findall(lists) for name in api.split()]


def owners(texts):
    """Returns {header: the CMakeLists.txt of its folder} for a tree {path: text}."""
    return {header: path for path, text in texts.items() if path.endswith("CMakeLists.txt")
            for header in api_of(text)}


def statements(text):
    """Yields the line number and the text of each statement at the left margin.

    In our format these are the declarations in a namespace. A body is cut off at its brace.
    """
    start, parts = 0, []
    raw = False
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"//.*", "", line).rstrip()
        if raw or line.startswith("#"):  # a macro, with its continuation lines
            raw = line.endswith("\\")
            continue
        if not parts:
            if not line or line[0] in " }":
                continue
            start = number
        parts.append(line.strip())
        whole = " ".join(parts)
        if line.endswith((";", "{", "}")) and whole.count("(") <= whole.count(")"):
            yield start, whole
            parts = []
        elif line.endswith("{"):  # a lambda or an initializer: its end is not interesting
            parts = []


def needs_export(statement):
    """Returns the number of characters before the place of the mark, or None."""
    if statement.startswith("extern template"):
        return None  # the template has the mark
    if OTHER.match(statement) or EXPORT in statement or statement.endswith("= delete;") \
            or DEDUCTION_GUIDE.match(statement):
        return None
    if match := CLASS.match(statement):
        return match.end() if "{" in statement else None  # otherwise it is a forward declaration
    head = statement.split("=", 1)[0] if "operator" not in statement else statement
    if statement.startswith("extern") or (statement.endswith(";") and "(" in head):
        return FUNCTION.match(statement).end()
    return None


def check(path, text):
    """Yields the findings in a public header."""
    for number, line in enumerate(text.splitlines(), 1):
        if (match := INCLUDE.match(line)) and not match.group(1).startswith("capstan/"):
            header = match.group(1)
            if not STANDARD.match(header) and header not in ALLOWED:
                yield path, number, "public-include", f"{header} is not installed, or reaches the library's users"
        if (match := DEFINE.match(line)) and not match.group(1).startswith("CAPSTAN_"):
            yield path, number, "public-macro", f"{match.group(1)} needs the prefix CAPSTAN_"
    for number, statement in statements(text):
        if needs_export(statement) is not None:
            yield path, number, "public-export", f"{EXPORT} is missing; run hack/public_headers.py --write"


def write(text):
    """Returns the header with every mark."""
    lines = text.splitlines(keepends=True)
    missing = [(number, statement) for number, statement in statements(text)
               if needs_export(statement) is not None]
    for number, statement in missing:
        line = lines[number - 1]
        at = needs_export(statement)
        lines[number - 1] = line[:at] + EXPORT + " " + line[at:]
    text = "".join(lines)
    if missing and f'"{EXPORT_HEADER}"' not in text:
        include = f'#include "{EXPORT_HEADER}"\n'
        if own := re.search(r'^#include "capstan/', text, re.M):
            text = text[:own.start()] + include + text[own.start():]
        elif others := list(re.finditer(r"^#include .*\n", text, re.M)):
            text = text[:others[-1].end()] + "\n" + include + text[others[-1].end():]
        else:
            text = text.replace("#pragma once\n", "#pragma once\n\n" + include, 1)
    return text


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    root = arguments[0] if arguments else os.path.join(os.path.dirname(__file__), "..")
    found = []
    for folder, dirs, names in os.walk(os.path.join(root, "include")):
        dirs.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, root)
            if not is_public(relative):
                continue
            if "--list" in sys.argv:
                print(relative)
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if "--write" in sys.argv:
                new = write(text)
                if new != text:
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(new)
                    print(path)
            else:
                found += check(relative, text)
    for path, number, rule, what in found:
        print(f"{path}:{number}: {rule}: {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
