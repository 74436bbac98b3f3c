#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that hack/tidy.py finds each fault, with one fixture per rule."""
import ast
import os
import shutil
import subprocess
import tempfile
import unittest

import public_headers
import tidy
import tidy_docs

HEAD = f"// {tidy.SPDX}\n"
HEADER = HEAD + "#pragma once\n"
CMAKE = f"# {tidy.SPDX}\n"
# A tree without a fault. Each fixture replaces some of its files.
CLEAN = {
    "clientgo/util/CMakeLists.txt": CMAKE + "capstan_library(NAME clientgo::util API clock.h SRCS clock.cc)\n",
    "include/capstan/clock.h": HEADER + "namespace clientgo::util {}\n",
    "clientgo/util/clock.cc": HEAD + '#include "capstan/clock.h"\nvoid F() { sleep_for(1); }\n',
    "clientgo/rest/CMakeLists.txt": CMAKE + "capstan_library(NAME clientgo::rest SRCS client.cc)\n",
    "clientgo/rest/client.cc": HEAD + '#include "capstan/clock.h"\n',
    "cmd/x/CMakeLists.txt": CMAKE + "capstan_program(NAME x SRCS options.cc sub/part.cc)\n",
    "cmd/x/options.cc": HEAD + 'Bind("leader-elect", &elect, "");\n',
    "cmd/x/sub/part.cc": HEAD + "using namespace std::chrono_literals;\n",
    "hack/go": "#!/bin/sh\n" + CMAKE,
    "README.md": "`hack/go`, `x --leader-elect`, [code](hack/go), `kubectl get --foo`\n",
}
OWN = '#include "capstan/clock.h"\n'


def conformance(numbers, test="`ClockTest.Ticks`", note="", path="docs/conformance.md"):
    return {path:
            "| number | scenario | tests | note |\n|---|---|---|---|\n" +
            "".join(f"| {n} | what happens | {test} | {note} |\n" for n in numbers)}


def features(test, path=tidy_docs.FEATURES):
    return {path: f"| need | test |\n|---|---|\n| a clock | {test} |\n"}


INJECTION = "docs/injection.md"
GATES = "docs/gate-cases.md"
SCENARIOS, CASES, GATE_CASES = (range(1, tidy_docs.MAPS[path] + 1)
                                for path in ("docs/conformance.md", INJECTION, GATES))
CLEAN |= conformance(SCENARIOS) | conformance(CASES, path=INJECTION) | {
    **conformance(GATE_CASES, "`e2e/scenarios/go.py`", path=GATES),
    "e2e/scenarios/go.py": CMAKE,
    "clientgo/util/CMakeLists.txt":
        CMAKE + "capstan_library(NAME clientgo::util API clock.h SRCS clock.cc TESTS clock_test.cc)\n",
    "clientgo/util/clock_test.cc": HEAD + OWN + "TEST_F(ClockTest, Ticks) {}\n",
}


def client(text):
    return {"clientgo/rest/client.cc": HEAD + OWN + text}


