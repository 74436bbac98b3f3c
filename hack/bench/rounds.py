# SPDX-License-Identifier: Apache-2.0
"""Shared code of the comparisons with the Go originals: arguments, rounds, tables, verdicts."""
import argparse
import statistics
import sys

import document

HEADINGS = ("figure", "ours", "the Go original", "ratio", "allowed", "")


def parse(doc, choices=None, writes=False, **defaults):
    """Parses --bin, --peers, --rounds, --NAME for each default, --only PART of `choices`, --write if it `writes`."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--peers")
    if writes:
        parser.add_argument("--write", action="store_true")
    for name, default in {"rounds": 5, **defaults}.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    if choices:
        parser.add_argument("--only", action="append", choices=choices, metavar="PART")
    return parser.parse_args()


def in_turn(rounds, run_round, what):
    for number in range(rounds):
        run_round()
        print(f"{what}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)


def spread(values, digits):
    return (f"{statistics.median(values):.{digits}f} "
            f"({min(values):.{digits}f} to {max(values):.{digits}f})")


def share(values, others):
    """Returns the ratio of the medians."""
    return statistics.median(values) / statistics.median(others)


class Table:
    """A table of medians that prints each row at once. `kept`: every verdict is ok. `rows`: {figure: cells}."""

    def __init__(self, headings=HEADINGS):
        self.kept = True
        self.rows = {}
        print("\n| " + " | ".join(headings) + " |\n" + "|---" * len(headings) + "|")

    def row(self, figure, columns, good):
        """`good` is None without an allowed value."""
        self.kept = self.kept and good is not False
        self.rows[figure] = [*columns[:-1], columns[-1] + ": **missed**" * (good is False)]
        verdict = {True: "ok", False: "MISSED", None: ""}[good]
        print("| " + " | ".join([figure, *columns, verdict]) + " |", flush=True)

    def finish(self, benchmark, options):
        """Returns the exit code. With --write, the documents have the rows from now on."""
        if options.write:
            document.write(benchmark, self.rows)
        return 0 if self.kept else 1

    def ratio(self, figure, ours, peer, limit, digits=1):
        """Our value is at most `limit` times the peer's."""
        ratio = share(ours, peer)
        self.row(figure, [spread(ours, digits), spread(peer, digits), f"{ratio:.2f}",
                          f"{limit:.2g}"], ratio <= limit)

    def exactly(self, figure, ours, peer, number):
        """Our value is always `number`."""
        self.row(figure, [spread(ours, 0), spread(peer, 0), "", str(number)],
                 set(ours) == {number})

    def compare(self, figure, found, limits, digits):
        """`found`: {program: values}, ours first, empty for a missing program. `limits`: {program:
        our largest allowed ratio to it}; {None: our largest allowed value}."""
        ours = next(iter(found.values()))
        limits = {name: limit for name, limit in limits.items() if name is None or found[name]}
        kept = [statistics.median(ours) <= limit * (statistics.median(found[name]) if name else 1)
                for name, limit in limits.items()]
        allowed = "; ".join(f"{limit:g}" if name is None else f"{limit:g} of {name}"
                            for name, limit in limits.items())
        self.row(figure, [spread(values, digits) if values else "" for values in found.values()]
                 + [allowed], all(kept) if kept else None)
        if not all(found.values()):
            del self.rows[figure]  # a program is missing: the documents keep its figures
