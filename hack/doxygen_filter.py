#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a header with Doxygen's comments instead of plain ones.

usage: hack/doxygen_filter.py HEADER

A comment above a declaration becomes its description, one behind it on the same line too. The first
comment describes the file. Lines with three or more spaces after the slashes are code. Line numbers stay.
"""
import re
import sys

COMMENT = re.compile(r"(\s*)//(?!/)( ?)(.*)$")
BEHIND = re.compile(r"(.*\S)\s+//(?!/) ?(?!NOLINT)(.*)$")
SPECIAL = re.compile(r"([\\@<>#&%$])")
LIST_ITEM = re.compile(r"\s*// *(-|\d+\.) ")
# Doxygen's markdown sees emphasis and links.
MARKDOWN = re.compile(r"([*_\[\]|~])")


def escape(text):
    """Returns the text without a meaning for Doxygen, except in `code`."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a span over two lines
        return MARKDOWN.sub(r"\\\1", SPECIAL.sub(r"\\\1", text.replace("`", "'")))
    return "`".join(part if number % 2 else MARKDOWN.sub(r"\\\1", SPECIAL.sub(r"\\\1", part))
                    for number, part in enumerate(parts))


def code_blocks(comment):
    """Yields the begin and the end of the code in a comment. An indented line of a list is no code."""
    number = 0
    while number < len(comment):
        begin = number
        while number < len(comment) and re.match(r"\s*//   +\S", comment[number]):
            number += 1
        before = comment[begin - 1] if begin else ""
        if number > begin and re.match(r"\s*//   \S", comment[begin]) and not LIST_ITEM.match(before):
            yield begin, number
        number = max(number, begin + 1)


def blocks(lines):
    """Yields the lines in turn, with the comments that stand alone as one list."""
    comment = []
    for line in lines:
        if COMMENT.match(line):
            comment.append(line)
            continue
        if comment:
            yield comment
            comment = []
        yield line
    if comment:
        yield comment


def convert(comment):
    """Yields the lines of a comment."""
    ranges = list(code_blocks(comment))
    begins, ends = {begin for begin, _ in ranges}, {end - 1 for _, end in ranges}
    inside = {number for begin, end in ranges for number in range(begin, end)}
    for number, line in enumerate(comment):
        indent, space, text = COMMENT.match(line).groups()
        if "NOLINT" in text:
            yield line
        elif number in inside:
            text = space + text
            if number in begins:
                text = "@code " + text.strip()
            if number in ends:
                text += " @endcode"
            yield f"{indent}///{text}"
        else:
            yield f"{indent}/// {escape(text)}".rstrip()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    if sys.argv[1].endswith(".md"):
        # A page outside of the documentation is no target.
        print(re.sub(r"\[([^\]]*)\]\((?:\.\./)[^)]*\)", r"\1", text), end="")
        return
    lines = text.splitlines()
    file_comment = True
    for block in blocks(lines):
        if isinstance(block, list):
            if file_comment and "SPDX" in block[0]:
                block[0] = "/// @file"
                print(block[0])
                print("\n".join(convert(block[1:])) or "///")
                file_comment = False
            else:
                print("\n".join(convert(block)))
        elif (match := BEHIND.match(block)) and '"' not in match.group(2) and not block.lstrip().startswith("#"):
            declared, what = match.groups()
            # Only a member or a value of an enumeration is described by what stands behind it.
            if re.search(r"[;,]$", declared) or re.match(r"\s*k[A-Z]\w*( = .*)?$", declared):
                print(f"{declared}  ///< {escape(what)}")
            else:
                print(declared)
        else:
            print(block)


if __name__ == "__main__":
    main()
