#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the comparison with Go finds differences. usage: compare_test.py PATH_OF_CAPSTAN_ORACLE

The peer in these tests is capstan_oracle itself, or a program that changes what it reads or writes.
"""
import argparse
import contextlib
import io
import os
import re
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import accepted  # pylint: disable=wrong-import-position
import compare  # pylint: disable=wrong-import-position
import generate  # pylint: disable=wrong-import-position
import pairs  # pylint: disable=wrong-import-position
import shrink  # pylint: disable=wrong-import-position

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
ORACLE = ""
HEAD = """#!/usr/bin/env python3
import struct, sys
def inputs():
    while prefix := sys.stdin.buffer.read(4):
        yield sys.stdin.buffer.read(struct.unpack(">I", prefix)[0])
for text in inputs():
"""


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, body):
        """Writes a program that runs `body` for each input `text`."""
        path = os.path.join(self.folder.name, f"program{len(os.listdir(self.folder.name))}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def run_pair(self, pair, peer, ours, count=0):
        """Returns (whether it passed, the output)."""
        options = argparse.Namespace(count=count, seed="1", peer=peer, findings=os.path.join(self.folder.name, "findings"))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            passed = compare.run_pair(
                pair, (compare.Reader(peer, pair.name), compare.Reader(ours, pair.name)), options)
        return passed, output.getvalue()

    def test_equal_answers_pass(self):
        echo = self.program("print(text)")
        passed, output = self.run_pair(pairs.Pair("x", ["a"], [b"1", b"2"], corpus=[b"1"]), echo, echo, 100)
        self.assertTrue(passed)
        self.assertIn("x: 100 inputs, 0 differ", output)

    def test_a_difference_is_found_made_small_and_kept(self):
        echo, other = self.program("print(text)"), self.program("print(text + b'?' if b'a' in text else text)")
        pair = pairs.Pair("x", ["a"], [b"1", b"2"], corpus=[b"12345 x"])
        passed, output = self.run_pair(pair, echo, other, 50)
        self.assertFalse(passed)
        self.assertIn('  input:   "a"\n', output)
        self.assertEqual([b"a"], pairs.load(os.path.join(self.folder.name, "findings", "x.jsonl")))

    def test_an_input_that_ends_the_program_is_found(self):
        echo, other = self.program("print(text)"), self.program("if text == b'2': sys.exit(3)\nprint(text)")
        pair = pairs.Pair("x", ["1"], [b"8", b"9"], corpus=[b"1", b"2", b"3"])
        passed, output = self.run_pair(pair, echo, other)
        self.assertFalse(passed)
        self.assertIn("x: 3 inputs, 1 differ", output)
        self.assertIn("ended: exit code 3", output)

    def test_a_reader_with_one_answer_for_everything_fails(self):
        same = self.program("print('refused')")
        passed, output = self.run_pair(pairs.Pair("x", ["1"], [b"1", b"2"], corpus=[b"1"]), same, same)
        self.assertFalse(passed)
        self.assertIn("Go gives different inputs the same answer", output)

    def test_the_same_seed_makes_the_same_inputs(self):
        for pair in pairs.load_pairs().values():
            first, again = (generate.Generator(pair, "7") for _ in range(2))
            self.assertEqual(first.batch(100), again.batch(100))
            self.assertNotEqual(first.batch(100), generate.Generator(pair, "8").batch(100))

    def test_shrinking_keeps_the_condition(self):
        def failing(inputs):
            return [b"b" in text and b"d" in text for text in inputs]

        self.assertEqual(b"bd", shrink.shrunk(b"a b c d e", lambda text: re.findall(rb"\S+|\s", text), failing))


class PairsTest(ProgramsTest):
    def test_each_mode_finds_a_deliberate_difference(self):
        for pair in pairs.load_pairs().values():
            with self.subTest(pair.name):
                inputs = compare.made(None, pair.witnesses) if pair.forged else list(pair.witnesses)
                self.assertGreater(len(inputs), 1)
                answers = compare.Reader(ORACLE, pair.name).answers(inputs)
                # The peer answers each input as capstan answers the next.
                peer = self.program(f"print({dict(zip(inputs, answers[1:] + answers[:1]))!r}[text])")
                readers = [compare.Reader(program, pair.name) for program in (peer, ORACLE)]
                comparison = compare.Comparison(pair, *readers, forge=None)
                comparison.run(pair.witnesses)
                self.assertEqual(len(inputs), len(comparison.findings) + sum(comparison.explained.values()))

    def test_capstan_tells_the_witnesses_apart(self):
        for pair in pairs.load_pairs().values():
            with self.subTest(pair.name):
                self.assertEqual([], compare.check_witnesses(pair, compare.Reader(ORACLE, pair.name), "capstan"))

    def test_each_corpus_belongs_to_a_pair(self):
        names = {f"{name}.jsonl" for name in pairs.load_pairs()}
        self.assertEqual(names, set(os.listdir(pairs.CORPUS)))

    def test_each_accepted_difference_has_a_row_and_each_row_a_condition(self):
        with open(os.path.join(ROOT, "docs", "differences.md"), encoding="utf-8") as file:
            documented = re.findall(r"^\| `([\w-]+)` \|", file.read(), re.M)
        accepted_rows = [row for rows in accepted.ACCEPTED.values() for row in rows]
        self.assertEqual(sorted(documented), sorted(set(accepted_rows)))  # several pairs may share a row
        self.assertLessEqual(set(accepted.ACCEPTED), set(pairs.load_pairs()))


if __name__ == "__main__":
    ORACLE = sys.argv.pop(1)
    unittest.main()
