#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/e2e [embedded|real|all] [SCENARIO...]: run the scenarios in e2e/scenarios.

The scenarios drive the real programs against an API server: the embedded one, or a real
kube-apiserver and etcd of the version in $KUBE_VERSION, by default the newest (e2e/cluster/build).
Each scenario prints its figures and one PASS or FAIL line. Afterwards the output of its programs is
searched for secret data (e2e/lib/captured.py). A scenario that leaks fails.

  --preset NAME   the build whose programs are run (default: release)
  --list          list the scenarios with a description
  --slow          also run the slow scenarios, which otherwise run only by name
  --secrets N     Secrets in the scale scenario (default: 20000)
  --minutes M     length of the chaos scenario (default: 1 embedded, 3 real)
  --write         first_hour: write the outputs into docs/first-hour.md instead of comparing them
"""
import argparse
import glob
import importlib
import os
import sys
import time
import traceback

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


def parse():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        sys.exit(0)
    parser = argparse.ArgumentParser(usage="see --help", add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--list", action="store_true")
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
        for name in names:
            print(f"=== {kind} {name}: {known[name].__doc__.splitlines()[0]}", flush=True)
            before = time.monotonic()
            result = run_one(name, known[name], kind, os.path.realpath(bin_dir), options)
            word = {True: "PASS", False: "FAIL"}.get(result, "SKIP")
            counts[{"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}[word]] += 1
            why = f" ({result})" if isinstance(result, str) else ""
            print(f"--- {word} {kind} {name} in {time.monotonic() - before:.1f} s{why}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
