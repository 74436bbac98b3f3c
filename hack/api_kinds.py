#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/api_kinds.py: write the C++ types of the built-in kinds from Kubernetes' Go types.

It writes include/capstan/api/GROUP/VERSION/KIND.h, with the documentation of the Go types, and
clientgo/kinds/GROUP_VERSION.cc, with the tables by which they are read and written. The Go modules are
those of hack/api_types.py. Run it, and then hack/format, after a change of VERSION there.

A kind's header has the structs that only this kind reaches. A struct that several kinds reach has a
header of its own, with what only it reaches.
"""
import argparse
import dataclasses
import os
import re
import shutil
import sys
import textwrap

import api_types

ROOT = api_types.ROOT
HEADERS = "include/capstan/api"
SOURCES = "clientgo/kinds"
COLUMNS = 100
# Types that the library has written by hand: the header, and the name in namespace capstan.
BY_HAND = {
    "meta.v1.ObjectMeta": ("object_meta.h", "ObjectMeta"),
    "meta.v1.Condition": ("conditions.h", "Condition"),
}
SCALARS = {
    "string": ("std::string", "<string>"), "int32": ("std::int32_t", "<cstdint>"),
    "int64": ("std::int64_t", "<cstdint>"), "bool": ("bool", ""), "double": ("double", ""),
    "bytes": ("Bytes", "bytes.h"), "Time": ("Time", "time.h"), "MicroTime": ("MicroTime", "time.h"),
    "Duration": ("Duration", "time.h"), "Quantity": ("Quantity", "quantity.h"),
    "IntOrString": ("IntOrString", "int_or_string.h"), "JSON": ("RawJson", "int_or_string.h"),
    "JSON@object": ("RawJson", "int_or_string.h"), "RawExtension": ("RawJson", "int_or_string.h"),
    "Strings": ("std::vector<std::string>", "<vector>"),
}
ZEROS = {"std::int32_t": "0", "std::int64_t": "0", "double": "0", "bool": "false"}
PARTS = {"metadata": "kMetadata", "spec": "kSpec", "status": "kStatus"}
KEYWORDS = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default
delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq""".split())


def snake(name):
    """Returns the name of a member: "podIPs" is pod_ips."""
    name = re.sub(r"([A-Z]{2,})s(?![a-z])", lambda found: found[1].capitalize() + "s", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)).lower()
    name = re.sub(r"[^a-z0-9]+", "_", name).strip("_")
    return name + "_" if name in KEYWORDS else name


@dataclasses.dataclass
class Row:
    """A field of a struct."""
    name: str      # in JSON; "+" for an embedded struct
    resolved: str  # as hack/api_types.py writes the type
    go_type: str
    package: object
    required: bool  # Go always writes it
    omit_zero: bool
    comments: list


class Kinds(api_types.Types):
    """Also keeps the rows of each message."""

    def __init__(self, folders):
        super().__init__(folders)
        self.rows = {}
        self.declared = {}  # {message: (package, name)}

    def message(self, package, name):
        label = super().message(package, name)
        self.declared[label] = (package, name)
        self.rows.setdefault(label, [])
        return label

    def field(self, package, label, go_type, tags, comments):
        line = super().field(package, label, go_type, tags, comments)
        added = self.fields[label][-1]
        flags = tags.get("json", "").split(",")[1:]
        omitted = "omitempty" in flags or "omitzero" in flags
        self.rows.setdefault(label, []).append(
            Row(added.name, added.type, go_type, package, not omitted, omitted, comments))
        return line

    def flat(self, label):
        """Returns the rows with those of embedded structs."""
        for row in self.rows[label]:
            if row.name == "+":
                yield from self.flat(row.resolved)
            else:
                yield row


def prefix_of(resolved):
    """Returns (the prefixes, the innermost type): "*[]x" is (["*", "[]"], "x")."""
    prefixes = []
    while match := re.match(r"\*|\[\]|map\[\]", resolved):
        prefixes.append(match[0])
        resolved = resolved[match.end():]
    return prefixes, resolved


def package_of(label):
    return label.rpartition(".")[0]


