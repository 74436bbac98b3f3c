# SPDX-License-Identifier: Apache-2.0
"""Makes random expressions of CEL over the schema peer/cel_schema.json, and random objects of it.

Most expressions have right types, so that they are evaluated and not refused.
"""
import json

from expression_forms import BRANCHES, LEAVES
from expression_values import LITERALS, NUMBERS, PLAIN, QUOTED, TEXTS, TIMES, WAITS


class Expressions:
    def __init__(self, generator):
        self.random = generator
        self.scope = []  # (name, type) of the variables of comprehensions

    def next(self):
        """Returns an expression and an object."""
        self.scope = []
        kind = self.pick(["bool"] * 12 + sorted(LEAVES))
        return self.make(kind, self.pick([1, 2, 3, 4])).encode() + b"\0" + json.dumps(self.object()).encode()

    def pick(self, choices):
        return self.random.choice(choices)

    def object(self):
        """Returns a random object of the schema."""
        step = lambda: {key: value for key, value in (("name", self.pick(TEXTS)), ("port", self.pick(NUMBERS)))
                        if key == "name" or self.random.random() < 0.7}
        loops = lambda: step() | {"args": ints()[:3], "words": texts()}
        texts = lambda: [self.pick(TEXTS) for _ in range(self.pick([0, 1, 2, 3]))]
        ints = lambda: [self.pick(NUMBERS[:8]) for _ in range(self.pick([0, 1, 2, 4]))]
        named = lambda: list({one["name"]: one for one in (step(), step(), step())}.values())
        members = {
            "i": self.pick(NUMBERS), "j": self.pick(NUMBERS[:8]), "n": self.pick([0, 1.5, -2, 1e9]),
            "s": self.pick(TEXTS), "t": self.pick(TEXTS), "b": self.pick([True, False]), "nothing": None,
            "ints": ints(), "texts": texts(), "tags": sorted(set(texts())), "other_tags": sorted(set(texts()), reverse=True),
            "ports": named(), "steps": [loops() for _ in range(self.pick([0, 1, 2]))],
            "labels": {self.pick(TEXTS): self.pick(TEXTS) for _ in range(self.pick([0, 1, 3]))},
            "counts": {self.pick(TEXTS): self.pick(NUMBERS) for _ in range(self.pick([0, 1, 3]))},
            "inner": {"i": self.pick(NUMBERS), "s": self.pick(TEXTS), "ints": ints()},
            "target": self.pick([5, "5%", 0]), "when": self.pick(TIMES), "wait": self.pick(WAITS),
            "raw": self.pick(["", "aGk=", "AAEC"]), "a-b": self.pick(NUMBERS), "namespace": self.pick(TEXTS),
            "kept": {"i": 1, "more": self.pick([1, "x", None, [1]])},
        }
        return {name: value for name, value in members.items() if self.random.random() < 0.85}

    def make(self, kind, depth):
        """Returns an expression of a type."""
        known = [name for name, its in self.scope if its == kind]
        if known and self.random.random() < 0.4:
            return self.pick(known)
        if self.random.random() < 0.01:  # a wrong type
            kind = self.pick(["bool", "int", "string", "double"])
        if kind in LITERALS and self.random.random() < 0.01:
            return self.pick(LITERALS[kind])
        options = LEAVES[kind] if depth <= 0 or kind not in BRANCHES else LEAVES[kind] + BRANCHES[kind] * 3
        return self.fill(self.pick(options), depth - 1)

    def fill(self, template, depth):
        """Replaces each <hole> of a template by what it stands for."""
        text = ""
        while template:
            before, brace, rest = template.partition("<")
            text += before
            if not brace:
                return text
            hole, _, template = rest.partition(">")
            text += self.hole(hole, depth)
        return text

    def hole(self, hole, depth):
        if hole in QUOTED:
            return quoted(self.pick(QUOTED[hole]))
        if hole in PLAIN:
            return self.pick(PLAIN[hole])
        if hole.startswith("vars "):  # vars TYPE TYPE RESULT: "x, y, expression", for loops with two variables
            _, first, second, result = hole.split()
            names = f"v{len(self.scope)}", f"v{len(self.scope) + 1}"
            self.scope += [(names[0], first), (names[1], second)]
            inner = self.make(result, depth)
            del self.scope[-2:]
            return f"{names[0]}, {names[1]}, {inner}"
        if hole.startswith("var "):  # var TYPE RESULT: "x, expression" with a variable of the type
            _, kind, result = hole.split()
            name = f"v{len(self.scope)}"
            self.scope.append((name, kind))
            inner = self.make(result, depth)
            self.scope.pop()
            return f"{name}, {inner}"
        return self.make(hole, depth)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)
