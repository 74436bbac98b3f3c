# SPDX-License-Identifier: Apache-2.0
"""What an API server does with an object of a custom resource: it removes unknown fields and adds defaults."""
import copy

ANY = "x-kubernetes-preserve-unknown-fields"


def stored(schema, value):
    """Returns the value as a structural schema lets an API server store it. Null values are left out."""
    if isinstance(value, list):
        items = schema.get("items")
        return [stored(items, each) if items else each for each in value]
    if not isinstance(value, dict) or schema.get("x-kubernetes-embedded-resource"):
        return value
    properties, more = schema.get("properties", {}), schema.get("additionalProperties")
    result = {}
    for name, each in value.items():
        if each is None:
            continue
        if name in properties:
            result[name] = stored(properties[name], each)
        elif isinstance(more, dict) and more:
            result[name] = stored(more, each)
        elif more is not None or schema.get(ANY) or not properties:
            result[name] = each
    for name, each in properties.items():
        if name not in result and "default" in each:
            result[name] = stored(each, copy.deepcopy(each["default"]))
    return result


def stored_object(schema, value):
    """The same for a whole object, whose metadata no schema limits."""
    whole = stored({**schema, ANY: False}, value)
    for name in ("apiVersion", "kind", "metadata"):
        if name in value:
            whole[name] = without_nulls(value[name])
    return whole


def lacks_required(schema, value):
    """Returns whether an API server refuses the value, because a required field is missing. It has its defaults."""
    if isinstance(value, list):
        return any(lacks_required(schema.get("items") or {}, each) for each in value)
    if not isinstance(value, dict):
        return False
    properties, more = schema.get("properties", {}), schema.get("additionalProperties")
    inner = {name: properties.get(name, more if isinstance(more, dict) else {}) for name in value}
    return any(name not in value for name in schema.get("required", ())) or \
        any(lacks_required(inner[name], each) for name, each in value.items())


def without_nulls(value):
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value
