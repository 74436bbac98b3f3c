# SPDX-License-Identifier: Apache-2.0
"""A real containerd in its own folder, with one image and no network plugin."""
import hashlib
import io
import json
import os
import signal
import subprocess
import tarfile
import time

from lib.cluster import ROOT
from lib.scenario import Skipped

IMAGE = "capstan.test/pause:1"
PAUSE = """#include <signal.h>
#include <unistd.h>
static void end(int s) { (void)s; _exit(0); }
int main(void) { signal(SIGTERM, end); for (;;) pause(); }
"""
CONFIG = """version = 2
root = "{folder}/root"
state = "{folder}/state"
[grpc]
  address = "{folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{image}"
  stream_server_port = "0"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{folder}/cni/bin"
    conf_dir = "{folder}/cni/net.d"
"""


def write_image(folder):
    """Returns a tar for `ctr images import`: one layer with one static program."""
    with open(os.path.join(folder, "pause.c"), "w", encoding="utf-8") as file:
        file.write(PAUSE)
    subprocess.run(["cc", "-static", "-Os", "-o", "pause", "pause.c"], cwd=folder, check=True)

    def pack(name, files):
        with tarfile.open(os.path.join(folder, name), "w") as archive:
            for path, data in files.items():
                info = tarfile.TarInfo(path)
                info.size, info.mode = len(data), 0o755
                archive.addfile(info, io.BytesIO(data))
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    with open(os.path.join(folder, "pause"), "rb") as file:
        layer = pack("layer.tar", {"pause": file.read()})
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    config = json.dumps({
        "architecture": machine, "os": "linux", "config": {"Entrypoint": ["/pause"]},
        "rootfs": {"type": "layers",
                   "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode()
    name = hashlib.sha256(config).hexdigest() + ".json"
    manifest = [{"Config": name, "RepoTags": [IMAGE], "Layers": ["layer.tar"]}]
    pack("image.tar", {"layer.tar": layer, name: config,
                       "manifest.json": json.dumps(manifest).encode()})


class Containerd:
    """`suite`: the Debian whose containerd runs; see e2e/runtime/build."""

    def __init__(self, folder, suite):
        if os.geteuid() != 0:
            raise Skipped("needs root: containerd makes namespaces and mounts")
        build = subprocess.run([os.path.join(ROOT, "e2e/runtime/build"), suite], check=False, text=True,
                               capture_output=True)
        if build.returncode != 0:
            raise Skipped("no containerd here: " + build.stderr.strip().splitlines()[-1])
        self.binaries, self.folder = build.stdout.strip(), folder
        self.socket = os.path.join(folder, "containerd.sock")
        self.process = None
        self.environment = {**os.environ, "PATH": self.binaries + ":" + os.environ["PATH"]}
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(CONFIG.format(folder=folder, image=IMAGE))
        write_image(folder)

    def version(self):
        return subprocess.run([self.binaries + "/containerd", "--version"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.split()[2]

    def start(self):
        with open(os.path.join(self.folder, "containerd.log"), "ab") as log:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [self.binaries + "/containerd", "-c", os.path.join(self.folder, "config.toml")],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)
        for _ in range(150):
            done = self.ctr("images", "import", os.path.join(self.folder, "image.tar"))
            if done.returncode == 0:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        raise Skipped(f"containerd does not start here: {self.log_tail()}")

    def ctr(self, *arguments):
        return subprocess.run([self.binaries + "/ctr", "-a", self.socket, "-n", "k8s.io",
                               *arguments], check=False, capture_output=True, text=True)

    def log_tail(self):
        with open(os.path.join(self.folder, "containerd.log"), encoding="utf-8") as file:
            return file.read()[-600:]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
