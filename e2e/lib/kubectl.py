# SPDX-License-Identifier: Apache-2.0
"""Uses a cluster through kubectl and helm, like its administrator."""
import json
import os
import subprocess
import threading
import time


class Kubectl:
    """kubectl and helm use only this cluster, because its folder has their configuration."""

    def __init__(self, folder, path=None):
        self.folder = folder
        self.environment = {"KUBECONFIG": self.path("kubeconfig"), "PATH": path or os.environ["PATH"],
                            **{f"HELM_{name}_HOME": self.path("helm")
                               for name in ("CACHE", "CONFIG", "DATA")}}

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, seconds=300, given=None, check=True):
        """Returns the output of a command. Raises AssertionError with the output when it fails."""
        result = subprocess.run(command, capture_output=True, text=True, timeout=seconds,
                                input=given, env={**os.environ, **self.environment}, check=False)
        if check and result.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: exit {result.returncode}: "
                                 f"{(result.stderr or result.stdout).strip()[-2000:]}")
        return result.stdout if check else result

    def kubectl(self, *words, **options):
        return self.run("kubectl", *words, **options)

    def get(self, *words):
        """Returns an object, or the items of a list."""
        found = json.loads(self.kubectl("get", *words, "-o", "json"))
        return found["items"] if found["kind"].endswith("List") else found

    def apply(self, *objects):
        body = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "-f", "-", given=json.dumps(body))

    def wait(self, condition, what, seconds=120):
        """Waits until condition() is true and does not raise. Returns the seconds."""
        start, last = time.monotonic(), ""
        while time.monotonic() - start < seconds:
            try:
                if condition():
                    return time.monotonic() - start
                last = ""
            except (AssertionError, KeyError, IndexError) as error:
                last = f" ({error!r})"[:500]
            time.sleep(0.2)
        raise AssertionError(f"not within {seconds} s: {what}{last}")

    def figure(self, what, value):
        print(f"  {what}: {value}", flush=True)


class Watch(threading.Thread):
    """Calls a function with a line for each version of some objects. A context manager.

    `words`: which objects, as for kubectl get. `template`: a JSONPath without a line end.
    """

    def __init__(self, cluster, words, template, function):
        super().__init__(daemon=True)
        self.function = function
        self.process = subprocess.Popen(
            ["kubectl", "get", *words, "--watch", "-o", f'jsonpath={template}{{"\\n"}}'], text=True,
            stdout=subprocess.PIPE, env={**os.environ, **cluster.environment})

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.join()

    def run(self):
        for line in self.process.stdout:
            self.function(line.rstrip("\n"))


class Repeat(threading.Thread):
    """Calls a function without a pause until `stop`, and keeps the failures that it returns.

    A context manager. The function returns the reason of a failure, or "".
    """

    def __init__(self, function):
        super().__init__(daemon=True)
        self.function, self.ended = function, threading.Event()
        self.calls, self.failures = 0, []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()

    def run(self):
        while not self.ended.is_set():
            failure = self.function()
            self.calls += 1
            if failure:
                self.failures.append(failure)
