#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of hack/affected.py: the selection, its order, and the base of a change."""
import os
import shutil
import subprocess
import tempfile
import unittest

import affected

DAY = affected.DAY
NOON = 1_800_000_000


def library(name, tests=True, api=""):
    return f"capstan_library(NAME {name}{' API ' if api else ''}{api} SRCS a.cc\n  {'TESTS a_test.cc' if tests else ''})\n"


# rest uses util, cache uses rest; featuregate uses nothing.
TREE = {
    "CMakeLists.txt": "add_subdirectory(clientgo/util)\n",
    "clientgo/util/CMakeLists.txt": library("clientgo::util", api="clock.h"),
    "include/capstan/clock.h": "",
    "clientgo/util/clock.cc": '#include "capstan/clock.h"\n',
    "clientgo/util/clock_test.cc": '#include "capstan/clock.h"\n',
    "clientgo/rest/CMakeLists.txt": library("clientgo::rest", api="rest/client.h"),
    "include/capstan/rest/client.h": '#include "capstan/clock.h"\n',
    "clientgo/rest/client.cc": '#include "capstan/rest/client.h"\n',
    "clientgo/cache/CMakeLists.txt": library("clientgo::cache"),
    "clientgo/cache/store.cc": '#include "capstan/rest/client.h"\n',
    "clientgo/cache/testing/CMakeLists.txt": library("clientgo::cache::testing", tests=False),
    "clientgo/cache/testing/fake.h": "",
    "clientgo/cache/store_test.cc": '#include "clientgo/cache/testing/fake.h"\n',
    "featuregate/CMakeLists.txt": library("featuregate"),
    "featuregate/gate.cc": "",
    "fuzz/CMakeLists.txt": "capstan_fuzzer(gate Gate SRCS gate_fuzzer.cc DEPS x)\n",
    "fuzz/gate_fuzzer.cc": '#include "capstan/rest/client.h"\n',
}


def sources(*changed):
    return affected.affected_sources(TREE, list(changed))


def tests(*changed):
    return affected.affected_tests(TREE, list(changed))


class SourcesTest(unittest.TestCase):
    def test_includers_of_a_changed_header_follow_what_changed(self):
        self.assertEqual(sources("include/capstan/rest/client.h", "featuregate/gate.cc"), [
            (0, "featuregate/gate.cc"), (1, "clientgo/cache/store.cc"), (1, "clientgo/rest/client.cc"),
            (1, "fuzz/gate_fuzzer.cc")])

    def test_indirect_includers_come_last(self):
        self.assertEqual(sources("include/capstan/clock.h"), [
            (1, "clientgo/util/clock.cc"), (1, "clientgo/util/clock_test.cc"),
            (2, "clientgo/cache/store.cc"), (2, "clientgo/rest/client.cc"), (2, "fuzz/gate_fuzzer.cc")])

    def test_what_changed_last_comes_first(self):
        changed = ["featuregate/gate.cc", "clientgo/cache/store.cc"]
        self.assertEqual(sources(*changed), [(0, path) for path in changed])
        self.assertEqual(sources(*changed[::-1]), [(0, path) for path in changed[::-1]])

    def test_a_document_affects_nothing(self):
        self.assertEqual(sources("README.md"), [])

    def test_how_things_are_built_affects_all(self):
        for path in ("CMakePresets.json", "CMakeLists.txt", ".clang-tidy", "hack/cmake/X.cmake"):
            self.assertEqual({rank for rank, _ in sources(path)}, {2})
            self.assertEqual(len(sources(path)), sum(path.endswith(".cc") for path in TREE))

    def test_without_a_base_all_are_taken(self):
        self.assertEqual({rank for rank, _ in affected.affected_sources(TREE, None)}, {0})


