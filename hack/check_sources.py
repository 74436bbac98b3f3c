#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks sources with the compiler: clang-tidy, and that every header compiles alone.

usage: hack/check_sources.py tidy|headers|public BUILD_DIR [--changed] [--minutes N] [FILE...]
public compiles each installed header with g++ and clang++, as C++20 and C++23, with warnings as errors.
With CI=true, unless CAPSTAN_ALL=yes, only clang++ and C++23 compile each of them alone, and the other
three compile one file that includes all of them.
Prints one "file:line: rule: what" per finding; exit 1 if any. A file that passed is checked again
only after a change of it, its includes, its compile command or .clang-tidy, also in other checkouts
($CAPSTAN_CACHE/checked, otherwise BUILD_DIR/checked).

--changed checks the sources that a change affects (hack/affected.py), the most affected first.
--minutes starts no check after N minutes, and prints how many files are left.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import affected
import public_headers

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:fatal )?(?:error|warning): (.*?)(?: \[([\w.,-]+)\])?$")
# Long bodies and odd types are fine in tests, which are half of the sources. Serious faults of a test are
# a use after move or a bad name.
TEST_CHECKS = ",".join((
    "-*", "clang-diagnostic-*", "readability-identifier-naming", "bugprone-use-after-move",
    "bugprone-dangling-handle", "bugprone-unused-return-value", "bugprone-infinite-loop",
    "performance-for-range-copy", "performance-unnecessary-copy-initialization"))


def read(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""  # a system header, or a generated one


def closure(path, seen):
    """Returns `path` and all our files that it includes."""
    if path not in seen:
        seen[path] = read(path)
        for header in INCLUDE.findall(seen[path]):
            closure(header, seen)
    return seen


def public_jobs():
    """Returns one job for each public header: all compilers and standards."""
    compilers = []
    for names, extra in ((("g++-12", "g++"), []), (("clang++-14", "clang++"), ["-Wthread-safety"])):
        found = next((name for name in names if shutil.which(name)), None)
        if found:
            compilers.append([found, *extra])
        else:
            print(f"==> SKIPPED: {names[-1]} is not installed", file=sys.stderr)
    headers = [os.path.relpath(os.path.join(folder, name)) for folder, _, names in os.walk("include")
               for name in sorted(names)]
    headers = sorted(filter(public_headers.is_public, headers))
    ways = [[*compiler, f"-std={standard}", "-fsyntax-only", "-Iinclude", "-I.", "-Wall", "-Wextra", "-Wpedantic",
             "-Wshadow", "-Werror"] for compiler in compilers for standard in ("c++20", "c++2b")]
    alone = ways
    if os.environ.get("CI") == "true" and os.environ.get("CAPSTAN_ALL") != "yes":
        alone = ways[-1:]
        contents = {}
        for path in headers:
            closure(path, contents)
        includes = [argument for path in headers for argument in ("-include", path)]
        yield "all public headers", [[*way, *includes, "-x", "c++", "/dev/null"] for way in ways[:-1]], \
            repr(sorted(contents.items()))
    for path in headers:
        yield path, [[*way, "-include", path, "-x", "c++", "/dev/null"] for way in alone], ""


def jobs_for(mode, build):
    if mode == "public":
        yield from public_jobs()
        return
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = {os.path.relpath(c["file"], ROOT): c["command"] for c in json.load(file)}
    if mode == "tidy":
        for path, command in sorted(commands.items()):
            if path.startswith("build/"):
                continue  # generated
            checks = ["--checks=" + TEST_CHECKS] if path.endswith("_test.cc") else []
            yield path, [["clang-tidy", "--quiet", "-p", build, *checks, path]], command
        return
    flags = ["-std=c++20", "-Iinclude", "-I.", "-Iexamples", "-Wall", "-Wextra", "-Wno-pragma-once-outside-header"]
    for folder, dirs, files in os.walk("."):
        dirs[:] = [d for d in dirs if d not in ("build", ".git")]
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name))
            # A source includes its own header first (hack/tidy.py), so the header is compiled alone
            # whenever the source is.
            if path.endswith(".h") and path[:-2] + ".cc" not in commands:
                yield path, [["clang++", "-fsyntax-only", "-x", "c++", *flags, path]], ""


