#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/api_types.py: write clientgo/runtime/protobuf/api_types.inc from Kubernetes' Go types.

The file is the table of the fields of built-in kinds, for protobuf and for the embedded API server: one line
for each message that a kind of MODULES reaches. The Go modules come from the Go module proxy (k8s.io/api and
others in VERSION); a Go that knows toolchains is needed. Run it after a change of VERSION.

The lines are in packages, such as core.v1, each with its group. A line begins with the message's name; ":" follows
where it is a kind with the fields kind, apiVersion and metadata, which are left out, ";" for another kind;
"@atomic" where server-side apply replaces it as a whole. ">v1" means the fields of this message in the version
v1. Otherwise the fields follow: NAME=NUMBER, the marks * (a pointer), []
and map[] (of these), ":" and the type unless it is string, and more marks: ? (omitted when zero), ! (required),
@ (how server-side apply merges it, where that is not the default of its type), % (its default as a list key), ~
(its patch strategy). A type ".Name" is in the same package. The
marks @ and % are compared with client-go's schema (applyconfigurations/internal).
"""
import argparse
import dataclasses
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTPUT = os.path.join(ROOT, "clientgo/runtime/protobuf/api_types.inc")
VERSION = "v0.37.2"
MODULES = ("k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator")
META = "k8s.io/apimachinery/pkg/apis/meta/v1"
# Kinds of META: what every group may answer or read.
META_KINDS = ["DeleteOptions", "PartialObjectMetadata", "Status"]
# A kind that this version of Kubernetes and newer ones do not serve is left out, as are alpha versions.
OLDEST = (1, 30)
# Types whose JSON is not that of their fields.
SCALARS = {
    "string": "string", "bool": "bool", "int32": "int32", "int64": "int64", "float64": "double",
    "[]byte": "bytes", META + ".Time": "Time", META + ".MicroTime": "MicroTime",
    META + ".Duration": "Duration", META + ".FieldsV1": "JSON@object",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "RawExtension",
    "k8s.io/apimachinery/pkg/api/resource.Quantity": "Quantity",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "IntOrString",
    "k8s.io/apimachinery/pkg/types.UID": "string",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "JSON",
}
# JSON Schema's unions: the Go type has a field for each alternative.
UNIONS = {"JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"}

# client-go's schema of the built-in kinds for server-side apply.
CLIENT_GO = "k8s.io/client-go"
REFERENCE = "applyconfigurations/internal/internal.go"
SCHEMA_SCALARS = {"string": "string", "bytes": "string", "Duration": "string", "int32": "numeric", "int64": "numeric",
                  "double": "numeric", "bool": "boolean"}
SCHEMA_NAMES = {
    "Time": "io.k8s.apimachinery.pkg.apis.meta.v1.Time", "MicroTime": "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
    "Quantity": "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "IntOrString": "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    "JSON@object": "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", "RawExtension": "__untyped_atomic_",
}

RELATIONSHIPS = {"atomic": "atomic", "granular": "separable"}
# The members of an object without declared ones.
UNTYPED = """\
      scalar: untyped
      list:
        elementType:
          namedType: __untyped_atomic_
        elementRelationship: atomic
      map:
        elementType:
          namedType: __untyped_deduced_
        elementRelationship: separable""".split("\n")

REMOVED = re.compile(r"func \(in \*(\w+)\) APILifecycleRemoved\(\) \(major, minor int\) \{\n\treturn (\d+), (\d+)")
FIELD = re.compile(r"^\t(?:(\w+)\s+)?([\w.*\[\]]+)\s+`(.*)`")


def markers(comments):
    """Returns {name: values} of the markers in a comment: "// +listMapKey=port"."""
    found = {}
    for line in comments:
        if match := re.match(r"\s*// ?\+(\w+)=(.*)", line):
            found.setdefault(match[1], []).append(match[2].strip())
    return found


class Package:
    """The declared types of one Go package."""

    def __init__(self, path, folder):
        self.path = path
        self.structs = {}
        self.others = {}
        self.imports = {}
        self.atomic = set()  # structs that server-side apply replaces as a whole
        self.group = ""
        self.removed = {}  # {kind: the first version of Kubernetes that does not serve it}
        self.comments = {}   # {type: its lines}
        self.constants = {}  # {type: [(name, value, comment lines)]}
        for name in sorted(os.listdir(folder)):
            if name.endswith("_test.go") or not name.endswith(".go"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            if name == "zz_generated.prerelease-lifecycle.go":
                self.removed = {kind: (int(major), int(minor)) for kind, major, minor in REMOVED.findall(text)}
            elif not name.startswith("zz_"):
                self.read(text)

    def kinds(self):
        """Returns the names of the structs that are whole objects."""
        return [name for name, lines in self.structs.items()
                if self.removed.get(name, OLDEST + (0,)) > OLDEST and any(re.match(r"\tmetav1\.TypeMeta\s", line) for line in lines)
                and any(re.match(r"\tmetav1\.ObjectMeta\s", line) for line in lines)]

    def read(self, text):
        if match := re.search(r'^const GroupName = "(.*)"$', text, re.M):
            self.group = match[1]
        for alias, path in re.findall(r'^\t?(?:import )?(\w+)? ?"([\w./-]+)"$', text, re.M):
            self.imports[alias or path.rsplit("/", 1)[-1]] = path
        for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", text, re.M | re.S):
            self.structs[name] = body.split("\n")
        # Markers may be in a comment of their own before that of the type.
        for comment, name in re.findall(r"((?:^//[^\n]*\n|^\n(?=//))+)type (\w+)", text, re.M):
            self.comments[name] = comment.strip().split("\n")
            if markers(self.comments[name]).get("structType") == ["atomic"]:
                self.atomic.add(name)
        self.read_constants(text)
        for name in re.findall(r"^type (\w+) struct ?\{\}$", text, re.M):
            self.structs[name] = []
        for name, other in re.findall(r"^type (\w+) (?:= )?([\w.*\[\]]+)$", text, re.M):
            self.others[name] = other


    def read_constants(self, text):
        comments = []
        for line in text.split("\n"):
            match = re.match(r'^(?:\t|const )(\w+)\s+(\w+)\s+= ("[^"]*")', line)
            if match:
                self.constants.setdefault(match[2], []).append((match[1], match[3], comments))
            comments = comments + [line.strip()] if line.strip().startswith("//") else []


@dataclasses.dataclass
class Field:
    """A field as server-side apply sees it."""
    name: str
    type: str
    merge: str = ""  # "map", "set", "atomic", "granular"
    keys: list = dataclasses.field(default_factory=list)
    default: str = ""


def openapi_name(package, name):
    return ".".join(["io", "k8s", *package.path.split("/")[1:], name])


class Types:
    """Finds types in packages, and writes the line of each message that is reached."""

    def __init__(self, folders):
        self.folders = folders
        self.packages = {}
        self.lines = {}
        self.atomic = set()
        self.paths = {}   # {message: its name in OpenAPI}
        self.aliases = {}  # {name in OpenAPI of a type that another version declares: that version's}
        self.fields = {}  # {message: [Field]}; a list of an inlined message is that of its owner
        self.keys = {}    # {message: names of the fields that are keys of a list}
        self.groups = {}  # {message: its group}; only of kinds

    def add_kinds(self):
        """Adds the kinds of all packages with protobuf messages, and what they reach."""
        for module in MODULES:
            for path, _, files in sorted(os.walk(self.folders[module])):
                name = module + path[len(self.folders[module]):]
                if "generated.proto" not in files or "/testapigroup/" in name or "/imagepolicy/" in name or "alpha" in name:
                    continue
                package = self.package(name)
                for kind in META_KINDS if name == META else package.kinds():
                    self.groups[self.message(package, kind)] = package.group

    def package(self, path):
        if path not in self.packages:
            module = next(m for m in MODULES if path.startswith(m + "/"))
            self.packages[path] = Package(path, self.folders[module] + path[len(module):])
        return self.packages[path]

    def resolve(self, package, name):
        """Returns the type as this table writes it: "*core.v1.PodSpec", "[]string", "map[]bytes"."""
        for prefix in ("*", "[]", "map[]"):
            pattern = r"map\[[\w.]+\](.*)" if prefix == "map[]" else re.escape(prefix) + "(.*)"
            match = re.fullmatch(pattern, name)
            if match and name != "[]byte":
                return prefix + self.resolve(package, match[1])
        if name in SCALARS:
            return SCALARS[name]
        if "." in name:
            alias, name = name.split(".")
            path = package.imports[alias]
            if f"{path}.{name}" in SCALARS:
                return SCALARS[f"{path}.{name}"]
            package = self.package(path)
        if f"{package.path}.{name}" in SCALARS:
            return SCALARS[f"{package.path}.{name}"]
        if name in package.others and package.others[name] == "[]string":  # a message with the elements
            return "Strings"
        if name in package.others:
            resolved = self.resolve(package, package.others[name])
            self.aliases[openapi_name(package, name)] = self.paths.get(resolved)
            return resolved
        return self.message(package, name)

    def message(self, package, name):
        label = ".".join(package.path.split("/")[-2:] + [name])
        if label in self.lines:
            return label
        self.lines[label] = ""
        self.fields[label] = []
        self.paths[label] = openapi_name(package, name)
        if name in package.atomic:
            self.atomic.add(label)
        fields = []
        comments = []
        for line in package.structs[name]:
            match = FIELD.match(line)
            if not match:
                comments = comments + [line.strip()] if line.strip() else []
                continue
            tags = dict(re.findall(r'(\w+):"([^"]*)"', match[3]))
            if match[2].endswith("TypeMeta"):  # it is not in the protobuf message
                fields.append("kind=0:string? apiVersion=0:string?")
                self.fields[label] += [Field("kind", "string"), Field("apiVersion", "string")]
            if "protobuf" in tags:
                fields.append(self.field(package, label, match[2], tags, comments))
            comments = []
        self.lines[label] = " ".join([label, *fields])
        return label

    def written(self):
        """Returns the lines of the table."""
        lines = []
        keys = {id(field) for label, names in self.keys.items() for field in self.members(label) if field.name in names}
        for label, line in sorted(self.lines.items()):
            for field in self.fields[label]:
                if id(field) in keys and field.default:
                    start = line.index(f" {field.name}=")
                    end = (line + " ").index(" ", start + 1)
                    marks = line[start:end].split("~")
                    line = line[:start] + "~".join([marks[0] + "%" + field.default.strip('"'), *marks[1:]]) + line[end:]
            package = label.rpartition(".")[0] + "."  # a type of the same package is written as ".Name"
            line = label + line.removeprefix(label).replace(package, ".")
            marks = ":" + self.groups[label] if label in self.groups else ""
            lines.append(line.replace(label, label + marks + ("@atomic" if label in self.atomic else ""), 1))
        return compact(lines)

    def field(self, package, label, go_type, tags, comments):
        options = tags["protobuf"].split(",")
        proto_name = next((o[5:] for o in options if o.startswith("name=")), "")
        json_name, *flags = tags.get("json", proto_name).split(",")
        resolved = self.resolve(package, go_type)
        if label.rsplit(".", 1)[-1] in UNIONS:
            json_name = proto_name
        if not json_name:  # an embedded struct, whose fields are members of the owner
            json_name = "+"
        omitted = "omitempty" in flags
        # Go's encoder omits no struct because of omitempty.
        structure = re.fullmatch(r"[\w-]+\.\w+\.\w+|Time|MicroTime|Duration|Quantity|IntOrString|JSON(@object)?|RawExtension", resolved)
        marks = ""
        if omitted and not structure or "omitzero" in flags:
            marks += "?"
        if not omitted and "// +optional" not in comments and json_name != "+":
            marks += "!"
        strategy, key = tags.get("patchStrategy", ""), tags.get("patchMergeKey", "")
        merge = self.merge_of(resolved, markers(comments), strategy, key)
        default = "" if omitted else {"string": '""', "int32": "0", "int64": "0"}.get(resolved, "")
        for value in markers(comments).get("default", []):
            default = value if value == '""' else value.strip('"')
        self.fields[label].append(Field(json_name, resolved, *merge, default))
        inherited = ("set" if not key else f"map/{key}") if resolved.startswith("[]") and "merge" in strategy else ""
        mark = "/".join(filter(None, [merge[0], ",".join(merge[1])]))
        if mark not in ("", inherited):
            marks += "@" + mark
        if strategy:
            marks += f"~{strategy}" + (f"/{key}" if key else "")
        return f"{json_name}={options[1]}:{resolved.replace('RawExtension', 'JSON@object')}{marks}"

    def merge_of(self, resolved, found, strategy, key):
        """Returns how apply merges a field, and the keys of a list: ("map", ["name"]); "": as its type says."""
        if not resolved.startswith("[]"):
            kinds = found.get("structType", []) + found.get("mapType", [])
            return kinds[0] if kinds else "", []
        kind, keys = found.get("listType", [""])[0], found.get("listMapKey", [])
        if not kind and "merge" in strategy:
            kind, keys = ("map", [key]) if key else ("set", [])
        if kind == "map":
            self.keys.setdefault(resolved.removeprefix("[]").removeprefix("*"), set()).update(keys)
        return ("" if kind == "atomic" and not strategy else kind), keys if kind == "map" else []

    def schema(self, label, path):
        """Returns a message as client-go's schema has it."""
        lines = [f"- name: {path}", "  map:", "    fields:"]
        for field in sorted(self.members(label), key=lambda field: field.name):
            lines += [f"    - name: {field.name}", "      type:", *self.schema_type(field, field.type, "        ")]
            if field.name in self.keys.get(label, ()) and field.default:
                lines.append(f"      default: {field.default}")
        if len(lines) == 3:
            lines[2:] = ["    elementType:", *UNTYPED]
        return lines + (["    elementRelationship: atomic"] if label in self.atomic else [])

    def members(self, label):
        for field in self.fields[label]:
            yield from self.members(field.type) if field.name == "+" else [field]

    def schema_type(self, field, resolved, indent):
        resolved = resolved.removeprefix("*")
        if resolved.startswith("[]"):
            relationship = "associative" if field.merge in ("set", "map") else "atomic"
            lines = ["list:", "  elementType:", *self.schema_type(None, resolved[2:], "    "),
                     f"  elementRelationship: {relationship}"]
            if field.keys:
                lines += ["  keys:", *(f"  - {key}" for key in field.keys)]
        elif resolved.startswith("map[]"):
            lines = ["map:", "  elementType:", *self.schema_type(None, resolved[5:], "    ")]
            if field.merge:
                lines.append(f"  elementRelationship: {RELATIONSHIPS[field.merge]}")
        elif resolved == "Strings":
            lines = ["list:", "  elementType:", "    scalar: string", "  elementRelationship: atomic"]
        elif resolved in SCHEMA_SCALARS:
            lines = [f"scalar: {SCHEMA_SCALARS[resolved]}"]
        else:
            lines = [f"namedType: {SCHEMA_NAMES.get(resolved) or self.paths[resolved]}"]
            if field and field.merge:
                lines.append(f"elementRelationship: {RELATIONSHIPS[field.merge]}")
        return [indent + line for line in lines]

    def check(self, reference):
        """Compares all messages with client-go's schema. Returns how many it has."""
        blocks = {block.split("\n", 1)[0]: ("- name: " + block).rstrip("`) \n").split("\n")
                  for block in reference.split("\n- name: ")[1:]}
        found = 0
        for label, path in self.paths.items():
            if path not in blocks or label.rsplit(".", 1)[-1] in UNIONS:
                continue
            found += 1
            theirs = [re.sub(r"(?<=namedType: ).*", lambda match: self.aliases.get(match[0]) or match[0], line)
                      for line in without_other_defaults(blocks[path], self.keys.get(label, ()))]
            if theirs[-1] == "    elementRelationship: separable":  # as without it
                theirs.pop()
            ours = self.schema(label, path)
            if ours != theirs:
                sys.exit(f"{label} differs from {CLIENT_GO}/{REFERENCE}:\n"
                         + "\n".join(difflib.unified_diff(theirs, ours, "client-go", "this table", lineterm="")))
        return found