def documentation(comments, indent):
    """Returns the lines of a C++ comment."""
    paragraphs, words = [], []
    for line in comments:
        text = re.sub(r"^//\s?", "", line).rstrip()
        text = re.sub(r"'<(\w+)>'", r"'\1'", text)  # a tag of HTML for Doxygen
        if text.startswith("+") or text.startswith("---"):
            if text.startswith("---"):
                break
            continue
        if text.startswith(("- ", "* ", "  ", "\t")) or not text:
            paragraphs.append(" ".join(words))
            words = [text.strip()] if text.strip() else []
        else:
            words.append(text.strip())
    paragraphs.append(" ".join(words))
    lines = []
    for paragraph in filter(None, paragraphs):
        if "TODO" in paragraph:  # a note to Kubernetes' own developers
            continue
        lines += textwrap.wrap(paragraph, COLUMNS - len(indent) - 3, break_long_words=False, break_on_hyphens=False)
    return [f"{indent}// {line}" for line in lines]


class Header:
    """A file with the structs of `labels`."""

    def __init__(self, writer, root, labels):
        self.writer, self.root, self.labels = writer, root, labels
        group, version, name = root.split(".")
        self.path = f"api/{group}/{version}/{snake(name)}.h"
        self.namespace = f"capstan::api::{group}::{version}"
        self.includes = {"export.h", "detail/layout.h"}

    def type_of(self, row):
        """Returns the C++ type of a field, and notes what it includes."""
        prefixes, inner = prefix_of(row.resolved)
        if inner in SCALARS:
            cpp, include = SCALARS[inner]
            self.includes.add(include)
            struct = False
        elif inner in BY_HAND:
            include, cpp = BY_HAND[inner]
            self.includes.add(include)
            struct = True
        else:
            cpp, struct = self.writer.cpp_name(inner, self), True
        for prefix in reversed(prefixes):
            if prefix == "*":
                cpp = f"Boxed<{cpp}>" if struct else f"std::optional<{cpp}>"
                self.includes.add("boxed.h" if struct else "<optional>")
            elif prefix == "[]":
                if struct and inner not in BY_HAND:
                    cpp = f"List<{cpp}>"
                    self.includes.add("list.h")
                else:
                    cpp = f"std::vector<{cpp}>"
                    self.includes.add("<vector>")
            else:
                cpp = f"std::map<std::string, {cpp}>"
                self.includes |= {"<map>", "<string>"}
            struct = False
        if cpp in ("Time", "MicroTime"):  # Go's zero time is written as null
            cpp = f"std::optional<{cpp}>"
            self.includes.add("<optional>")
        return cpp

    def struct(self, label):
        package, name = self.writer.kinds.declared[label]
        lines = documentation(package.comments.get(name, []), "")
        lines.append(f"struct CAPSTAN_EXPORT {name} {{")
        if name in api_types.UNIONS:
            lines.append("  static constexpr bool kIsUnion = true;")
        for row in self.writer.kinds.flat(label):
            lines += documentation(row.comments, "  ")
            cpp = self.type_of(row)
            lines.append(f"  {cpp} {snake(row.name)} = {{}};")
        lines += ["};", f"CAPSTAN_EXPORT bool operator==(const {name}& a, const {name}& b);",
                  f"CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const {name}*);", ""]
        return lines

    def constants(self, label):
        """Returns the values of the texts in the struct that Go names."""
        lines = []
        for row in self.writer.kinds.flat(label):
            name = re.sub(r"^(\*|\[\]|map\[\w+\])*", "", row.go_type)
            key = (row.package.path, name)
            if key in self.writer.named or name not in row.package.constants:
                continue
            self.writer.named.add(key)
            lines += documentation(row.package.comments.get(name, []), "")
            for constant, value, comments in row.package.constants[name]:
                lines += documentation(comments, "")
                lines.append(f"inline constexpr std::string_view k{constant} = {value};")
                self.includes.add("<string_view>")
            lines.append("")
        return lines

    def kind(self, label):
        package, name = self.writer.kinds.declared[label]
        group, version = self.writer.kinds.groups[label], label.split(".")[1]
        scope, plural = self.writer.scope_and_plural(package, name)
        parts = {row.name for row in self.writer.kinds.flat(label)}
        self.includes.add("kind.h")
        calls = "".join([scope, ".Whole()", ".Spec()" if "spec" in parts else "", ".Status()" if "status" in parts else ""])
        return ["template <>", f"inline constexpr auto capstan::kKind<{self.namespace}::{name}> =",
                f'    capstan::Kind("{group}", "{version}", "{name}", "{plural}")', f"        {calls};", ""]

    def table(self, label):
        """Returns the function with the rows by which a struct is read and written."""
        name = label.rpartition(".")[2]
        rows = list(self.writer.kinds.flat(label))
        if name in api_types.UNIONS:
            rows.sort(key=lambda row: row.name != "schema")  # the alternative that is an object comes first
        lines = []
        for row in rows:
            number = row.resolved in ("int32", "int64", "bool", "double")
            macro, more = "FIELD", ""
            if label in self.writer.kinds.groups and row.name in PARTS:
                macro, more = "PART", f", {PARTS[row.name]}"
            elif row.required:
                macro = "REQUIRED"
            elif row.omit_zero and number:
                macro = "NUMBER"
            lines.append(f'    CAPSTAN_{macro}({name}, "{row.name}", {snake(row.name)}{more})')
        if not lines:
            return [f"CAPSTAN_EMPTY_LAYOUT({name})", ""]
        return [f"CAPSTAN_LAYOUT({name},", ",\n".join(lines) + ")", ""]

    def templates(self):
        """Returns the lists and boxes of the structs in this file that any struct has."""
        return [f"{kind}<{self.namespace}::{label.rpartition('.')[2]}>" for label in self.labels
                for kind in ("Boxed", "List") if (kind, label) in self.writer.used]

    def forward(self):
        """Returns the structs that another one in the file names before they are defined."""
        done, found = set(), []
        for label in self.labels:
            found += [child for child in self.writer.children(label)
                      if child in self.labels and child not in done and child != label and child not in found]
            done.add(label)
        return [f"struct {label.rpartition('.')[2]};" for label in found]

    def text(self):
        body, kinds = [], []
        for label in self.labels:
            body += self.constants(label) + self.struct(label)
            if label in self.writer.kinds.groups and label not in self.writer.unserved:
                kinds += self.kind(label)
        templates = [f"extern template class capstan::{used};" for used in self.templates()]
        self.includes |= {used.split("<")[0].lower() + ".h" for used in self.templates()}
        lines = ["// SPDX-License-Identifier: Apache-2.0",
                 f"// Written by hack/api_kinds.py from Kubernetes {api_types.VERSION}, with its documentation.",
                 "#pragma once", ""]
        lines += [f"#include {include}" for include in sorted(self.includes) if include.startswith("<")] + [""]
        lines += [f'#include "capstan/{include}"' for include in sorted(self.includes) if include and include[0] != "<"]
        forward = self.forward()
        kinds = templates + [""] * bool(templates) + kinds
        lines += ["", f"namespace {self.namespace} {{", ""] + forward + [""] * bool(forward) + body + [f"}}  // namespace {self.namespace}", ""] + kinds
        return "\n".join(lines).rstrip() + "\n"


