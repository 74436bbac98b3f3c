# SPDX-License-Identifier: Apache-2.0
"""1,000 runs of a suite with envtest on capstan-test-server, four at a time: none may fail.

It reports the time of a run, from the start of the process to its end.
"""
import concurrent.futures
import os
import subprocess
import time

from lib import test_server
from lib.scenario import check_equal

KINDS = ("embedded",)
SLOW = True
ALONE = True
RUNS = 1000
JOBS = 4


def run(scenario):
    test_server.need("go")
    folder = test_server.copy("go", scenario)
    test_server.run(["go", "test", "-c", "-o", "labeler.test", "."], folder, "", GOFLAGS="-mod=readonly")
    environment = {**os.environ, "KUBEBUILDER_ASSETS": test_server.assets(scenario)}

    def suite(_):
        start = time.monotonic()
        result = subprocess.run([os.path.join(folder, "labeler.test")], cwd=folder, check=False, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        return time.monotonic() - start, result.stdout[-3000:] if result.returncode else ""

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(suite, range(RUNS)))
    failures = [output for _, output in results if output]
    check_equal(f"failures of {RUNS} runs, the first of which is\n{''.join(failures[:1])}\n", len(failures), 0)
    times = sorted(seconds for seconds, _ in results)
    scenario.figure("seconds of a run, least, median, most",
                    f"{times[0]:.2f} {times[RUNS // 2]:.2f} {times[-1]:.2f}")
