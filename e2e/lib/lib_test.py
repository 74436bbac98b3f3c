#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the scenarios rely on to fail: that their own helpers can say no."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from lib import console  # pylint: disable=wrong-import-position

PAGE = """# A page
<!-- until: test -e made -->
```console
$ echo at 2026-05-06T07:08:09Z on 127.0.0.1:9402; exit_code() {{ return 3; }}
{}
$ exit_code; echo $?
3
```
"""


class ConsoleTest(unittest.TestCase):
    def played(self, page, actual):
        shell = console.Shell("/", {})
        self.addCleanup(shell.close)
        self.addCleanup(shell.process.stdin.close)
        self.addCleanup(shell.process.stdout.close)
        return console.played(page, "embedded", shell, {"test -e made": "true", **actual})

    def test_a_true_page_stays_as_it_is(self):
        page = PAGE.format("at 2026-01-02T03:04:05Z on 127.0.0.1:9402")
        self.assertEqual(self.played(page, {":9402": ":31234"}), page)

    def test_another_output_is_another_page(self):
        page = PAGE.format("at 2026-01-02T03:04:05Z on 127.0.0.1:9403")
        self.assertIn("\nat 2026-01-02T03:04:05Z on 127.0.0.1:9402\n$ exit", self.played(page, {}))

    def test_what_is_for_another_kind_is_not_run(self):
        page = "<!-- only: real -->\n```console\n$ exit 1\n```\n"
        self.assertEqual(self.played(page, {}), page)

    def test_a_shell_that_ends_is_an_error(self):
        with self.assertRaisesRegex(AssertionError, "the shell ended: exit 1"):
            self.played("```console\n$ exit 1\n```\n", {})


if __name__ == "__main__":
    unittest.main()