class TestsTest(unittest.TestCase):
    def test_users_of_a_changed_folder_follow_it(self):
        self.assertEqual(tests("clientgo/util/clock.cc"), [
            (0, "clientgo_util_test"), (1, "clientgo_rest_test"), (2, "clientgo_cache_test"),
            (2, "gate_replay")])

    def test_a_folder_without_tests_affects_its_users(self):
        self.assertEqual(tests("clientgo/cache/testing/fake.h"), [(1, "clientgo_cache_test")])

    def test_test_data_belongs_to_the_folder_above(self):
        self.assertEqual(tests("featuregate/testdata/x.json"), [(0, "featuregate_test")])

    def test_a_removed_source_affects_its_folder(self):
        self.assertEqual(tests("featuregate/gone.cc"), [(0, "featuregate_test")])

    def test_how_things_are_built_affects_all(self):
        self.assertEqual(len(tests("CMakePresets.json")), 5)

    def test_without_a_base_all_are_taken(self):
        self.assertEqual(len(affected.affected_tests(TREE, None)), 5)

    def test_the_test_binaries_of_this_repository_are_found(self):
        found = affected.affected_tests(affected.read_tree(affected.ROOT), ["include/capstan/clock.h"])
        self.assertEqual(found[0], (0, "clientgo_util_test"))
        self.assertGreater(len(found), 30)


@unittest.skipUnless(shutil.which("git"), "there is no git here")
class BaseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments, date=NOON):
        environment = {**os.environ, "GIT_COMMITTER_DATE": f"{date} +0000",
                       "GIT_AUTHOR_DATE": f"{date} +0000", "GIT_CONFIG_GLOBAL": "/dev/null"}
        return subprocess.run(
            ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments],
            env=environment, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, path, text=""):
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, path, date):
        self.write(path, str(date))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", path, date=date)
        return self.git("rev-parse", "HEAD")

    def test_commits_of_one_day_are_one_change(self):
        self.commit("oldest.cc", NOON - 3 * DAY)
        base = self.commit("old.cc", NOON - DAY)
        self.commit("new.cc", NOON - DAY + 1)
        self.commit("newest.cc", NOON)
        found, why = affected.find_base(self.root, None)
        self.assertEqual(found, base)
        self.assertIn("a day older", why)
        self.assertEqual(affected.changed_files(self.root, base), ["newest.cc", "new.cc"])

    def test_files_that_are_not_committed_are_part_of_the_change(self):
        base = self.commit("old.cc", NOON - DAY)
        self.commit("new.cc", NOON)
        self.write("old.cc", "changed")
        self.write("untracked.cc")
        self.assertEqual(affected.changed_files(self.root, base), ["untracked.cc", "old.cc", "new.cc"])

    def test_a_pull_request_is_compared_with_where_it_left_its_base(self):
        fork = self.commit("old.cc", NOON - 1)
        self.commit("of_main.cc", NOON)
        self.git("checkout", "-q", "-b", "change", fork)
        self.commit("new.cc", NOON)
        self.assertEqual(affected.find_base(self.root, "main")[0], fork)
        self.assertEqual(affected.changed_files(self.root, fork), ["new.cc"])

    def test_an_unknown_base_is_an_error(self):
        self.commit("old.cc", NOON)
        with self.assertRaisesRegex(SystemExit, "CAPSTAN_BASE=gone"):
            affected.find_base(self.root, "gone")

    def test_a_young_history_has_no_base(self):
        self.commit("old.cc", NOON - DAY + 1)
        self.commit("new.cc", NOON)
        self.assertEqual(affected.find_base(self.root, None), (None, "no commit is a day older than HEAD"))

    def test_a_shallow_clone_has_no_base(self):
        self.commit("old.cc", NOON - 2 * DAY)
        self.commit("new.cc", NOON)
        clone = os.path.join(self.root, "clone")
        self.git("clone", "-q", "--depth=1", "file://" + self.root, clone)
        self.assertEqual(affected.find_base(clone, None), (None, "the clone is shallow"))

    def test_a_download_without_history_has_no_base(self):
        self.assertEqual(affected.find_base(tempfile.gettempdir(), None)[0], None)
        inner = os.path.join(self.root, "inner")  # a download inside another repository
        os.mkdir(inner)
        self.commit("old.cc", NOON - 2 * DAY)
        self.commit("new.cc", NOON)
        self.assertEqual(affected.find_base(inner, None), (None, "there is no git history here"))


if __name__ == "__main__":
    unittest.main()