FIXTURES = {
    "layering": [{"clientgo/util/clock.cc": HEAD + OWN + '#include "clientgo/rest/http_client.h"\n'},
                 client('#include "clientgo/cache/store_index.h"\n'),
                 client('#include "controllers/runtime/caches.h"\n'),
                 {"elsewhere/CMakeLists.txt": CMAKE + "a.cc\n", "elsewhere/a.cc": HEAD},
                 {"clientgo/testing/apiserver/CMakeLists.txt": CMAKE + "types/a.cc\n",
                  "clientgo/testing/apiserver/types/a.cc":
                      HEAD + '#include "clientgo/testing/apiserver/http/b.h"\n'},
                 {"cmd/x/sub/part.cc": HEAD + '#include "capstan/testing/fake_clock.h"\n'},
                 {"cmd/x/sub/part.cc": HEAD + '#include "clientgo/util/a.h"\n'},
                 {"controllers/cainjector/CMakeLists.txt": CMAKE + "a.cc\n",
                  "controllers/cainjector/a.cc": HEAD + '#include "controllers/readinessgate/b.h"\n'}],
    "own-header-first": [{"clientgo/util/clock.cc": HEAD + "#include <string>\n" + OWN}],
    "confined": [client(f"#include <{h}>\n") for h in (
        "prometheus/registry.h", "boost/beast.hpp", "openssl/ssl.h")],
    "public-include": [
        {"include/capstan/clock.h": HEADER + "#include <glog/logging.h>\n"},
        {"include/capstan/clock.h": HEADER + '#include "clientgo/util/a.h"\n',
         "clientgo/util/a.h": HEADER}],
    "public-macro": [{"include/capstan/clock.h": HEADER + "#define REQUIRES(x)\n"}],
    "public-export": [{"include/capstan/clock.h": HEADER + text} for text in (
        "class Clock {\n};\n", "struct [[nodiscard]] Error {\n};\n", "std::string Text(int a,\n   int b);\n",
        "class Real final\n    : public Clock {\n};\n", "extern const int kSize;\n")],
    "line-length": [client("// " + "x" * 98 + "\n")],
    "file-length": [client("int a;\n" * 600)],
    "function-length": [
        client("void F() {\n" + "  G();\n" * 70 + "}\n"),
        client("void Long(int a,\n          int b) {\n" + "  G();\n" * 70 + "}\n"),
        client("Thing::Thing(int a)\n    : a_(a) {\n" + "  G();\n" * 70 + "}\n")],
    "banned-cout": [client("std::cout << 1;\n")],
    "banned-sleep": [client("std::this_thread::sleep_for(1s);\n")],
    "banned-detach": [client("thread.detach();\n")],
    "banned-using-namespace": [client("using namespace std;\n")],
    "banned-define-flag": [client("DEFINE_bool(x, true, \"\");\n")],
    "banned-todo": [client("// TODO: later\n"), client("// FIXME\n")],
    "banned-if-0": [client("#if 0\n#endif\n")],
    "banned-nolint": [client("int x;  // NOLINT\n")],
    "spdx": [{"clientgo/rest/client.cc": OWN}, {"hack/go": "#!/bin/sh\necho\n"}],
    "pragma-once": [{"include/capstan/clock.h": HEAD}],
    "final-newline": [client("int x;")],
    "trailing-space": [client("int x; \n")],
    "machine-path": [{"README.md": "see /" + "work/main\n"}, {"hack/go": "#!/bin/sh\n" + CMAKE +
                                                              "cd /" + "root/x\n"}],
    "dead-file": [{"clientgo/rest/unlisted.cc": HEAD}, {"clientgo/rest/unused.h": HEADER}],
    "document-command": [{"README.md": "run `hack/gone`\n"}, {"README.md": "```\nhack/gone\n```\n"}],
    "document-flag": [{"README.md": "`x --leader-elekt`\n"}],
    "document-name": [{"docs/library/from-x.md": "| theirs | here | what differs |\n| `A` | `Gone()` | |\n"}],
    "document-file": [{"README.md": "`gone.h`\n"}, {"README.md": "## A\n[util](clientgo/util)\n`client.cc`\n"},
                      {"README.md": "`util/clock.{h,cc}` and `rest/clock.{h,cc}`\n"},
                      {"README.md": "`clientgo/gone`\n"}],
    "comment-file": [client("int x;  // see rest/gone.h\n")],
    "document-link": [{"README.md": "[a](docs/gone.md)\n"}],
    "conformance-test": [conformance(SCENARIOS, "`ClockTest.Tocks`"),
                         conformance(SCENARIOS, "`ClockTest.Ticks`, `OtherTest.Ticks`"),
                         conformance(SCENARIOS, "`Ticks`"),
                         conformance(CASES, "`ClockTest.Tocks`", path=INJECTION)],
    "conformance-reason": [conformance(SCENARIOS, ""), conformance(SCENARIOS, "none", "later"),
                           conformance(CASES, "", path=INJECTION)],
    "conformance-number": [conformance(SCENARIOS[:-1]), conformance([*SCENARIOS, 7]),
                           conformance([*SCENARIOS, 56]), conformance([0, *SCENARIOS]),
                           conformance([]), conformance(CASES[:-1], path=INJECTION),
                           conformance([*CASES, 49], path=INJECTION)],
    "feature-test": [features("`ClockTest.Tocks`"), features("`ClockTest.Tick...` `Other...`"), features(""),
                     features("`ClockTest.Tocks`", "docs/differences.md")],
    "document-example": [{"README.md": "<!-- example: cmd/x/options.cc -->\n```cpp\nint x;\n```\n"}],
}


