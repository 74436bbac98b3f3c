#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules in the text of the repository: layering, lengths, banned words, dead files.

usage: hack/tidy.py [ROOT]     prints one "file:line: rule: what" per finding; exit 1 if any.

hack/verify also runs checks with a compiler. Each rule has a fixture in hack/tidy_test.py.
"""
import os
import re
import shutil
import subprocess
import sys

import public_headers
import tidy_docs

LINE_MAX = 100
FILE_MAX = 600
TEST_FILE_MAX = 600
FUNCTION_MAX = 70
SPDX = "SPDX-License-Identifier: Apache-2.0"

# The arrows of ARCHITECTURE.md: a folder may include itself, what is listed, and the API of both. cmd
# and e2e may include everything.
CLIENTGO = ["clientgo/util", "clientgo/runtime", "clientgo/api", "clientgo/transport", "clientgo/auth",
            "clientgo/rest", "clientgo/kind"]
APISERVER = CLIENTGO + ["clientgo/cel", "clientgo/cert", "clientgo/clientcmd", "clientgo/httpserver", "clientgo/yaml"]
LIBRARY = ["clientgo", "controllers/runtime", "featuregate", "metrics"]
# The rooms of the embedded API server, each with the rooms that it may include. They implement the API of
# the folder that contains them.
APISERVER_ROOMS = {
    "types": "",
    "patch": "types",
    "printers": "types",
    "validation": "types",
    "decoding": "types patch printers",
    "kinds": "types printers validation decoding",
    "storage": "types validation",
    "authentication": "types storage validation",
    "authorization": "types storage validation authentication",
    "admission": "types patch decoding storage validation authentication",
    "registry": "types patch printers validation decoding storage authentication authorization admission",
    "http2": "",
    "http": "types patch printers validation decoding storage authentication authorization admission registry",
}
LAYERS = {
    "clientgo/util": [],
    "clientgo/cert": CLIENTGO[:1],
    "clientgo/runtime": CLIENTGO[:1],
    "clientgo/runtime/protobuf": CLIENTGO[:2] + ["clientgo/kind"],
    "clientgo/kind": CLIENTGO[:2],
    "clientgo/cel": CLIENTGO[:2] + ["clientgo/kind"],
    "clientgo/api": CLIENTGO[:2] + ["clientgo/kind"],
    "clientgo/transport": CLIENTGO[:1] + ["clientgo/cert"],
    "clientgo/auth": CLIENTGO[:2] + ["clientgo/transport"],
    "clientgo/rest": CLIENTGO[:5],
    "clientgo/remotecommand": CLIENTGO[:6],
    "clientgo/yaml": CLIENTGO[:2],
    "clientgo/clientcmd": CLIENTGO + ["clientgo/yaml"],
    "clientgo/discovery": CLIENTGO,
    "clientgo/restmapper": CLIENTGO + ["clientgo/discovery"],
    "clientgo/cache": CLIENTGO,
    "clientgo/workqueue": CLIENTGO[:1],
    "clientgo/leaderelection": CLIENTGO,
    "clientgo/record": CLIENTGO + ["clientgo/workqueue"],
    "clientgo/client": CLIENTGO + ["clientgo/cache", "clientgo/remotecommand"],
    "clientgo/kinds": CLIENTGO[:2] + ["clientgo/kind", "clientgo/client"],
    "clientgo/httpserver": CLIENTGO[:1] + ["clientgo/cert"],
    "clientgo/testing": ["clientgo"],
    "clientgo/testing/apiserver": ["clientgo"],
    "controllers/runtime": ["clientgo"],
    "controllers/runtime/webhook": ["clientgo", "controllers/runtime"],
    "controllers/runtime/program": LIBRARY,
    "featuregate": CLIENTGO[:1],
    "featuregate/flags": CLIENTGO[:1] + ["clientgo/yaml", "featuregate"],
    "metrics": ["clientgo", "controllers/runtime"],
    "metrics/statusz": CLIENTGO[:2],
    "controllers/resolver": LIBRARY,
    "controllers/cainjector/api": LIBRARY,
    "controllers/cainjector/rules": LIBRARY,
    "controllers/cainjector/sources": LIBRARY + ["controllers/resolver", "controllers/cainjector/api",
                                                 "controllers/cainjector/rules"],
    "controllers/cainjector/targets": LIBRARY + ["controllers/cainjector/api", "controllers/cainjector/rules"],
    "controllers/cainjector/testing": LIBRARY + ["controllers"],
    "controllers/cainjector": LIBRARY + ["controllers/resolver"],
    "controllers/readinessgate/events": LIBRARY,
    "controllers/readinessgate/gates": LIBRARY,
    "controllers/readinessgate/testing": LIBRARY + ["controllers"],
    "controllers/readinessgate": LIBRARY + ["controllers/resolver"],
    "cmd": [""],
    "e2e": [""],
    "examples": ["include"],
    "docs": [""],
    "hack": [""],
    "fuzz": [""],
}
ROOMS = "clientgo/testing/apiserver/"
LAYERS.update({ROOMS + room: APISERVER + [ROOMS + other for other in others.split()]
               for room, others in APISERVER_ROOMS.items()})
LIBRARY_FILES = tuple(folder + "/" for folder in LIBRARY)
# Folders that only tests may include.
TEST_LAYERS = ["metrics", "clientgo/testing", "controllers/cainjector/testing",
               "controllers/readinessgate/testing", "clientgo/httpserver"]

# Only these link test code. Operators' programs do not.
TEST_CODE_USERS = ("cmd/capstan-demo/", "cmd/test-server/", "docs/examples/", "e2e/", "fuzz/", "hack/bench/", "examples/")

# Confined third-party headers: (include, allowed path prefixes).
CONFINED = [
    (r"prometheus/", ["metrics/"]),
    (r"boost/", ["clientgo/httpserver/", "clientgo/transport/"]),
    (r"openssl/", ["clientgo/cert/", "clientgo/transport/", "clientgo/httpserver/", "clientgo/testing/certificates.cc",
                   "clientgo/testing/apiserver/authentication/", "controllers/cainjector/rules/server_certificate_test.cc"]),
    (r"nghttp2/", ["clientgo/transport/", "clientgo/testing/apiserver/http2/"]),
    (r"(cpprest|pplx)/", ["clientgo/transport/cpprest/"]),
    (r"zlib\.h", ["clientgo/transport/", "clientgo/testing/", "fuzz/"]),
    (r"absl/", ["examples/cronjob/"]),
    (r"re2/", ["clientgo/cel/"]),
    (r"yaml\.h$", ["clientgo/yaml/", "fuzz/"]),
    (r"(grpc|grpcpp|google/protobuf|(cri|csi)/\w+\.(grpc\.)?pb)[/.]",
     ["cmd/cri-event-broker/cri/", "e2e/kind/", "e2e/runtime/"]),
]

# (rule, pattern, allowed path pattern, what)
BANNED = [
    ("banned-cout", r"\bstd::cout\b", r"^(cmd|e2e|examples|hack/bench|hack/crds)/", "log instead; only programs print"),
    ("banned-sleep", r"\bsleep_(for|until)\b", r"^clientgo/util/clock\.cc$",
     "the Clock owns every wait"),
    ("banned-detach", r"\.detach\(\)", None, "every thread is joined"),
    ("banned-using-namespace", r"^\s*using namespace\b(?! std::\w+_literals;)", None,
     "write the namespace"),
    ("banned-define-flag", r"^\s*DEFINE_\w+\(", r"^featuregate/flags/\w+_test\.cc$",
     "bind a field of the options with flags::Bind"),
    ("banned-todo", r"\b(TODO(?!\(#\d+\))|FIXME|XXX)\b", None, "name an issue: TODO(#123)"),
    ("banned-if-0", r"^\s*#\s*if\s+0\b", None, "delete dead code"),
    ("banned-nolint", r"\bNOLINT(?!(NEXTLINE|BEGIN)?\([\w.,-]+\)|END)", None,
     "name the check: NOLINT(check-name): why"),
]
EXPORT = public_headers.EXPORT_HEADER  # every layer includes it
MACHINE_PATH = re.compile(r"(?<![\w.>)}])/(work|root)/|\.\./shared\b")
SKIP_DIRS = {"build", "dist", ".git", "__pycache__", ".claude"}
# A project that users get: it is theirs, without our license.
TEMPLATE = "cmd/capstan/new/template/"
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
SIGNATURE = re.compile(r"(?!(namespace|class|struct|enum|union|extern|#|//|using|template)\b|DEFINE_)"
                       r"\w.*[({,)](?<!= \{)( const| noexcept| override)*( \{)?$")
CODE = re.compile(r'//.*|"(\\.|[^"\\])*"')


class Tree:
    """The files of the repository. Each is read once."""

    def __init__(self, root):
        self.root = root
        self.text = {}
        for path in self.files():
            if path.startswith(TEMPLATE):
                continue
            try:
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    self.text[path] = file.read()
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                continue
        self.cxx = {p: t for p, t in self.text.items() if p.endswith((".cc", ".h"))}

    def files(self):
        """Returns what git tracks; without git all files, but not those of a build."""
        if os.path.exists(os.path.join(self.root, ".git")) and shutil.which("git"):
            listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", self.root, "ls-files", "-z"],
                                    capture_output=True, text=True, check=False)
            if listed.returncode == 0:
                return sorted(filter(None, listed.stdout.split("\0")))
        found = []
        for folder, dirs, files in os.walk(self.root):
            dirs[:] = (name for name in dirs if name not in SKIP_DIRS)
            found += (os.path.relpath(os.path.join(folder, name), self.root) for name in files if name != ".git")
        return sorted(found)

    def executable(self, path):
        return os.access(os.path.join(self.root, path), os.X_OK)


def folder_of(path):
    """Returns the layer of a file: the longest known folder, or None."""
    known = [layer for layer in LAYERS if path.startswith(layer + "/")]
    return max(known, key=len) if known else None


def file_of(header):
    """Returns the path of an included file."""
    return "include/" + header if header.startswith("capstan/") else header


def is_test(path):
    return bool(re.search(r"_(test|testing|for_test)\.(cc|h)$|/testing/", path))


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1)


def check_layering(tree):
    owners = public_headers.owners(tree.text)
    for path, text in tree.cxx.items():
        if public_headers.is_public(path) and path not in owners:
            yield path, 1, "layering", "this header is in the API of no CMakeLists.txt"
            continue
        layer = folder_of(owners.get(path, path))
        if layer is None:
            yield path, 1, "layering", "this folder is in no layer; add it to hack/tidy.py"
            continue
        test = path.endswith("_test.cc") if layer.startswith(ROOMS) else is_test(path)
        allowed = [layer] + LAYERS[layer] + (TEST_LAYERS if test else [])
        for number, header in includes(text):
            for pattern, places in CONFINED:
                if re.match(pattern, header) and not path.startswith(tuple(places)):
                    yield path, number, "confined", f"{header} belongs to {' '.join(places)} only"
            if "/testing/" in header and not is_test(path) \
                    and not path.startswith(TEST_CODE_USERS):
                yield path, number, "layering", f"{header} is test code"
            file = file_of(header)
            if file.startswith(LIBRARY_FILES) and "/testing/" not in file \
                    and not path.startswith(LIBRARY_FILES + ("include/", "e2e/", "fuzz/", "hack/bench/")):
                yield path, number, "layering", f"{header} is not API; users could not include it"
            used = owners.get(file, file)
            if header != EXPORT and layer != "examples" and folder_of(used) and not any(
                    prefix == "" or used.startswith(prefix + "/") for prefix in allowed) \
                    and not (layer.startswith(ROOMS) and used == ROOMS + "CMakeLists.txt"):
                yield path, number, "layering", f"{layer} may not include {header}"


def check_lengths(tree):
    for path, text in tree.cxx.items():
        if "\n// Written by hack/" in text[:200]:
            continue
        lines = text.splitlines()
        limit = TEST_FILE_MAX if is_test(path) else FILE_MAX
        if len(lines) > limit:
            yield path, limit + 1, "file-length", f"{len(lines)} lines, at most {limit}"
        start = None
        for number, line in enumerate(lines, 1):
            if len(line) > LINE_MAX and not INCLUDE.match(line):
                yield path, number, "line-length", f"{len(line)} columns, at most {LINE_MAX}"
            # In our format a function's signature and its last brace start at the margin, and its body
            # is indented. clang-tidy checks functions inside a class.
            if SIGNATURE.match(line):
                start = start or number
            elif line[:1] == "}" and start is not None:
                if number - start + 1 > FUNCTION_MAX and not is_test(path):
                    yield (path, start, "function-length",
                           f"{number - start + 1} lines, at most {FUNCTION_MAX}")
                start = None
            elif line.endswith(";") and (line[:1] != " " or line.startswith("    ")) \
                    and "{" not in line and start == number - 1:
                start = None  # a declaration


def check_words(tree):
    for path, text in tree.cxx.items():
        for number, line in enumerate(text.splitlines(), 1):
            code = CODE.sub("", line)
            for rule, pattern, allowed, what in BANNED:
                # Rules about comments apply to comments too.
                subject = line if rule in ("banned-todo", "banned-nolint") else code
                if re.search(pattern, subject) and not (allowed and re.match(allowed, path)):
                    yield path, number, rule, what


def check_heads(tree):
    for path, text in tree.text.items():
        lines = text.splitlines()
        first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
        marked = path.endswith((".cc", ".h", ".py", ".cmake", ".sh", "CMakeLists.txt"))
        if (marked or text.startswith("#!")) and not (first and first[0][-len(SPDX):] == SPDX):
            yield path, 1, "spdx", f"must start with {SPDX}"
        if path.endswith(".h") and "#pragma once" not in lines:
            yield path, 1, "pragma-once", "every header has #pragma once"


def check_text(tree):
    for path, text in tree.text.items():
        if path.endswith((".sum", ".mod")) or path == "LICENSE" \
                or "/testdata/" in path or path.startswith("fuzz/corpus/"):
            continue
        if text and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "final-newline", "the last line has no newline"
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield path, number, "trailing-space", "space at the end of the line"
            if match := MACHINE_PATH.search(line):
                yield path, number, "machine-path", f"\"{match.group(0)}\" exists on one machine"


def check_dead_files(tree):
    listed = {os.path.dirname(p): t for p, t in tree.text.items()
              if os.path.basename(p) == "CMakeLists.txt"}
    included = set()
    for path, text in tree.cxx.items():
        own = own_header(tree, re.sub(r"_test\.cc$", ".cc", path))
        included.update(file_of(h) for _, h in includes(text) if file_of(h) != own)
    for path in tree.cxx:
        # In the CMakeLists.txt of its folder, or, with its subfolder, in that of one above.
        above = [f for f in listed if f and path.startswith(f + "/")]
        if path.endswith(".cc") and not any(
                re.search(rf"(^|[\s(\"]){re.escape(os.path.relpath(path, f))}([\s)\"]|$)", listed[f])
                for f in above):
            yield path, 1, "dead-file", "listed in no CMakeLists.txt"
        # examples/ includes relative paths.
        if path.endswith(".h") and path not in included and not path.startswith("examples/"):
            yield path, 1, "dead-file", "included by nothing but its own source and test"


def own_header(tree, path):
    """Returns the header of a source: beside it, or the one of that name in the API of its folder."""
    if not path.endswith(".cc") or path.startswith("examples/"):
        return None
    if path[:-3] + ".h" in tree.cxx:
        return path[:-3] + ".h"
    folder, name = os.path.split(path[:-3] + ".h")
    return next((header for header, owner in public_headers.owners(tree.text).items()
                 if os.path.dirname(owner) == folder and os.path.basename(header) == name), None)


def check_own_header(tree):
    """Checks that a source includes its header first, which shows that the header is complete."""
    for path, text in tree.cxx.items():
        if own := own_header(tree, path):
            number, header = next(includes(text), (1, ""))
            if file_of(header) != own:
                yield path, number, "own-header-first", f"{own} must be the first include"


def check_public_headers(tree):
    for path, text in tree.cxx.items():
        if public_headers.is_public(path):
            yield from public_headers.check(path, text)


CHECKS = [check_own_header, check_public_headers, check_layering, check_lengths, check_words, check_heads, check_text,
          check_dead_files, tidy_docs.check_documents, tidy_docs.check_conformance,
          tidy_docs.check_features, tidy_docs.check_comments]


def findings(root):
    tree = Tree(root)
    for check in CHECKS:
        yield from check(tree)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    found = sorted(set(findings(root)))
    for path, number, rule, what in found:
        print(f"{path}:{number}: {rule}: {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
