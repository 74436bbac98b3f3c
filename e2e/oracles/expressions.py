# SPDX-License-Identifier: Apache-2.0
"""Makes random expressions of CEL over the schema peer/cel_schema.json, and random objects of it.

Most expressions have right types, so that they are evaluated and not refused.
"""
import json

TEXTS = ["", "a", "b", "ab", "abc", "a,b", "ä", "A b", "1", "-5", "1.5", "true", "x=y", " a ", "a.b"]
NUMBERS = [0, 1, -1, 2, 3, 5, 7, 100, 9223372036854775807, -9223372036854775808, 4294967296]
DOUBLES = ["0.0", "1.0", "-1.5", "2.5", "1e10", "1e-7", "9223372036854775808.0", "100000.0"]
TIMES = ["2026-01-02T03:04:05Z", "2024-02-29T23:59:59.5Z", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"]
WAITS = ["1h", "90s", "-5m", "1.5s", "0s", "1ns"]
PATTERNS = ["a", "^a", "b$", "[a-c]+", "a|b", "x*", "."]


class Expressions:
    def __init__(self, generator):
        self.random = generator
        self.scope = []  # (name, type) of the variables of comprehensions

    def next(self):
        """Returns an expression and an object."""
        self.scope = []
        kind = self.pick(["bool"] * 6 + ["int", "string", "double", "ints", "strings", "duration", "uint", "map"])
        return self.make(kind, self.pick([1, 2, 3, 4])).encode() + b"\0" + json.dumps(self.object()).encode()

    def pick(self, choices):
        return self.random.choice(choices)

    def object(self):
        """Returns a random object of the schema."""
        step = lambda: {key: value for key, value in (("name", self.pick(TEXTS)), ("port", self.pick(NUMBERS)))
                        if key == "name" or self.random.random() < 0.7}
        texts = lambda: [self.pick(TEXTS) for _ in range(self.pick([0, 1, 2, 3]))]
        ints = lambda: [self.pick(NUMBERS[:8]) for _ in range(self.pick([0, 1, 2, 4]))]
        named = lambda: list({one["name"]: one for one in (step(), step(), step())}.values())
        members = {
            "i": self.pick(NUMBERS), "j": self.pick(NUMBERS[:8]), "n": self.pick([0, 1.5, -2, 1e9]),
            "s": self.pick(TEXTS), "t": self.pick(TEXTS), "b": self.pick([True, False]), "nothing": None,
            "ints": ints(), "texts": texts(), "tags": sorted(set(texts())), "other_tags": sorted(set(texts()), reverse=True),
            "ports": named(), "steps": [step() for _ in range(self.pick([0, 1, 2]))],
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
        options = LEAVES[kind] if depth <= 0 else LEAVES[kind] + BRANCHES[kind] * 3
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
        if hole == "T":
            return quoted(self.pick(TEXTS))
        if hole == "P":
            return quoted(self.pick(PATTERNS))
        if hole == "I":
            return str(self.pick(NUMBERS))
        if hole == "D":
            return self.pick(DOUBLES)
        if hole == "W":
            return quoted(self.pick(WAITS))
        if hole == "Z":
            return quoted(self.pick(TIMES))
        if hole == "C":
            return self.pick(["<", "<=", ">", ">=", "==", "!="])
        if hole == "A":
            return self.pick(["+", "-", "*", "/", "%"])
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


LEAVES = {
    "bool": ["true", "false", "self.b", "has(self.i)", "has(self.inner.s)", "has(self.nothing)", "has(self.labels.a)"],
    "int": ["<I>", "<I>", "self.i", "self.j", "self.a__dash__b", "self.inner.i", "self.?i.orValue(<I>)",
            "self.kept.i", "self.counts.a"],
    "uint": ["<I>u", "uint(self.i)", "1u", "0u"],
    "string": ["<T>", "<T>", "self.s", "self.t", "self.inner.s", "self.__namespace__", "self.namespace",
               "self.labels.a", "self.?t.orValue(<T>)"],
    "double": ["<D>", "self.n", "double(self.j)"],
    "ints": ["self.ints", "self.inner.ints", "[<I>, <I>]", "[]"],
    "strings": ["self.texts", "self.tags", "self.other_tags", "[<T>, <T>]", "[<T>]"],
    "duration": ["duration(<W>)", "self.wait"],
    "timestamp": ["timestamp(<Z>)", "self.when"],
    "map": ["self.labels", "{<T>: <T>}", "{}"],
    "steps": ["self.ports", "self.steps"],
    "bytes": ["self.raw", "b'ab'", "bytes(self.s)"],
    "dyn": ["self.target", "dyn(1)", "dyn('a')"],
}
BRANCHES = {
    "bool": ["(<bool> && <bool>)", "(<bool> || <bool>)", "!<bool>", "(<int> <C> <int>)", "(<string> <C> <string>)",
             "(<double> <C> <double>)", "(<int> <C> <double>)", "(<uint> <C> <int>)", "(<ints> == <ints>)",
             "(<strings> == <strings>)", "(<map> == <map>)", "(<int> in <ints>)", "(<string> in <strings>)",
             "(<string> in <map>)", "<ints>.all(<var int bool>)", "<strings>.exists(<var string bool>)",
             "<ints>.exists_one(<var int bool>)", "<map>.all(<var string bool>)", "<string>.contains(<string>)",
             "<string>.startsWith(<string>)", "<string>.endsWith(<string>)", "<string>.matches(<P>)",
             "(<bool> ? <bool> : <bool>)", "(<duration> <C> <duration>)", "(<timestamp> <C> <timestamp>)",
             "<ints>.isSorted()", "sets.contains(<ints>, <ints>)", "sets.intersects(<strings>, <strings>)",
             "(type(<dyn>) == int)", "(<dyn> == <int>)", "(<dyn> <C> <int>)", "(<bytes> == <bytes>)",
             "(self.ports == self.ports)", "(self.kept == self.kept)", "isQuantity(<string>)", "isIP(<string>)",
             "isURL(<string>)", "isSemver(<string>)", "self.?inner.i.hasValue()", "self.labels[?<string>].hasValue()"],
    "int": ["(<int> <A> <int>)", "-(<int>)", "size(<string>)", "<string>.size()", "size(<ints>)", "<map>.size()",
            "<ints>[<int>]", "<string>.indexOf(<string>)", "<string>.lastIndexOf(<string>)", "int(<string>)",
            "int(<double>)", "(<bool> ? <int> : <int>)", "<ints>.sum()", "<ints>.max()", "<ints>.min()",
            "<ints>.indexOf(<int>)", "self.counts[<string>]", "<timestamp>.getFullYear()", "<timestamp>.getDayOfYear()",
            "<timestamp>.getHours('+05:30')", "<duration>.getSeconds()", "<ints>[?<int>].orValue(<int>)",
            "self.ports[<int>].port", "int(<timestamp>)", "int(<uint>)", "size(<bytes>)",
            "<ints>.first().orValue(<int>)", "optional.of(<int>).optMap(<var int int>).value()"],
    "uint": ["(<uint> <A> <uint>)", "uint(<int>)", "uint(<double>)", "uint(<string>)"],
    "string": ["(<string> + <string>)", "<string>.substring(<int>)", "<string>.charAt(<int>)", "<string>.lowerAscii()",
               "<string>.upperAscii()", "<string>.replace(<string>, <string>)", "<string>.trim()", "string(<int>)",
               "string(<double>)", "string(<bool>)", "<strings>.join(<string>)", "<strings>[<int>]",
               "(<bool> ? <string> : <string>)", "self.labels[<string>]", "<string>.find(<P>)", "string(<duration>)",
               "string(<timestamp>)", "'%s-%d'.format([<string>, dyn(<int>)])", "'%s'.format([<ints>])",
               "strings.quote(<string>)", "string(<bytes>)", "<strings>.max()", "<string>.substring(<int>, <int>)",
               "'%x %b'.format([<int>, dyn(<bool>)])", "'%s'.format([<double>])", "'%.2f'.format([<double>])"],
    "double": ["(<double> + <double>)", "(<double> * <double>)", "(<double> / <double>)", "double(<int>)",
               "double(<string>)", "(<bool> ? <double> : <double>)", "-(<double>)"],
    "ints": ["<ints>.map(<var int int>)", "<ints>.filter(<var int bool>)", "(<ints> + <ints>)", "<strings>.map(<var string int>)",
             "<steps>.map(p, p.port)", "[<int>, <int>]", "[?<ints>[?<int>]]", "<ints>.transformList(k, <var int int>)"],
    "strings": ["<string>.split(<string>)", "<strings>.filter(<var string bool>)", "(<strings> + <strings>)",
                "<map>.map(<var string string>)", "<steps>.map(p, p.name)", "<string>.findAll(<P>)", "[<string>]",
                "<ints>.map(<var int string>)", "<string>.split(<string>, <int>)"],
    "duration": ["(<duration> + <duration>)", "(<timestamp> - <timestamp>)", "duration(<string>)"],
    "timestamp": ["(<timestamp> + <duration>)", "(<timestamp> - <duration>)", "timestamp(<int>)"],
    "map": ["{<string>: <string>}", "{<string>: <string>, <string>: <string>}", "<map>.transformMap(k, <var string string>)",
            "{?<T>: self.?s}"],
    "steps": ["(<steps> + <steps>)", "<steps>.filter(p, has(p.port))"],
    "bytes": ["(<bytes> + <bytes>)", "bytes(<string>)"],
    "dyn": ["dyn(<int>)", "dyn(<string>)", "dyn(<ints>)", "dyn(<double>)"],
}