def rules_found(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in (CLEAN | files).items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
            if text.startswith("#!"):
                os.chmod(os.path.join(root, path), 0o755)
        return {rule for _, _, rule, _ in tidy.findings(root)}


class TidyTest(unittest.TestCase):
    def test_clean_tree_has_no_finding(self):
        self.assertEqual(rules_found({}), set())

    def test_each_fault_is_found_and_nothing_else(self):
        for rule, trees in FIXTURES.items():
            for files in trees:
                with self.subTest(rule=rule, files=files):
                    self.assertEqual(rules_found(files), {rule})

    def test_every_rule_has_a_fixture(self):
        for module in (tidy, tidy_docs, public_headers):
            with open(module.__file__, encoding="utf-8") as file:
                yields = [n.value for n in ast.walk(ast.parse(file.read()))
                          if isinstance(n, ast.Yield) and isinstance(n.value, ast.Tuple)]
            rules = {t.elts[2].value for t in yields
                     if len(t.elts) == 4 and isinstance(t.elts[2], ast.Constant)}
            self.assertGreaterEqual(len(rules), 3)
            self.assertLessEqual(rules | {banned[0] for banned in tidy.BANNED}, set(FIXTURES))

    def test_a_file_that_is_not_executable_is_no_command(self):
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "hack"))
            for path, text in (("hack/go", CLEAN["hack/go"]), ("README.md", "`hack/go`\n")):
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual([f[2] for f in tidy.findings(root)], ["document-command"])

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_in_a_checkout_only_what_git_tracks_is_read(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("tracked.txt", "of-a-build.txt"):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write("a path: " + "/root" + "/x\n")
            subprocess.run(["git", "init", "-q", root], check=True)
            subprocess.run(["git", "-C", root, "add", "tracked.txt"], check=True)
            self.assertEqual({f[0] for f in tidy.findings(root)}, {"tracked.txt"})

    def test_a_feature_names_a_test_a_suite_or_a_file(self):
        for test in ("`ClockTest.Ticks`", "`Ticks`", "contract `ClockTest`", "`ClockTest.T...`", "`e2e/scenarios/go.py`"):
            self.assertEqual(rules_found(features(test)), set())

    def test_templates_forward_declarations_and_the_like_need_no_export(self):
        self.assertEqual(rules_found({"include/capstan/clock.h": HEADER + "namespace util {\n"
            "class Clock;\nenum class Kind { kA };\ntemplate <class T>\nclass Box {\n};\nBox(int) -> Box<int>;\n"
            "inline int F() { return 1; }\nconstexpr int kSize = F();\nint G(int) = delete;\n}  // namespace util\n"}), set())

    def test_a_scenario_that_does_not_apply_needs_no_test(self):
        self.assertEqual(rules_found(conformance(SCENARIOS, "", "Does not apply: why.")), set())

    def test_wraps_and_short_functions_are_no_long_functions(self):
        self.assertEqual(rules_found(client(
            "int F(int a,\n      int b);\n" + "void G() {\n  H();\n}\n" * 40)), set())


if __name__ == "__main__":
    unittest.main()
