# SPDX-License-Identifier: Apache-2.0
"""Threads that keep a cluster busy during a scenario."""
import threading


class BusyThreads:
    """A context manager: runs `work(*arguments)` in a thread for each element of `arguments_of_each`.

    `work` returns when `self.stop` is set, which leaving the context does.
    """

    def __init__(self, work, arguments_of_each):
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=work, args=arguments)
                        for arguments in arguments_of_each]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()
