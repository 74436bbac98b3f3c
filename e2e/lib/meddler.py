# SPDX-License-Identifier: Apache-2.0
"""Another client that writes targets constantly, so that our writes meet conflicts."""
import time

from lib import kube
from lib.busy_threads import BusyThreads


class Meddler(BusyThreads):
    """Labels the objects at `paths` in a loop."""

    def __init__(self, cluster, paths, threads=2):
        super().__init__(self.work, [(cluster.client(), paths, number)
                                     for number in range(threads)])
        self.errors = []

    def __exit__(self, *exception):
        super().__exit__(*exception)
        assert not self.errors, f"the meddler failed: {self.errors[0]}"

    def work(self, client, paths, number):
        count = 0
        while not self.stop.is_set():
            for path in paths:
                count += 1
                try:
                    client.merge_patch(path, {"metadata": {"labels": {
                        f"meddler-{number}": str(count)}}})
                except kube.ApiError as error:
                    if error.code != 409:  # another thread was faster
                        self.errors.append(error)
                        return


def refused(manager, code):
    return manager.metric("rest_client_requests_total", code=str(code)) or 0


def rotate_until_conflict(manager, rotate, seconds=60):
    """Rotates until the API server has rejected a write with 409. Returns the last rotate()."""
    before, deadline = refused(manager, 409), time.monotonic() + seconds
    while True:
        last = rotate()
        time.sleep(0.3)
        if refused(manager, 409) > before:
            return last
        assert time.monotonic() < deadline, f"no conflict within {seconds} s"