def check(job):
    path, commands, _ = job
    found = set()
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        findings = set()
        for line in result.stdout.splitlines() + result.stderr.splitlines():
            if match := FINDING.match(line):
                file, number, what, rule = match.groups()
                rule = (rule or "does-not-compile").replace(",-warnings-as-errors", "")
                findings.add((os.path.relpath(file, ROOT) if os.path.isabs(file) else file,
                              int(number), rule, what))
        if result.returncode != 0 and not findings:
            findings.add((path, 1, "check-failed", f"{shlex.join(command)} exits {result.returncode}"))
        found |= findings
    return path, found


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.strip())
    parser.add_argument("mode", choices=("tidy", "headers", "public"))
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    return parser.parse_intermixed_args()


def most_affected_first(jobs):
    """Returns the jobs of the affected sources, in that order, and their ranks by path."""
    changed, why = affected.find_change(ROOT)
    print(f"==> {why}", file=sys.stderr)
    ranks = affected.affected_sources(affected.read_tree(ROOT), changed)
    by_path = {job[0]: job for job in jobs}
    return ([by_path[path] for _, path in ranks if path in by_path],
            {path: rank for rank, path in ranks})


def describe(ranks, keys, left):
    """Prints how much of the change was checked."""
    for rank, what in enumerate(("changed", "include a changed file", "are affected indirectly")):
        files = [path for path in keys if ranks[path] == rank]
        missing = sum(path in left for path in files)
        print(f"==> {len(files)} sources {what}, {len(files) - missing} were checked"
              + (f", {missing} are left to .ci/run --all" if missing else ""), file=sys.stderr)


def main():
    options = parse()
    mode, build, only = options.mode, os.path.realpath(options.build), set(options.files)
    os.chdir(ROOT)
    cache = os.path.join(os.environ.get("CAPSTAN_CACHE", build), "checked")
    os.makedirs(cache, exist_ok=True)
    version = b"".join(
        subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
        for tool in {"public": ["g++", "clang++"]}.get(mode, ["clang-tidy"]) if shutil.which(tool))
    jobs, ranks = list(jobs_for(mode, build)), None
    if options.changed:
        jobs, ranks = most_affected_first(jobs)
    keys, todo = {}, []
    for job in jobs:
        path, commands, extra = job
        if only and path not in only:
            continue
        state = hashlib.sha256(version + read(".clang-tidy").encode())
        how = repr((mode, commands, extra)).replace(ROOT, "")
        state.update((how + repr(sorted(closure(path, {}).items()))).encode())
        keys[path] = os.path.join(cache, state.hexdigest())
        if not os.path.exists(keys[path]):
            todo.append(job)
    print(f"{mode}: {len(todo)} of {len(keys)} files to check", file=sys.stderr)
    found, left = set(), set()
    deadline = time.monotonic() + 60 * options.minutes
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for job, result in zip(todo, pool.map(
                lambda job: check(job) if time.monotonic() < deadline else None, todo)):
            if result is None:
                left.add(job[0])
                continue
            path, findings = result
            found |= findings
            if not findings:
                with open(keys[path], "w", encoding="utf-8"):
                    pass
    if ranks is not None:
        describe(ranks, keys, left)
    elif left:
        print(f"==> {len(left)} files were left out after {options.minutes:g} minutes", file=sys.stderr)
    for path, number, rule, what in sorted(found):
        print(f"{path}:{number}: {rule}: {what}")
    return 1 if found or not (keys or options.changed) else 0


if __name__ == "__main__":
    sys.exit(main())
