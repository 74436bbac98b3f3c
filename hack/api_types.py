#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/api_types.py: write capstan/testing/apiserver/internal/api_types.inc from Kubernetes' Go types.

The file is the embedded API server's table of the fields of built-in kinds: one line for each message
that a kind of KINDS reaches. The Go modules come from the Go module proxy (k8s.io/api and others in
VERSION); a Go that knows toolchains is needed. Run it after a change of VERSION or KINDS.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTPUT = os.path.join(ROOT, "capstan/testing/apiserver/internal/api_types.inc")
VERSION = "v0.37.2"
MODULES = ("k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator")
META = "k8s.io/apimachinery/pkg/apis/meta/v1"
# The package of each group that has served kinds, and these kinds.
KINDS = {
    "k8s.io/api/core/v1": ["Namespace", "Pod", "Node", "Secret", "ConfigMap", "Event", "Service",
                           "ServiceAccount", "Binding"],
    "k8s.io/api/apps/v1": ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"],
    "k8s.io/api/batch/v1": ["Job", "CronJob"],
    "k8s.io/api/rbac/v1": ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
    "k8s.io/api/coordination/v1": ["Lease"],
    "k8s.io/api/admissionregistration/v1": ["ValidatingWebhookConfiguration",
                                            "MutatingWebhookConfiguration"],
    "k8s.io/api/autoscaling/v1": ["Scale"],
    "k8s.io/api/certificates/v1": ["ClusterTrustBundle"],
    "k8s.io/api/policy/v1": ["Eviction"],
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1": ["CustomResourceDefinition"],
    "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1": ["APIService"],
    META: ["DeleteOptions"],
}
# Types whose JSON is not that of their fields.
SCALARS = {
    "string": "string", "bool": "bool", "int32": "int32", "int64": "int64", "float64": "double",
    "[]byte": "bytes", META + ".Time": "Time", META + ".MicroTime": "MicroTime",
    META + ".Duration": "Duration", META + ".FieldsV1": "JSON",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "JSON",
    "k8s.io/apimachinery/pkg/api/resource.Quantity": "Quantity",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "IntOrString",
    "k8s.io/apimachinery/pkg/types.UID": "string",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "JSON",
}
# JSON Schema's unions: the Go type has a field for each alternative.
UNIONS = {"JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"}

FIELD = re.compile(r"^\t(?:(\w+)\s+)?([\w.*\[\]]+)\s+`(.*)`")


class Package:
    """The declared types of one Go package."""

    def __init__(self, path, folder):
        self.path = path
        self.structs = {}
        self.others = {}
        self.imports = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".go") and not name.endswith("_test.go") and not name.startswith("zz_"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.read(file.read())

    def read(self, text):
        for alias, path in re.findall(r'^\t?(?:import )?(\w+)? ?"([\w./-]+)"$', text, re.M):
            self.imports[alias or path.rsplit("/", 1)[-1]] = path
        for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", text, re.M | re.S):
            self.structs[name] = body.split("\n")
        for name in re.findall(r"^type (\w+) struct ?\{\}$", text, re.M):
            self.structs[name] = []
        for name, other in re.findall(r"^type (\w+) ([\w.*\[\]]+)$", text, re.M):
            self.others[name] = other


class Types:
    """Finds types in packages, and writes the line of each message that is reached."""

    def __init__(self, folders):
        self.folders = folders
        self.packages = {}
        self.lines = {}

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
        if name in package.others:
            return self.resolve(package, package.others[name])
        return self.message(package, name)

    def message(self, package, name):
        label = ".".join(package.path.split("/")[-2:] + [name])
        if label in self.lines:
            return label
        self.lines[label] = ""
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
            if "protobuf" in tags:
                fields.append(self.field(package, name, match[2], tags, comments))
            comments = []
        self.lines[label] = " ".join([label, *fields])
        return label

    def field(self, package, owner, go_type, tags, comments):
        options = tags["protobuf"].split(",")
        proto_name = next((o[5:] for o in options if o.startswith("name=")), "")
        json_name, *flags = tags.get("json", proto_name).split(",")
        resolved = self.resolve(package, go_type)
        if owner in UNIONS:
            json_name = proto_name
        if not json_name:  # an embedded struct, whose fields are members of the owner
            json_name = "+"
        omitted = "omitempty" in flags
        # Go's encoder omits no struct because of omitempty.
        structure = re.fullmatch(r"[\w-]+\.\w+\.\w+|Time|MicroTime|Duration|Quantity|IntOrString|JSON", resolved)
        marks = ""
        if omitted and not structure or "omitzero" in flags:
            marks += "?"
        if not omitted and "// +optional" not in comments and json_name != "+":
            marks += "!"
        strategy, key = tags.get("patchStrategy", ""), tags.get("patchMergeKey", "")
        if strategy:
            marks += f"~{strategy}" + (f"/{key}" if key else "")
        return f"{json_name}={options[1]}:{resolved}{marks}"


def download():
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "go.mod"), "w", encoding="utf-8") as file:
            file.write("module capstan.dev/api-types\n\ngo 1.21\n")
        found = subprocess.run(["go", "mod", "download", "-json", *(f"{m}@{VERSION}" for m in MODULES)],
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
    types = Types(download())
    for path, kinds in KINDS.items():
        for kind in kinds:
            types.message(types.package(path), kind)
    lines = sorted(types.lines.values())
    with open(OUTPUT, "w", encoding="utf-8") as file:
        file.write("// SPDX-License-Identifier: Apache-2.0\n"
                   f"// Written by hack/api_types.py from {', '.join(MODULES)} {VERSION}.\n"
                   "// clang-format off\n")
        file.writelines(f'"{line}",\n' for line in lines)
    print(f"{os.path.relpath(OUTPUT, ROOT)}: {len(lines)} messages")


if __name__ == "__main__":
    sys.exit(main())