KIND_FIELDS = re.compile(r"kind=0:string\? apiVersion=0:string\? metadata=1:(meta\.v1)?\.ObjectMeta ?")


def compact(lines):
    """Returns {(package, group): lines} without what the reader adds: the fields of every kind, the type string,
    and what is equal in another version."""
    versions = {}  # {(group, message, fields): version}
    groups = {}    # {package: group}
    packages = {}
    for line in lines:
        head, _, fields = line.partition(" ")
        name, kind, group, atomic = re.fullmatch(r"([\w.-]+)(:?)([\w.-]*)(@atomic)?", head).groups()
        if kind and KIND_FIELDS.match(fields):
            fields = KIND_FIELDS.sub("", fields, 1)
        elif kind:
            kind = ";"
        fields = re.sub(r"(=\d+):((?:\*|\[\]|map\[\])*)string(?!\w)", r"\1\2", fields)
        fields = re.sub(r"(=\d+):((?:\*|\[\]|map\[\])+)", r"\1\2:", fields)
        package, _, message = name.rpartition(".")
        groups[package] = group or groups.get(package, "")
        first = versions.setdefault((package.split(".")[0], message, fields), package.split(".")[1])
        if first != package.split(".")[1] and len(fields) > len(first):
            fields = ">" + first
        packages.setdefault(package, []).append(f"{message}{kind}{atomic or ''} {fields}".rstrip())
    return {(package, groups[package]): lines for package, lines in sorted(packages.items())}


