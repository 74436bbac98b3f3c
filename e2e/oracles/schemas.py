# SPDX-License-Identifier: Apache-2.0
"""Makes random schemas of custom resources, and random objects of which most almost fit."""
import json

NAMES = ["a", "b", "c", "name", "kind", "status"]
TEXTS = ["", "a", "b", "ab", "abc", "abcd", "ä", "äöü", "1", "a b", "<a&b>", "a\"b", "a\n", "A-1", "x.y"]
PATTERNS = ["^a", "^[a-z]+$", "b", "^$", "^.{2}$", "[0-9]"]
NUMBERS = [0, 1, 2, 3, 5, 10, -1, -2, 97, 1.5, 2.5, 0.1, 1e3, -0.5, 1e21, 3.0, 9007199254740993, -9223372036854775808]
LIMITS = [0, 1, 2, 3, 10, -1]
FRACTIONS = [1.5, 2.5, 0.1]  # 1.35 and newer do not compare integers with them
# Each format with texts that almost have it.
FORMATS = {
    "bsonobjectid": ["507f1f77bcf86cd799439011", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901x"],
    "byte": ["", "aGk=", "aGkx", "aG=", "a", "aGk", "YQ==", "a-_="],
    "cidr": ["10.0.0.0/8", "10.0.0.0/33", "fe80::/10", "::/129", "010.0.0.1/08", "1.2.3.4", "1.2.3.4/", "::ffff:1.2.3.4/96"],
    "creditcard": ["4111 1111 1111 1111", "4111-1111-1111-1112", "378282246310005", "x"],
    "date": ["2026-01-02", "2026-02-29", "2024-02-29", "2026-1-2", "2026-01-02T", ""],
    "date-time": ["2026-01-02T03:04:05Z", "2026-01-02t03:04:05z", "2026-01-02T24:04:05Z", "2026-01-02T03:04:05.5+01:00", "2026-01-02",
                  "2026-01-02 03:04:05Z", "2026-01-02T03:04:60Z"],
    "datetime": ["2026-01-02T03:04:05Z", "x"],
    "duration": ["1h", "1 day", "2 weeks", "3 wks", "x", "", "1.5s", "1", "5 Minutes", "1ns 2ms"],
    "email": ["a@b", "a@b.example", "A <a@b>", "\"A B\" <a@b>", "a@b (c)", "a@", "@b", "a.@b", "a..b@c", "<a@b>", "a b", "a: b@c;", "a: ;",
              "a: b@c, d@e;", "\"\"@b", "\"a b\"@c", "a@[1.2.3.4]", "a@[x]", "ä@b", "a@b (c", "a@b, c@d", " a@b ", "=?x?q?a?= <a@b>",
              "=?utf-8?q?a?= <a@b>"],
    "hexcolor": ["#fff", "fff", "#ffffff", "#ffff", "#ggg"],
    "hostname": ["a", "a.example", "a-b.example", "a-b", "a-", "-a", "my-host", "a..b", "1.2.3.4", "ä.example", "a.b1", "a_b.c", "",
                 "a" * 63, "a" * 64, "a." * 40 + "ab", "😀.example", "a.example."],
    "ipv4": ["1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1", "::ffff:1.2.3.4", "::1", "1.2.3.4 ", "::ffff:01.2.3.4"],
    "ipv6": ["::1", "fe80::1", "fe80::1%eth0", "1.2.3.4", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "1::2::3", "12345::", ":"],
    "isbn": ["0321751043", "978-0321751041", "0321751044", "080442957X", "08044 2957-X"],
    "isbn10": ["0321751043", "978-0321751041", "X321751043"], "isbn13": ["978-0321751041", "9780321751042", "0321751043"],
    "k8s-long-name": ["a.b", "A", "a..b", "a" * 253, "a" * 254, "-a"], "k8s-short-name": ["a", "a-b", "a.b", "a" * 63, "a" * 64, "a-"],
    "mac": ["00:00:5e:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301", "00005e005301", "00:00:5e:00:53", "00:00-5e:00:53:01", "0000.5e00.530g",
            "02:00:5e:10:00:00:00:01", "00:00:5e:00:53:01:"],
    "password": ["", "x"], "rgbcolor": ["rgb(1,2,3)", "rgb( 255 , 0,0)", "rgb(256,0,0)", "rgb(1,2)", "rgb(01,2,3)"],
    "ssn": ["111-22-3333", "111223333", "111 22 3333", "11-222-3333"],
    "uri": ["http://a", "/a", "a", "http://", "http://a b", "http://[::1]", "http://[", "a:b", "//a", "%zz", "*", "http://a/%zz", ""],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567-e89b-12d3-a456-42661417400"],
    "uuid3": ["123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"],
    "uuid4": ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"],
    "uuid5": ["123e4567-e89b-52d3-b456-426614174000", "123e4567-e89b-42d3-b456-426614174000"],
    "unknown": ["x"], "int32": ["x"],
}


class Schemas:
    def __init__(self, generator):
        self.random = generator

    def next(self):
        """Returns a document with a schema, an object, and sometimes the object before an update."""
        schema = self.object_schema(self.pick([1, 2, 3]))
        document = {"schema": schema, "object": self.value(schema)}
        if not isinstance(document["object"], dict):
            document["object"] = {}
        if self.chance(0.3):
            document["old"] = self.value(schema) if self.chance(0.3) else self.changed(document["object"])
            if not isinstance(document["old"], dict):
                document["old"] = {}
        return json.dumps(document, ensure_ascii=False).encode()

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def some(self, members, probability):
        return {name: make() for name, make in members.items() if self.chance(probability)}

    def schema(self, depth):
        kind = self.pick(["string", "string", "integer", "number", "boolean", "format", "any", "int-or-string"] +
                         (["object", "object", "array", "map"] if depth > 0 else []))
        make = {"string": self.text_schema, "integer": self.number_schema, "number": self.fraction_schema,
                "format": self.format_schema}.get(kind)
        if kind == "object":
            schema = self.object_schema(depth)
        elif kind == "array":
            schema = self.list_schema(depth)
        elif kind == "map":
            schema = {"type": "object", "additionalProperties": self.pick([self.schema(depth - 1), True])}
        elif kind == "any":
            schema = {"x-kubernetes-preserve-unknown-fields": True}
        elif kind == "int-or-string":
            schema = {"x-kubernetes-int-or-string": True}
            if self.chance(0.5):
                schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
        else:
            schema = make() if make else {}
            schema["type"] = "string" if kind == "format" else kind
        if self.chance(0.15):
            schema["nullable"] = True
        if self.chance(0.1):
            schema["enum"] = [self.pick([self.pick(TEXTS), self.pick(NUMBERS), None, True, {"a": 1}, ["a"]])
                              for _ in range(self.pick([1, 2, 3]))]
        if self.chance(0.25):
            schema.update(self.junctors(schema, depth))
        return schema

    def text_schema(self):
        return self.some({"minLength": lambda: self.pick([0, 1, 2, 3]), "maxLength": lambda: self.pick([0, 1, 2, 3]),
                          "pattern": lambda: self.pick(PATTERNS)}, 0.3)

    def number_schema(self):
        return self.some({"minimum": lambda: self.pick(LIMITS), "maximum": lambda: self.pick(LIMITS),
                          "exclusiveMinimum": lambda: True, "exclusiveMaximum": lambda: self.chance(0.5),
                          "multipleOf": lambda: self.pick([1, 2, 3])}, 0.3)

    def fraction_schema(self):
        fractions = self.some({"minimum": lambda: self.pick(FRACTIONS), "maximum": lambda: self.pick(FRACTIONS),
                               "multipleOf": lambda: self.pick([0.5, 0.1, 1.5])}, 0.2)
        return {**self.number_schema(), **fractions}

    def format_schema(self):
        return {"format": self.pick(sorted(FORMATS)), **(self.text_schema() if self.chance(0.2) else {})}

    def list_schema(self, depth):
        schema = {"type": "array", "items": self.schema(depth - 1)}
        schema.update(self.some({"minItems": lambda: self.pick([0, 1, 2]), "maxItems": lambda: self.pick([0, 1, 2]),
                                 "uniqueItems": lambda: True}, 0.2))
        if self.chance(0.2):
            schema["x-kubernetes-list-type"] = self.pick(["set", "atomic"])
        elif self.chance(0.3):
            schema["items"] = self.object_schema(depth)
            schema["x-kubernetes-list-type"] = "map"
            schema["x-kubernetes-list-map-keys"] = self.pick([["a"], ["name"], ["a", "b"]])
        return schema

    def object_schema(self, depth):
        schema = {"type": "object", "properties": {self.pick(NAMES): self.schema(depth - 1) for _ in range(self.pick([1, 2, 3, 4]))}}
        schema.update(self.some({"required": lambda: [self.pick(NAMES) for _ in range(self.pick([1, 2]))],
                                 "minProperties": lambda: self.pick([0, 1, 2, 3]), "maxProperties": lambda: self.pick([1, 2, 3])}, 0.15))
        if self.chance(0.2):
            schema.update(self.junctors(schema, depth))
        return schema

    def junctors(self, schema, depth):
        """Returns alternatives that say more about the values of a schema."""
        lists = {name: lambda: [self.nested(schema, depth) for _ in range(self.pick([1, 2, 3]))] for name in ("allOf", "anyOf", "oneOf")}
        return {**self.some(lists, 0.4), **self.some({"not": lambda: self.nested(schema, depth)}, 0.2)}

    def nested(self, schema, depth):
        part = self.pick([self.text_schema, self.number_schema, self.format_schema, dict])()
        if schema.get("properties") and self.chance(0.8):
            names = sorted(schema["properties"])
            part["properties"] = {name: self.nested(schema["properties"][name], depth - 1) for name in names if self.chance(0.5)}
            if self.chance(0.5):
                part["required"] = [self.pick(names)]
        if "items" in schema and self.chance(0.7):
            part["items"] = self.nested(schema["items"], depth - 1)
        if self.chance(0.2):
            part["type"] = self.pick(["string", "integer", "object", "number"])
        if self.chance(0.15):
            part["enum"] = [self.pick(TEXTS), self.pick(NUMBERS)]
        if depth > 0 and self.chance(0.2):
            part.update(self.junctors(schema, depth - 1))
        return part

    def value(self, schema):
        """Returns a value that almost fits."""
        if self.chance(0.07):
            return self.pick([None, "a", 1, 1.0, 1.5, True, {}, [], {"a": 1}, ["a", 1]])
        if schema.get("enum") and self.chance(0.7):
            return self.pick(schema["enum"])
        kind = schema.get("type") or self.pick(["string", "integer"])
        if kind == "object":
            members = {name: self.value(part) for name, part in schema.get("properties", {}).items() if self.chance(0.75)}
            additional = schema.get("additionalProperties")
            if isinstance(additional, dict):
                members.update({self.pick(NAMES): self.value(additional) for _ in range(self.pick([0, 1, 2]))})
            if self.chance(0.1):
                members["odd"] = self.pick([1, "x", {}])
            return members
        if kind == "array":
            return [self.value(schema["items"]) for _ in range(self.pick([0, 1, 2, 3]))]
        if kind == "string":
            return self.pick(FORMATS.get(schema.get("format"), TEXTS) if self.chance(0.9) else TEXTS)
        if kind == "boolean":
            return self.chance(0.5)
        return self.pick(NUMBERS if kind == "number" or self.chance(0.1) else [n for n in NUMBERS if isinstance(n, int)])

    def changed(self, value):
        """Returns the value with a small change, or without one."""
        if isinstance(value, dict) and value:
            name = self.pick(sorted(value))
            return {key: self.changed(member) if key == name else member for key, member in value.items()
                    if key != name or self.chance(0.8)}
        if isinstance(value, list) and value:
            at = self.random.randrange(len(value))
            return [self.changed(item) if i == at else item for i, item in enumerate(value) if i != at or self.chance(0.8)]
        return self.pick([value, "a", 1])
