#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what a change affects, the most affected first. .ci/run checks this part.

usage: hack/affected.py base | sources | tests

base prints the commit that HEAD is compared with, or why there is none. It is $CAPSTAN_BASE if set: for
a pull request, the target branch. Otherwise it is the newest first-parent
commit that is at least a day older than HEAD, so the commits of one day are one change. Uncommitted
files are part of the change.

sources prints "RANK PATH" for each C++ source, and tests prints "RANK TARGET" for each test binary:

  rank  source                                  test binary
  0     it changed                              a file in its folder changed
  1     it includes a changed file              a file in its folder includes one of a folder that
                                                changed
  2     it includes a changed file indirectly   the same indirectly

Within a rank, the newest change comes first. Unaffected sources and tests are not listed. Without a
base everything has rank 0. A change of the build, such as CMakePresets.json, gives everything at
least rank 2.
"""
import collections
import os
import re
import subprocess
import sys

import public_headers

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
DAY = 24 * 60 * 60
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LIBRARY = re.compile(r"capstan_library\(\s*NAME\s+([\w:]+)([^)]*)\)")
FUZZER = re.compile(r"capstan_fuzzer\((\w+) ")
HOW_ALL_IS_BUILT = re.compile(
    r"(CMakeLists\.txt|CMakePresets\.json|\.clang-tidy|hack/cmake/.*|hack/check_sources\.py)$")
SKIP = {"build", ".git", "__pycache__"}


def git(root, *arguments):
    """Returns git's output, or None when it fails. Also works in the checkout of another user."""
    command = ["git", "-c", "safe.directory=*", "-c", "core.quotePath=false", "-C", root, *arguments]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return result.stdout if result.returncode == 0 else None


def find_base(root, wanted):
    """Returns (the commit to compare with or None, a sentence about it)."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top is None or os.path.realpath(top.strip()) != os.path.realpath(root):
        return None, "there is no git history here"
    if wanted:
        base = git(root, "merge-base", wanted, "HEAD")
        if base is None:
            sys.exit(f"affected: CAPSTAN_BASE={wanted} shares no history with HEAD here; fetch it")
        return base.strip(), f"the base is {base.strip()[:12]}, where {wanted} and HEAD meet"
    if git(root, "rev-parse", "--is-shallow-repository") != "false\n":
        return None, "the clone is shallow"
    commits = git(root, "log", "--first-parent", "--format=%H %ct").split()
    for commit, date in zip(commits[::2], commits[1::2]):
        if int(date) <= int(commits[1]) - DAY:
            return commit, f"the base is {commit[:12]}, a day older than HEAD"
    return None, "no commit is a day older than HEAD"


def changed_files(root, base):
    """Returns the files that differ from `base`, the newest change first."""
    differ = set(git(root, "diff", "--name-only", "--no-renames", base).splitlines())
    new = git(root, "ls-files", "--others", "--exclude-standard").splitlines()
    recent = (git(root, "diff", "--name-only", "--no-renames", "HEAD")
              + git(root, "log", "--first-parent", "-m", "--name-only", "--no-renames", "--format=",
                    f"{base}..HEAD"))
    ordered = [path for path in recent.splitlines() if path in differ]
    return list(dict.fromkeys(new + ordered + sorted(differ)))


def read_tree(root):
    """Returns {path: text} of the sources and of the lists of targets."""
    tree = {}
    for folder, dirs, files in os.walk(root):
        dirs[:] = sorted(d for d in dirs if d not in SKIP)
        for name in sorted(files):
            if name.endswith((".cc", ".h")) or name == "CMakeLists.txt":
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    tree[path] = file.read()
    return tree


def spread(graph, changed):
    """Returns {node: (rank, position of its change)} over a graph {node: the nodes it uses}."""
    users = collections.defaultdict(list)
    for node, used in graph.items():
        for other in used:
            users[other].append(node)
    found = {}
    queue = collections.deque()
    for place, node in enumerate(changed):
        if node not in found:
            found[node] = (0, place)
            queue.append(node)
    while queue:  # breadth first, and in the order of the changes
        node = queue.popleft()
        rank, place = found[node]
        for user in users[node]:
            if user not in found:
                found[user] = (min(rank + 1, 2), place)
                queue.append(user)
    return found


def ordered(names, found):
    """Returns [(rank, name)] of the affected `names`."""
    reached = sorted((*found[name], name) for name in names if name in found)
    return [(rank, name) for rank, _, name in reached]


def reach_all(names, found, changed):
    if any(HOW_ALL_IS_BUILT.match(path) for path in changed):
        for name in names:
            found.setdefault(name, (2, len(changed)))
    return found


def included(text):
    """Returns the paths of the included files."""
    return ["include/" + header if header.startswith("capstan/") else header
            for header in INCLUDE.findall(text)]


def affected_sources(tree, changed):
    sources = [path for path in tree if path.endswith(".cc")]
    if changed is None:
        return [(0, path) for path in sources]
    graph = {path: included(text) for path, text in tree.items()}
    return ordered(sources, reach_all(sources, spread(graph, changed), changed))


def test_targets(tree):
    """Returns {folder: its test binaries}; an empty list for a library without tests."""
    folders = {}
    for path, text in tree.items():
        if path.endswith("CMakeLists.txt"):
            for name, arguments in LIBRARY.findall(text):
                binaries = folders.setdefault(os.path.dirname(path), [])
                if re.search(r"\bTESTS\b", arguments):
                    binaries.append(name.replace("::", "_") + "_test")
            for name in FUZZER.findall(text):
                folders.setdefault(os.path.dirname(path), []).append(name + "_replay")
    return folders


def affected_tests(tree, changed):
    folders = test_targets(tree)
    with_tests = [folder for folder, targets in folders.items() if targets]

    api = public_headers.owners(tree)

    def owner(path):
        path = api.get(path, path)
        while path and path not in folders:
            path = os.path.dirname(path)
        return path

    if changed is None:
        ranks = [(0, folder) for folder in with_tests]
    else:
        graph = collections.defaultdict(set)
        for path, text in tree.items():
            graph[owner(path)] |= {owner(header) for header in included(text)}
        graph.pop("", None)
        owners = [owner(path) for path in changed]
        found = spread(graph, [folder for folder in owners if folder])
        ranks = ordered(with_tests, reach_all(with_tests, found, changed))
    return [(rank, target) for rank, folder in ranks for target in folders[folder]]


def find_change(root=ROOT):
    """Returns (the changed files or None for all, a sentence for the log)."""
    base, why = find_base(root, os.environ.get("CAPSTAN_BASE"))
    if base is None:
        return None, why + ", so everything is taken"
    changed = changed_files(root, base)
    return changed, f"{why}; {len(changed)} files differ from it"


def main():
    what = {"sources": affected_sources, "tests": affected_tests}
    if len(sys.argv) != 2 or sys.argv[1] not in {"base", *what}:
        sys.exit(__doc__.strip())
    if sys.argv[1] == "base":
        base, why = find_base(ROOT, os.environ.get("CAPSTAN_BASE"))
        print(base or why)
        return
    changed, why = find_change()
    print(f"==> {why}", file=sys.stderr)
    for rank, name in what[sys.argv[1]](read_tree(ROOT), changed):
        print(rank, name)


if __name__ == "__main__":
    main()