def without_other_defaults(block, keys):
    """Returns the lines of client-go's schema without the defaults of fields that are no keys, and without
    unions, which merging ignores."""
    lines, name, dropped = [], "", False
    for line in re.sub(r"\n    unions:(\n     .*|\n    -.*)*", "", "\n".join(block)).split("\n"):
        if match := re.match(r"    - name: (.*)", line):
            name = match[1]
        dropped = name not in keys and (line.startswith("      default:") or dropped and line.startswith("        "))
        if not dropped:
            lines.append(line)
    return lines


def download():
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "go.mod"), "w", encoding="utf-8") as file:
            file.write("module capstan.dev/api-types\n\ngo 1.21\n")
        modules = [f"{module}@{VERSION}" for module in (*MODULES, CLIENT_GO)]
        found = subprocess.run(["go", "mod", "download", "-json", *modules],
                               cwd=work, check=True, stdout=subprocess.PIPE, text=True).stdout
    decoder, folders = json.JSONDecoder(), {}
    while found.strip():
        module, end = decoder.raw_decode(found.lstrip())
        folders[module["Path"]] = module["Dir"]
        found = found.lstrip()[end:]
    return folders


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.parse_args()
    folders = download()
    types = Types(folders)
    types.add_kinds()
    with open(os.path.join(folders[CLIENT_GO], REFERENCE), encoding="utf-8") as file:
        checked = types.check(file.read())
    packages = types.written()
    with open(OUTPUT, "w", encoding="utf-8") as file:
        file.write("// SPDX-License-Identifier: Apache-2.0\n"
                   f"// Written by hack/api_types.py from {', '.join(MODULES)} {VERSION}.\n"
                   "// clang-format off\n")
        for (package, group), messages in packages.items():
            text = "\n".join(f'    "{line}\\n"' for line in messages)
            file.write(f'{{"{package}", "{group}",\n{text}}},\n')
    count = sum(map(len, packages.values()))
    print(f"{os.path.relpath(OUTPUT, ROOT)}: {count} messages, {checked} as in {CLIENT_GO}")


if __name__ == "__main__":
    sys.exit(main())
