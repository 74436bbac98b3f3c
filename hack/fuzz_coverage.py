#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Part of hack/fuzz --coverage: adds up what the inputs of a fuzz target reach.

It reads the JSON of `llvm-cov export` from standard input and prints one line. A region is a part of a
function without a branch. Only functions that are entered count, because a target does not aim at the
rest of the files that it links.
"""
import json
import sys

FILENAMES, COUNT, KIND = "filenames", 4, 7
CODE = 0  # the kind of a region that is neither skipped nor a gap


def main():
    entered = {}  # {(file, first line): {region: reached}}: instances of a template are one function
    for function in json.load(sys.stdin)["data"][0]["functions"]:
        if not function["count"]:
            continue
        regions = [region for region in function["regions"] if region[KIND] == CODE]
        known = entered.setdefault((function[FILENAMES][0], regions[0][0]), {})
        for region in regions:
            place = tuple(region[:COUNT])
            known[place] = known.get(place, False) or region[COUNT] > 0
    reached = sum(sum(regions.values()) for regions in entered.values())
    total = sum(map(len, entered.values()))
    print(f"{sys.argv[1]}: {100 * reached / total:.1f}% of {total} regions in {len(entered)} functions")


if __name__ == "__main__":
    main()
