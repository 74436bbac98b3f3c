#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/e2e [embedded|real|all] [SCENARIO...]: run the scenarios in e2e/scenarios.

The scenarios drive the real programs against an API server: the embedded one, or a real
kube-apiserver and etcd of the version in $KUBE_VERSION, by default the newest (e2e/cluster/build).
Each scenario prints its figures and one PASS or FAIL line. Afterwards the output of its programs is
searched for secret data (e2e/lib/captured.py). A scenario that leaks fails.

Most scenarios wait more than they compute, so several run at a time, each in a process of its own. The
output of each is printed when it ends. Those that measure have ALONE = True and run last, one by one.

  --jobs N        scenarios at a time (default: the number of cores, and one more on the embedded one)
  --preset NAME   the build whose programs are run (default: release)
  --list          list the scenarios with a description
  --slow          also run the slow scenarios, which otherwise run only by name
  --again         run each failed scenario twice again, alone; one that passes both times counts as passed, and is FLAKY
  --secrets N     Secrets in the scale scenario (default: 20000)
  --minutes M     length of the chaos scenario (default: 1 embedded, 3 real)
  --write         first_hour: write the outputs into docs/first-hour.md instead of comparing them
"""
import argparse
import concurrent.futures
import glob
import importlib
import os
import re
import subprocess
import sys
import time
import traceback

COUNTS = r"\d+ passed, \d+ failed, \d+ skipped"
FLAKY_MAX = 5  # when more scenarios fail, it is not by chance
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
from lib import captured  # pylint: disable=wrong-import-position
from lib.scenario import Scenario, Skipped  # pylint: disable=wrong-import-position


def modules():
    for path in sorted(glob.glob(os.path.join(HERE, "scenarios", "*.py"))):
        name = os.path.basename(path)[:-3]
        yield name, importlib.import_module("scenarios." + name)


def is_slow(module):
    """Returns whether the module has SLOW = True: it takes minutes, and others cover it in part."""
    return getattr(module, "SLOW", False)


def chosen(known, kind, wanted, slow):
    """Returns the names of the scenarios to run, and of those that are omitted as slow."""
    if wanted:
        return wanted, []
    names = [name for name, module in known.items() if kind in module.KINDS]
    left = [name for name in names if is_slow(known[name]) and not slow]
    return [name for name in names if name not in left], left


def run_one(name, module, kind, bin_dir, options):
    """Returns True, False, or the reason why it was skipped."""
    if kind not in module.KINDS:
        return f"needs {' or '.join(module.KINDS)}"
    captured.begin()
    scenario = Scenario(name, kind, bin_dir, options)
    try:
        module.run(scenario)
        result = True
    except Skipped as why:
        result = str(why)
    except AssertionError as error:
        print(f"  {error or traceback.format_exc()}")
        result = False
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc(file=sys.stdout)
        result = False
    finally:
        scenario.close()
    leaks = captured.OUTPUT.leaks()
    print(f"  searched {len(captured.OUTPUT.lines)} lines of output for {len(captured.OUTPUT.secrets)} secrets")
    for line in leaks:
        print("  " + line)
    return False if leaks else result


def run_here(name, module, kind, bin_dir, options):
    """Runs the scenario in this process. Returns "PASS", "FAIL" or "SKIP"."""
    print(f"=== {kind} {name}: {module.__doc__.splitlines()[0]}", flush=True)
    before = time.monotonic()
    result = run_one(name, module, kind, bin_dir, options)
    word = {True: "PASS", False: "FAIL"}.get(result, "SKIP")
    why = f" ({result})" if isinstance(result, str) else ""
    print(f"--- {word} {kind} {name} in {time.monotonic() - before:.1f} s{why}", flush=True)
    return word


def run_in_process(name, kind, options):
    """Runs the scenario in a process of its own, prints its output at the end, and returns what run_here returns."""
    flags = ["--preset", options.preset, "--secrets", str(options.secrets)]
    flags += ["--minutes", str(options.minutes)] if options.minutes else []
    flags += ["--write"] if options.write else []
    done = subprocess.run([sys.executable, "-B", os.path.realpath(__file__), kind, name, *flags],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace", check=False)
    output = re.sub(COUNTS + r"\n\Z", "", done.stdout)
    print(output, end="", flush=True)
    found = re.search(f"^--- (PASS|FAIL|SKIP) {kind} {name} ", output, re.MULTILINE)
    return found[1] if found else "FAIL"


def run_all(names, known, kind, bin_dir, options):
    """Returns the result of each by its name."""
    alone = [name for name in names if len(names) == 1 or getattr(known[name], "ALONE", False)]
    beside = [name for name in names if name not in alone]
    jobs = options.jobs or (os.cpu_count() or 1) + (kind == "embedded")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = dict(zip(beside, pool.map(lambda name: run_in_process(name, kind, options), beside)))
    for name in alone:
        results[name] = run_here(name, known[name], kind, bin_dir, options)
    return results


def run_failed_again(results, known, kind, bin_dir, options):
    """Runs each failed scenario twice again, alone. Returns the results, with "FLAKY" for what passes both times."""
    failed = [name for name, word in results.items() if word == "FAIL"]
    for name in failed if len(failed) <= FLAKY_MAX else []:
        print(f"==> {kind} {name} failed; it runs twice again, alone", flush=True)
        if all(run_here(name, known[name], kind, bin_dir, options) == "PASS" for _ in range(2)):
            print(f"--- FLAKY {kind} {name}: it failed, and passed twice alone", flush=True)
            results[name] = "FLAKY"
    return results


def parse():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        sys.exit(0)
    parser = argparse.ArgumentParser(usage="see --help", add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--secrets", type=int, default=20000)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    known = dict(modules())
    if options.list:
        for name, module in known.items():
            kinds = ", ".join([*module.KINDS, *(["slow"] if is_slow(module) else [])])
            print(f"{name} ({kinds}): {module.__doc__.splitlines()[0]}")
        return 0
    kinds = {"embedded": ["embedded"], "real": ["real"]}.get((options.names or [""])[0])
    wanted = options.names[1:] if kinds or options.names[:1] == ["all"] else options.names
    unknown = set(wanted) - set(known)
    if unknown:
        sys.exit(f"e2e: no scenario {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    bin_dir = os.path.join(HERE, "..", "build", options.preset, "bin")
    if not os.path.exists(os.path.join(bin_dir, "capstan-controller-manager")):
        sys.exit(f"e2e: nothing is built in {os.path.normpath(bin_dir)}; run hack/test first")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for kind in kinds or ["embedded", "real"]:
        names, left = chosen(known, kind, wanted, options.slow)
        if left:
            print(f"==> not run without --slow: {kind} {', '.join(left)}")
        arguments = known, kind, os.path.realpath(bin_dir), options
        results = run_all(names, *arguments)
        if options.again:
            results = run_failed_again(results, *arguments)
        for word in results.values():
            counts[{"FAIL": "failed", "SKIP": "skipped"}.get(word, "passed")] += 1
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