class Writer:
    def __init__(self, kinds, client_go):
        self.kinds, self.client_go = kinds, client_go
        self.named = set()
        self.unserved = set()
        self.headers = {}  # {root: Header}
        self.header_of = {}  # {label: Header}
        self.used = {("Boxed" if prefix_of(row.resolved)[0][-1] == "*" else "List", prefix_of(row.resolved)[1])
                     for rows in kinds.rows.values() for row in rows
                     if prefix_of(row.resolved)[0] and prefix_of(row.resolved)[0][-1] != "map[]"}
        self.split()

    def children(self, label):
        found = []
        for row in self.kinds.flat(label):
            inner = prefix_of(row.resolved)[1]
            if inner in self.kinds.rows and inner not in BY_HAND and inner not in SCALARS and inner not in found:
                found.append(inner)
        return found

    def split(self):
        """Assigns each struct to a header: that of the only kind or shared struct from which it is reached."""
        order, seen = [], set()

        def visit(label):
            if label in seen:
                return
            seen.add(label)
            for child in self.children(label):
                visit(child)
            order.append(label)
        for kind in sorted(self.kinds.groups):
            visit(kind)
        # Dominators, over a root that leads to all kinds (Cooper, Harvey and Kennedy).
        position = {label: number for number, label in enumerate(order)}
        parents = {label: [] for label in order}
        for label in order:
            for child in self.children(label):
                parents[child].append(label)
        for kind in self.kinds.groups:
            parents[kind].append(None)
        position[None] = len(order)
        dominator = {None: None}

        def common(a, b):
            while a != b:
                while position[a] < position[b]:
                    a = dominator[a]
                while position[b] < position[a]:
                    b = dominator[b]
            return a
        changed = True
        while changed:
            changed = False
            for label in reversed(order):
                known = [parent for parent in parents[label] if parent in dominator]
                new = known[0]
                for parent in known[1:]:
                    new = common(parent, new)
                if dominator.get(label, "") != new:
                    dominator[label] = new
                    changed = True
        groups = {}
        for label in order:  # children come before their parents
            root = label
            while dominator[root] is not None and package_of(dominator[root]) == package_of(label):
                root = dominator[root]
            groups.setdefault(root, []).append(label)
        for root, labels in groups.items():
            header = Header(self, root, labels)
            self.headers[root] = header
            for label in labels:
                self.header_of[label] = header

    def cpp_name(self, label, header):
        other = self.header_of[label]
        group, version, name = label.split(".")
        if other is not header:
            header.includes.add(other.path)
        if (group, version) == tuple(header.root.split(".")[:2]):
            return name
        return f"{group}::{version}::{name}"

    def scope_and_plural(self, package, name):
        comments = "\n".join(package.comments.get(name, []))
        scope = ".ClusterScoped()" if "+genclient:nonNamespaced" in comments else ".Namespaced()"
        folder = "/".join(package.path.split("/")[-2:])
        for root in self.client_go:
            path = os.path.join(root, folder, name.lower() + ".go")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    found = re.search(r'^\t\t\t"(\w+)",$|Resource\("(\w+)"\)', file.read(), re.M)
                    return scope, found[1] or found[2]
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.parse_args()
    folders = api_types.download()
    kinds = Kinds(folders)
    kinds.add_kinds()
    clients = [os.path.join(folders[api_types.CLIENT_GO], "kubernetes/typed"),
               os.path.join(folders["k8s.io/apiextensions-apiserver"], "pkg/client/clientset/clientset/typed"),
               os.path.join(folders["k8s.io/kube-aggregator"], "pkg/client/clientset_generated/clientset/typed")]
    writer = Writer(kinds, clients)
    for label in kinds.groups:
        if writer.scope_and_plural(*kinds.declared[label]) is None:
            writer.unserved.add(label)
    print(sorted(writer.unserved))
    for header in writer.headers.values():
        path = os.path.join(ROOT, "include/capstan", header.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(header.text())
    sources = {}
    for header in sorted(writer.headers.values(), key=lambda header: header.path):
        sources.setdefault(header.namespace, []).append(header)
    os.makedirs(os.path.join(ROOT, SOURCES), exist_ok=True)
    for namespace, headers in sources.items():
        lines = ["// SPDX-License-Identifier: Apache-2.0",
                 f"// Written by hack/api_kinds.py from Kubernetes {api_types.VERSION}."]
        lines += [f'#include "capstan/{header.path}"' for header in headers]
        lines += ['#include "capstan/generated.h"', "", "// clang-format off", f"namespace {namespace} {{", ""]
        for header in headers:
            for label in header.labels:
                lines += header.table(label)
        lines += [f"}}  // namespace {namespace}", ""]
        lines += [f"template class capstan::{used};" for header in headers for used in header.templates()]
        name = "_".join(namespace.split("::")[2:])
        with open(os.path.join(ROOT, SOURCES, name + ".cc"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    files = sorted("_".join(namespace.split("::")[2:]) + ".cc" for namespace in sources)
    with open(os.path.join(ROOT, SOURCES, "CMakeLists.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join([
            "# SPDX-License-Identifier: Apache-2.0", f"# Written by hack/api_kinds.py from Kubernetes {api_types.VERSION}.",
            "capstan_library(NAME clientgo::kinds", "  API generated.h",
            *("    " + header.path for header in sorted(writer.headers.values(), key=lambda header: header.path)),
            "  SRCS", *("    " + name for name in files), "  DEPS kind", "  TESTS kinds_test.cc",
            "  TEST_DEPS client)"]) + "\n")
    named = [(label, writer.header_of[label]) for label in sorted(kinds.groups) if label not in writer.unserved]
    path = os.path.join(ROOT, SOURCES, "testing", "all_kinds.h")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([
            "// SPDX-License-Identifier: Apache-2.0",
            f"// Written by hack/api_kinds.py from Kubernetes {api_types.VERSION}.", "#pragma once", "",
            *sorted({f'#include "capstan/{header.path}"' for _, header in named}), "", "namespace capstan::api {", "",
            "// Calls visit.operator()<T>() for each built-in kind.",
            "template <class Visit>", "// NOLINTNEXTLINE(readability-function-size): a line for each",
            "void ForEachKind(const Visit& visit) {",
            *(f"  visit.template operator()<{label.replace('.', '::')}>();" for label, _ in named), "}", "",
            "}  // namespace capstan::api"]) + "\n")
    print(len(writer.headers), "headers", len(writer.header_of), "structs")


if __name__ == "__main__":
    sys.exit(main())
