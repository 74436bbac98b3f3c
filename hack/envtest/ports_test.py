#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that two runs of hack/suites do not use one port at once."""
import fcntl
import os
import socket
import tempfile
import unittest

import fetch
import plane
import ports


def is_locked(folder, port):
    with open(os.path.join(folder, f"port-{port}.lock"), "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class TurnTest(unittest.TestCase):
    def test_one_process_has_its_turn(self):
        with tempfile.TemporaryDirectory() as folder:
            port = plane.free_port()
            with ports.turn(port, folder):
                self.assertTrue(is_locked(folder, port))
            self.assertFalse(is_locked(folder, port))

    def test_refuses_a_port_that_another_program_has(self):
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::")):
            with self.subTest(address), tempfile.TemporaryDirectory() as folder, socket.socket(family) as other:
                other.bind((address, 0))
                other.listen()
                port = other.getsockname()[1]
                with self.assertRaisesRegex(fetch.Failure, f"port {port}: Address already in use"):
                    with ports.turn(port, folder):
                        self.fail("the port is taken")
                self.assertFalse(is_locked(folder, port))

    def test_most_suites_need_no_port(self):
        with ports.turn(0, "/nowhere"):
            pass


if __name__ == "__main__":
    unittest.main()
