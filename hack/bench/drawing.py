# SPDX-License-Identifier: Apache-2.0
"""Draws curves side by side in one SVG, which is readable on light and dark pages."""
import math

WIDTH, HEIGHT, PANEL, LEFT, TOP, INNER = 1020, 350, 340, 52, 62, (250, 235)
POINTS_MAX = 20  # of a curve whose points are marked
STYLE = """<style>
text { font: 12px sans-serif; fill: #24292f; }
.title { font-weight: bold; }
.grid { stroke: #8c959f; stroke-opacity: 0.35; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }
</style>"""


class LogAxis:
    """A logarithmic axis from a power of ten to one, over `length` pixels. It has no 0."""

    def __init__(self, values, length):
        self.first = math.floor(math.log10(min(values)))
        self.last = max(math.ceil(math.log10(max(values))), self.first + 1)
        self.length = length

    def at(self, value):
        return (math.log10(value) - self.first) / (self.last - self.first) * self.length

    def ticks(self):
        return [10.0 ** power for power in range(self.first, self.last + 1)]


class LinearAxis:
    """An axis from 0 to at least the largest value, with at most six ticks."""

    def __init__(self, values, length):
        step = 10.0 ** math.floor(math.log10(max(values)))
        self.step = next(step * part for part in (0.2, 0.5, 1, 2) if max(values) <= step * part * 5)
        self.last = math.ceil(max(values) / self.step) * self.step
        self.length = length

    def at(self, value):
        return value / self.last * self.length

    def ticks(self):
        return [self.step * number for number in range(round(self.last / self.step) + 1)]


def panel(number, title, curves, lines, axis):
    """Yields the elements of one panel. `curves`: {name: [(x, y)]}. `lines`: {name: (colour, dashes)}."""
    left, (width, height) = LEFT + number * PANEL, INNER
    bottom = TOP + height
    points = [point for curve in curves.values() for point in curve]
    across, up = axis([x for x, _ in points], width), axis([y for _, y in points], height)
    yield f'<text class="title" x="{left}" y="{TOP - 12}">{title}</text>'
    for tick in across.ticks():
        x = left + across.at(tick)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:,.0f}</text>'
    for tick in up.ticks():
        y = bottom - up.at(tick)
        yield f'<path class="grid" d="M{left} {y:.1f}H{left + width}"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for name, (colour, dashes) in lines.items():
        curve = [(left + across.at(x), bottom - up.at(y)) for x, y in sorted(curves.get(name, []))]
        if curve:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in curve)
            yield (f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.5" '
                   f'stroke-dasharray="{dashes or "none"}"/>')
            if len(curve) < POINTS_MAX:
                for x, y in curve:
                    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'


def legend(names, lines):
    x = LEFT
    for name, (colour, dashes) in lines.items():
        if name in names:
            yield (f'<path d="M{x} 18h34" stroke="{colour}" stroke-width="2.5" '
                   f'stroke-dasharray="{dashes or "none"}"/>')
            yield f'<text x="{x + 42}" y="22">{name}</text>'
            x += 170


def write(path, title, below, panels, lines, axis):
    """Writes the picture. `panels`: [(title, curves)]. `below`: the text below the panels."""
    elements = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
                f'aria-label="{title}">', f"<title>{title}</title>", STYLE,
                *legend({name for _, curves in panels for name in curves}, lines)]
    for number, (name, curves) in enumerate(panels):
        elements += panel(number, name, curves, lines, axis)
    elements.append(f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{below}</text>')
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join([*elements, "</svg>"]) + "\n")
