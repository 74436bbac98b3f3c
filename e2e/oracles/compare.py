#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Go and what capstan make of the same inputs.

usage: compare.py [options] --peer PROGRAM --capstan PROGRAM [PAIR...]

PAIR is a pair of readers, for example quantity; the default is those of "--list". Inputs are the corpus
(e2e/oracles/corpus/PAIR.jsonl), what failed before (in FINDINGS), and mutations of both. What differs and
is not in docs/differences.md is made smaller, printed, and kept in FINDINGS. After the fix, add it to
the corpus. The last line is "N passed, N failed, N skipped".

  --count N        inputs for each pair (1000)
  --seed N         the same seed makes the same inputs (1)
  --findings DIR   where inputs that differ are kept (build/against-go)
  --all            also the pairs that have known faults
  --list           print the pairs without known faults
"""
import argparse
import base64
import collections
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import accepted  # pylint: disable=wrong-import-position
import generate  # pylint: disable=wrong-import-position
import messages  # pylint: disable=wrong-import-position
import pairs  # pylint: disable=wrong-import-position
import shrink  # pylint: disable=wrong-import-position

BATCH = 5000
OBJECTS = 1500  # random ones that mutations start from
SECONDS_MAX = 60   # for a batch; then the next input without an answer hangs
FINDINGS_MAX = 10   # shown for each pair
# Of the user, only what a program needs to start: the readers see no proxies and no KUBECONFIG.
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
ENVIRONMENT["SSL_CERT_FILE"] = os.devnull  # the CAs of the machine take milliseconds to read


class Reader:
    """A program that answers the inputs of a mode."""

    def __init__(self, program, mode):
        self.command = [program, mode]

    def answers(self, inputs):
        return self.finish(self.start(inputs), inputs)

    def start(self, inputs):
        source, answers = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        for text in inputs:
            source.write(struct.pack(">I", len(text)))
            source.write(text)
        source.seek(0)
        process = subprocess.Popen(self.command, stdin=source, stdout=answers, env=ENVIRONMENT)
        source.close()
        return process, answers

    def finish(self, started, inputs):
        """Returns the answers. An input that ends the program gets an answer that says so."""
        process, answers = started
        try:
            how = f"exit code {process.wait(SECONDS_MAX)}"
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            how = "no answer"
        answers.seek(0)
        lines = answers.read().decode("utf-8", "backslashreplace").split("\n")[:-1]
        answers.close()
        if len(lines) >= len(inputs):
            return lines[:len(inputs)]
        rest = inputs[len(lines) + 1:]
        lines.append(f"ended: {how}")
        return lines + (self.finish(self.start(rest), rest) if rest else [])


class Comparison:
    """Counts what two readers make of the inputs of one pair."""

    def __init__(self, pair, go, ours, forge):
        self.pair, self.go, self.ours, self.forge = pair, go, ours, forge
        self.count = 0
        self.explained = collections.Counter()
        self.findings = []

    def answers(self, inputs):
        if self.pair.forged:
            inputs = made(self.forge, inputs)
        started = self.go.start(inputs), self.ours.start(inputs)
        return self.go.finish(started[0], inputs), self.ours.finish(started[1], inputs)

    def cases(self, inputs):
        """Yields (case, row) for each input on which the readers differ; row None: a finding."""
        for text, go, ours in zip(inputs, *self.answers(inputs)):
            if go != ours and not self.pair.same(go, ours):
                case = accepted.Case(text, go, ours)
                yield case, accepted.explain(self.pair.name, case)

    def run(self, inputs):
        """Compares the inputs. Returns those that Go accepts."""
        self.count += len(inputs)
        go_answers, our_answers = self.answers(inputs)
        for text, go, ours in zip(inputs, go_answers, our_answers):
            if go == ours or self.pair.same(go, ours):
                continue
            case = accepted.Case(text, go, ours)
            row = accepted.explain(self.pair.name, case)
            if row is None:
                self.findings.append(case)
            else:
                self.explained[row] += 1
        return [text for text, go in zip(inputs, go_answers) if go not in (accepted.REFUSED, accepted.NO_OBJECT)]

    def failing(self, inputs):
        found = {id(case.text) for case, row in self.cases(inputs) if row is None}
        return [id(text) in found for text in inputs]

    def varied_findings(self):
        """Returns the findings such that the first ones are of different kinds, and short."""
        seen = collections.Counter()
        ranked = []
        for case in sorted(self.findings, key=lambda case: len(case.text)):
            kind = case.go == accepted.REFUSED, case.ours == accepted.REFUSED, case.ours.startswith("ended")
            ranked.append((seen[kind], len(ranked), case))
            seen[kind] += 1
        return [case for _, _, case in sorted(ranked, key=lambda rank: rank[:2])]

    def small_findings(self, split):
        """Returns different small inputs that still differ, with their answers."""
        small = {}
        for case in self.varied_findings()[:2 * FINDINGS_MAX]:
            if len(small) >= FINDINGS_MAX:
                break
            text = shrink.shrunk(case.text, split, self.failing)
            for found, row in self.cases([text]):
                if row is None:
                    small[text] = found
        return list(small.values())


MADE = b"made "


def made(forge, inputs):
    """Returns what the mode "forge" makes of the inputs. An input may also hold what it made."""
    forged = iter(forge.answers([text for text in inputs if not text.startswith(MADE)]) if forge else ())
    return [decoded(text[len(MADE):]) if text.startswith(MADE) else decoded(next(forged)) for text in inputs]


def decoded(text):
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""


def random_objects(peer, maker, seed):
    """Returns objects of all built-in kinds, with random content."""
    kinds = messages.kinds()
    wanted = [f"{version} {kind} {seed}{i}".encode()
              for i in range(OBJECTS // len(kinds)) for version, kind in kinds]
    return [decoded(text) for text in Reader(peer, maker).answers(wanted) if text != accepted.REFUSED]


def check_witnesses(pair, reader, who):
    """Returns what is wrong with a reader whose answers do not tell different inputs apart."""
    inputs = made(None, pair.witnesses) if pair.forged else list(pair.witnesses)
    answers = reader.answers(inputs)
    if len(set(answers)) == len(inputs):
        return []
    return [f"{pair.name}: {who} gives different inputs the same answer: {answers}"]


def keep(path, inputs):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        for text in dict.fromkeys(inputs):
            file.write(json.dumps(text.decode("latin-1")) + "\n")


def run_pair(pair, readers, options):
    """Compares one pair and prints the result. Returns whether nothing differs without a row."""
    path = os.path.join(options.findings, pair.name + ".jsonl")
    wrong = [line for who, reader in zip(("Go", "capstan"), readers)
             for line in check_witnesses(pair, reader, who)]
    comparison = Comparison(pair, *readers, Reader(options.peer, "forge"))
    generator = generate.Generator(pair, options.seed)
    known = pairs.load(path)
    comparison.run(pair.corpus + known)
    if pair.maker and options.count > 0:
        objects = random_objects(options.peer, pair.maker, options.seed)
        for text in comparison.run(objects):
            generator.keep(text)
    while comparison.count < options.count:
        batch = [text for text in generator.batch(min(BATCH, options.count - comparison.count))
                 if not pair.skips(text)]
        for text in comparison.run(batch)[:100]:
            generator.keep(text)
    small = comparison.small_findings(generator.tokens)
    if small or known:
        keep(path, [case.text for case in small])
    rows = ", ".join(f"{row} {count}" for row, count in sorted(comparison.explained.items()))
    print(f"{pair.name}: {comparison.count} inputs, {len(comparison.findings)} differ without a row of"
          f" docs/differences.md, {sum(comparison.explained.values())} with one"
          + (f" ({rows})" if rows else ""), flush=True)
    for line in wrong:
        print(line)
    for case in small:
        print(f"  input:   {json.dumps(case.text.decode('latin-1'))}\n"
              f"  Go:      {case.go[:500]}\n  capstan: {case.ours[:500]}", flush=True)
    if small:
        print(f"  they are in {os.path.relpath(path)}")
    return not comparison.findings and not wrong


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--peer")
    parser.add_argument("--capstan")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--findings", default="build/against-go")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("pairs", nargs="*")
    options = parser.parse_args(arguments)
    known = pairs.load_pairs()
    sys.setrecursionlimit(30000)  # for JSON with as many levels as Go reads
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # for quantities
    if options.help:
        print(__doc__.strip())
        return 0
    names = [pair.name for pair in known.values() if pair.clean or options.all]
    if options.list:
        print("\n".join(names))
        return 0
    if unknown := [name for name in options.pairs if name not in known]:
        parser.error(f"unknown pair {unknown[0]}; known: {' '.join(known)}")
    if not options.peer or not options.capstan:
        parser.error("--peer and --capstan are required")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        ENVIRONMENT["TMPDIR"] = folder
        for name in options.pairs or names:
            readers = Reader(options.peer, name), Reader(options.capstan, name)
            if run_pair(known[name], readers, options):
                passed += 1
            else:
                failed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
