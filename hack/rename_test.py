#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of hack/rename: includes, names, and what it leaves to a person."""
import importlib.machinery
import importlib.util
import os
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "rename")
LOADER = importlib.machinery.SourceFileLoader("rename", SCRIPT)
rename = importlib.util.module_from_spec(importlib.util.spec_from_loader("rename", LOADER))
LOADER.exec_module(rename)
INCLUDE = os.path.join(os.path.dirname(SCRIPT), "..", "include")

OLD = '''\
#include "capstan/clientgo/util/clock.h"
#include <capstan/controller_runtime/builder.h>
#include "capstan/clientgo/cache/store.h"
#include "capstan/kind/schema.h"
namespace clientgo = capstan::clientgo;
using capstan::RestMapper;
using clientgo::util::Clock;
using capstan::clientgo::runtime::ObjectPtr;
void F(capstan::controller_runtime::Manager&, const capstan::ObjectKey&, ::capstan::clientgo::rest::Client&);
'''
NEW = '''\
#include "capstan/clock.h"
#include <capstan/builder.h>
#include "capstan/cache/store.h"
#include "capstan/detail/schema.h"
using capstan::restmapper::RestMapper;
using capstan::Clock;
using capstan::runtime::ObjectPtr;
void F(capstan::Manager&, const capstan::runtime::ObjectKey&, ::capstan::rest::Client&);
'''


class RenameTest(unittest.TestCase):
    def test_rewrites_includes_and_names(self):
        self.assertEqual(rename.renamed(OLD), NEW)

    def test_a_second_run_changes_nothing(self):
        self.assertEqual(rename.renamed(NEW), NEW)

    def test_keeps_names_that_the_front_door_has(self):
        text = '#include "capstan/capstan.h"\ncapstan::ObjectKey key; capstan::DiscoveryClient* client;\n'
        self.assertEqual(rename.renamed(text), text.replace("::Discovery", "::discovery::Discovery"))

    def test_keeps_variables_with_the_name_of_a_package(self):
        text = "std::string program;\nreturn program;\n"
        self.assertEqual(rename.renamed(text), text)

    def test_headers_of_every_rule_exist(self):
        for old in ("capstan/clientgo/util/error.h", "capstan/clientgo/workqueue/queue.h", "capstan/client/patch.h",
                    "capstan/controller_runtime/manager.h", "capstan/program/program.h", "capstan/webhook/server.h",
                    "capstan/testing/apiserver/server.h", *rename.HEADERS):
            with self.subTest(old):
                self.assertTrue(os.path.exists(os.path.join(INCLUDE, rename.new_header(old))))

    def test_prints_lines_that_a_person_has_to_look_at(self):
        self.assertEqual(list(rename.left("int a;\nusing namespace clientgo;\n// clientgo::x\n")),
                         [(2, "using namespace clientgo;")])

    def test_check_changes_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.cc")
            with open(path, "w", encoding="utf-8") as file:
                file.write(OLD)
            run = [SCRIPT, "--check", folder]
            self.assertEqual(subprocess.run(run, stdout=subprocess.DEVNULL, check=False).returncode, 1)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), OLD)
            subprocess.run([SCRIPT, folder], stdout=subprocess.DEVNULL, check=True)
            self.assertEqual(subprocess.run(run, stdout=subprocess.DEVNULL, check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
