#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that a benchmark writes its rows into the documents' tables, and nothing else."""
import unittest

import document

TEXT = f"""# Page

| peak | 1 |

{document.marker("x")}

| figure | ours | allowed |
|---|---|---|
| CPU, s | 1.0 (0.9 to 1.1) | 2 |
| peak | 5 | 6 |

| peak | 1 |
{document.marker("other")}
| figure | ours |
|---|---|
| peak | 7 |"""


class DocumentTest(unittest.TestCase):
    def test_writes_measured_rows_of_its_tables(self):
        new, missing = document.rewritten(TEXT, "x", {"peak": ["9 (8 to 10)", "6: **missed**"], "unused": ["0", ""]})
        self.assertEqual(new, TEXT.replace("| peak | 5 | 6 |", "| peak | 9 (8 to 10) | 6: **missed** |"))
        self.assertEqual(missing, ["CPU, s"])

    def test_names_each_figure_that_was_not_measured(self):
        self.assertEqual(document.rewritten(TEXT, "x", {}), (TEXT, ["CPU, s", "peak"]))

    def test_each_table_that_names_a_benchmark_names_one_that_writes(self):
        for path in document.DOCUMENTS:
            with open(f"{document.ROOT}/{path}", encoding="utf-8") as file:
                marked = [line for line in file.read().split("\n") if line.startswith("<!-- measured by ")]
            known = [document.marker(name) for name in ("injector", "runtime")]
            self.assertEqual([line for line in marked if line not in known], [], path)

    def test_the_demo_has_the_figures_of_the_documents(self):
        with open(f"{document.ROOT}/docs/performance.md", encoding="utf-8") as file:
            rows = {line.split(" | ")[0]: line.split(" | ")[2].split(" ")[0] for line in file if line.count(" | ") > 2}
        with open(f"{document.ROOT}/cmd/capstan-demo/demo.cc", encoding="utf-8") as file:
            demo = file.read()
        for figure in ("| 20,000 Secrets: peak memory, MiB",
                       "| start beside 20,000 Secrets until 50 targets are in sync, s"):
            self.assertIn(rows[figure], demo)


if __name__ == "__main__":
    unittest.main()
