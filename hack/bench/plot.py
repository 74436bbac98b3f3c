#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the curves that hack/bench/run runtime measured: memory, CPU and time by number of Secrets.

usage: hack/bench/plot.py CSV SVG [SERVER [LIST]]

Both axes are logarithmic. SERVER is kube-apiserver (default) or embedded, LIST is WATCH-LIST
(default) or LIST. The picture is readable on light and dark pages.
"""
import csv
import math
import sys

COLUMNS = ("server", "list", "program", "objects", "figure", "median", "least", "most")
PANELS = (("peak", "peak memory, MiB"), ("cpu", "CPU, s"), ("seconds", "time to sync, s"))
# The colour and the dashes of each program.
LINES = {"clientgo": ("#0a84c6", ""), "kube-rs": ("#d9641e", "7 4"),
         "kube-rs, jemalloc": ("#b0679b", "2 4"), "client-go": ("#199e78", "10 3 2 3")}
WIDTH, HEIGHT, PANEL, LEFT, TOP, INNER = 1020, 350, 340, 52, 62, (250, 235)
STYLE = """<style>
text { font: 12px sans-serif; fill: #24292f; }
.title { font-weight: bold; }
.grid { stroke: #8c959f; stroke-opacity: 0.35; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }
</style>"""


class Axis:
    """A logarithmic axis from a power of ten to one, over `length` pixels."""

    def __init__(self, values, length):
        self.first = math.floor(math.log10(min(values)))
        self.last = max(math.ceil(math.log10(max(values))), self.first + 1)
        self.length = length

    def at(self, value):
        return (math.log10(value) - self.first) / (self.last - self.first) * self.length

    def ticks(self):
        return [10.0 ** power for power in range(self.first, self.last + 1)]


def read(path, server, way):
    """Returns {figure: {program: [(objects, median)]}}. A logarithmic axis has no 0."""
    found = {}
    with open(path, encoding="ascii", newline="") as file:
        for row in csv.DictReader(file):
            objects, median = int(row["objects"]), float(row["median"])
            if (row["server"], row["list"]) == (server, way) and objects and median > 0:
                curves = found.setdefault(row["figure"], {})
                curves.setdefault(row["program"], []).append((objects, median))
    return found


def panel(left, title, curves):
    """Yields the elements of one panel."""
    width, height = INNER
    bottom = TOP + height
    points = [point for curve in curves.values() for point in curve]
    across, up = Axis([x for x, _ in points], width), Axis([y for _, y in points], height)
    yield f'<text class="title" x="{left}" y="{TOP - 12}">{title}</text>'
    for tick in across.ticks():
        x = left + across.at(tick)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:,.0f}</text>'
    for tick in up.ticks():
        y = bottom - up.at(tick)
        yield f'<path class="grid" d="M{left} {y:.1f}H{left + width}"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for name, (colour, dashes) in LINES.items():
        curve = [(left + across.at(x), bottom - up.at(y)) for x, y in sorted(curves.get(name, []))]
        if curve:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in curve)
            yield (f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.5" '
                   f'stroke-dasharray="{dashes or "none"}"/>')
            for x, y in curve:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'


def legend(names):
    x = LEFT
    for name, (colour, dashes) in LINES.items():
        if name in names:
            yield (f'<path d="M{x} 18h34" stroke="{colour}" stroke-width="2.5" '
                   f'stroke-dasharray="{dashes or "none"}"/>')
            yield f'<text x="{x + 42}" y="22">{name}</text>'
            x += 170


def draw(csv_path, svg_path, server, way):
    found = read(csv_path, server, way)
    title = f"One metadata informer by number of Secrets, {server}, {way}"
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
             f'aria-label="{title}">', f"<title>{title}</title>", STYLE,
             *legend({name for curves in found.values() for name in curves})]
    for number, (figure, name) in enumerate(PANELS):
        if figure in found:
            lines += panel(LEFT + number * PANEL, name, found[figure])
    lines.append(f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">Secrets '
                 f'({server}, {way})</text>')
    with open(svg_path, "w", encoding="ascii") as file:
        file.write("\n".join([*lines, "</svg>"]) + "\n")


def main():
    arguments = sys.argv[1:]
    if not 2 <= len(arguments) <= 4 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 1
    draw(*(arguments + ["kube-apiserver", "WATCH-LIST"][len(arguments) - 2:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
