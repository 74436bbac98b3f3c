# SPDX-License-Identifier: Apache-2.0
"""Fixed ports on which the tests of a suite listen.

A Manager of controller-runtime listens on port 8080 for its metrics unless a test says otherwise, and does not
start without it. Then a test that waits for its Manager waits until its time limit, on every server.
"""
import contextlib
import fcntl
import os
import socket

import fetch


def check_free(port):
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Go: connections that have ended do not count
        try:
            listener.bind(("", port))
        except OSError as error:
            raise fetch.Failure(f"its tests listen on port {port}: {error.strerror}; end the program that "
                                f"listens there (ss -ltnp 'sport = {port}')") from None


@contextlib.contextmanager
def turn(port, folder):
    """Waits while another process of this machine has its turn with the port. 0: no port is needed."""
    if port == 0:
        yield
        return
    with open(os.path.join(folder, f"port-{port}.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        check_free(port)
        yield
