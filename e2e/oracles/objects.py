# SPDX-License-Identifier: Apache-2.0
"""Makes random objects from known ones, by the OpenAPI schemas of a server."""
import copy
import random
import re

# Values that readers of some field accept or reject.
TEXTS = ["", "a", "A", "a-b", "a.b", "a/b", "x y", "-a", "a_b", "1", "10", "1Gi", "100m", "-1", "0.5", "http",
         "TCP", "Always", "None", "Never", "default", "10.0.0.7", "fd00::1", "10.0.0.0/8", "/tmp", "../x",
         "2020-01-01T00:00:00Z", "kubernetes.io/a", "example.com/a", "*", "*.a.com", "a" * 64, "a" * 254, "é",
         "Delete", "RollingUpdate", "ClusterIP", "ReadWriteOnce", "50%", "Exists", "In", "true", "5s"]
WRONG = [None, [], {}, "x", 5, True, 1.5, [{}], {"a": "b"}, -1]
NUMBERS = [0, 1, 2, -1, 80, 65535, 65536, 1000000, 2**31 - 1]
KEYS = ["a", "b", "A b", "app.kubernetes.io/name", "cpu", "memory", "pods", "x/y/z", "storage", "requests.cpu"]


class Schemas:
    """The schemas of a document of OpenAPI version 3."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.kinds = {(kind["group"], kind["version"], kind["kind"]): schema for schema in self.schemas.values()
                      for kind in schema.get("x-kubernetes-group-version-kind", [])}

    def whole(self, schema):
        """Returns the schema that a reference leads to."""
        while True:
            if "$ref" in schema:
                schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
            elif len(schema.get("allOf", [])) == 1:
                schema = schema["allOf"][0]
            else:
                return schema


class Objects:
    """Changes known objects. The same seed and the same calls yield the same objects."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, schemas, schema, depth=0):
        """Returns a value of the schema, and sometimes one of another type."""
        described = schema.get("description", "")
        schema = schemas.whole(schema)
        kind = schema.get("type")
        if self.random.random() < 0.04:
            return copy.deepcopy(self.random.choice(WRONG))
        if "enum" in schema and self.random.random() < 0.8:
            return self.random.choice(schema["enum"])
        if schema.get("format") == "int-or-string" or "oneOf" in schema:
            return self.random.choice([0, 1, "50%", "http", "", 80, 70000, "1", -1])
        if kind == "string":
            return self.text(schema, described or schema.get("description", ""))
        if kind == "integer":
            return self.random.choice(NUMBERS)
        if kind == "number":
            return self.random.choice([0, 1.5, -1])
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "array":
            items = [self.value(schemas, schema["items"], depth + 1)
                     for _ in range(self.random.choice([0, 1, 1, 1, 2, 2]))]
            if len(items) == 2 and self.random.random() < 0.4:
                items[1] = copy.deepcopy(items[0])
            return items
        if "properties" in schema:
            return self.members(schemas, schema, depth)
        if "additionalProperties" in schema:
            keys = self.random.sample(KEYS, self.random.choice([0, 1, 1, 2]))
            return {key: self.value(schemas, schema["additionalProperties"], depth + 1) for key in keys}
        return self.random.choice([{}, "a", {"a": 1}])

    def text(self, schema, description):
        if schema.get("format") == "date-time":
            return self.random.choice(["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000000Z", "x"])
        if schema.get("format") == "byte":
            return self.random.choice(["YQ==", "$", ""])
        words = re.findall(r"[`\"]+([A-Za-z0-9/.\-]+)[`\"]+", description)  # the values of many fields
        return self.random.choice(words if words and self.random.random() < 0.7 else TEXTS)

    def members(self, schemas, schema, depth):
        properties, required = schema["properties"], set(schema.get("required", []))
        names = [name for name in properties if name in required and self.random.random() < 0.95]
        others = [name for name in properties if name not in required]
        count = self.random.choice([0, 1, 1, 2, 3] if depth < 4 else [0, 1])
        names += self.random.sample(others, min(len(others), count))
        return {name: self.value(schemas, properties[name], depth + 1) for name in sorted(names)}

    def change(self, schemas, schema, node, top=True):
        """Changes one place below an object."""
        schema = schemas.whole(schema)
        properties = schema.get("properties")
        if properties is None and "additionalProperties" in schema:
            properties = {key: schema["additionalProperties"] for key in list(node) + ["a"]}
        names = sorted(set(properties or ()) - ({"apiVersion", "kind", "status"} if top else set()))
        if top and self.random.random() > 0.15:
            names = [name for name in names if name != "metadata"]
        if not names:
            return
        deeper = [name for name in names if isinstance(node.get(name), (dict, list)) and node[name]]
        if deeper and self.random.random() < 0.85:
            name = self.random.choice(deeper)
            self.change_value(schemas, properties[name], node[name])
            return
        name = self.random.choice(names)
        if name in node and self.random.random() < 0.25:
            del node[name]
        else:
            node[name] = self.value(schemas, properties[name])

    def change_value(self, schemas, schema, value):
        """Changes one place in a list or an object that is not empty."""
        schema = schemas.whole(schema)
        if isinstance(value, dict):
            self.change(schemas, schema, value, top=False)
            return
        items = schema.get("items", {})
        at = self.random.randrange(len(value))
        if self.random.random() < 0.1:
            value.append(copy.deepcopy(value[at]) if self.random.random() < 0.5 else self.value(schemas, items))
        elif isinstance(value[at], (dict, list)) and value[at]:
            self.change_value(schemas, items, value[at])
        else:
            value[at] = self.value(schemas, items)
