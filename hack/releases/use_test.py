#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses a finished release as its users do: registry, chart, archives, packages, bills of materials.

usage: hack/releases/use_test.py DIR HELM     hack/releases/test makes DIR and calls this
"""
import glob
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "images")]
import verify  # pylint: disable=wrong-import-position

RELEASE, HELM = "", ""
MACHINES = {"amd64": "X86-64", "arm64": "AArch64"}
EMULATOR = {"amd64": [], "arm64": ["qemu-aarch64"]}


def output(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300,
                          env={**os.environ, **environment}).stdout


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Registry:
    """Debian's docker-registry on the loopback interface, with its files in a folder."""

    def __init__(self, folder):
        self.host = f"127.0.0.1:{free_port()}"
        config = os.path.join(folder, "config.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {folder}/files\n"
                       f"http:\n  addr: {self.host}\nlog:\n  level: error\n")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(["docker-registry", "serve", config], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        host, port = self.host.split(":")
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection((host, int(port)), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class UseTest(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="capstan-release-")
        self.addCleanup(shutil.rmtree, self.work)
        self.version = os.path.basename(self.one("capstan-*.tgz"))[len("capstan-"):-len(".tgz")]

    def one(self, pattern):
        path, = glob.glob(os.path.join(RELEASE, pattern))
        return path

    def test_it_verifies(self):
        self.assertEqual(3, len(list(verify.checks(RELEASE, ""))))

    def test_registry_takes_images_with_both_architectures(self):
        registry = Registry(self.work)
        self.addCleanup(registry.stop)
        images = verify.Folder(RELEASE).images()
        self.assertEqual({"capstan-controller-manager", "capstan-cri-event-broker", "capstan-node-agent",
                          "capstan-test-server"}, set(images))
        for name, digest in images.items():
            target = f"docker://{registry.host}/{name}:{self.version}"
            output("skopeo", "copy", "--all", "--dest-tls-verify=false",
                   f"oci-archive:{self.one(name + '_*_image.tar')}", target)
            inspected = output("skopeo", "inspect", "--tls-verify=false", "--format", "{{.Digest}}", target)
            self.assertEqual(digest, inspected.strip())
            for architecture in MACHINES:
                config = json.loads(output("skopeo", "inspect", "--tls-verify=false", "--override-arch", architecture,
                                           "--config", target))
                self.assertEqual(architecture, config["architecture"])
                self.assertEqual([f"/usr/bin/{name}"], config["config"]["Entrypoint"])
            for signature in glob.glob(os.path.join(RELEASE, name + "_*_image.sig.tar")):
                tag = digest.replace(":", "-") + ".sig"
                output("skopeo", "copy", "--dest-tls-verify=false", "oci-archive:" + signature,
                       f"docker://{registry.host}/{name}:{tag}")

    def test_chart_comes_from_the_file_and_from_a_registry(self):
        registry = Registry(self.work)
        self.addCleanup(registry.stop)
        chart = self.one("capstan-*.tgz")
        rendered = output(HELM, "template", "capstan", chart, "--kube-version", "1.34.0")
        self.assertIn(f"capstan-controller-manager:{self.version}", rendered)
        output(HELM, "push", chart, f"oci://{registry.host}/charts", "--plain-http")
        where = f"oci://{registry.host}/charts/capstan"
        output(HELM, "pull", where, "--version", self.version, "--plain-http", "--destination", self.work)
        with open(chart, "rb") as file, open(os.path.join(self.work, os.path.basename(chart)), "rb") as pulled:
            self.assertEqual(file.read(), pulled.read())
        self.assertEqual(rendered, output(HELM, "template", "capstan", where, "--version", self.version,
                                          "--plain-http", "--kube-version", "1.34.0"))

    def test_archives_have_a_static_program_that_runs(self):
        for architecture, machine in MACHINES.items():
            folder = os.path.join(self.work, architecture)
            with tarfile.open(self.one(f"capstan_*_linux_{architecture}.tar.gz")) as tar:
                tar.extractall(folder)
            program = os.path.join(folder, "capstan")
            self.assertIn(machine, output("readelf", "--file-header", program))
            self.assertNotIn("NEEDED", output("readelf", "--dynamic", program))
            self.assertIn(f"capstan {self.version} (", output(*EMULATOR[architecture], program, "version"))
            self.assertIn("explain", output(*EMULATOR[architecture], program, "completion", "bash"))
            for name in ("LICENSE", "capstan.1", "completion/bash/capstan", "completion/zsh/_capstan",
                         "completion/fish/capstan.fish"):
                self.assertTrue(os.path.getsize(os.path.join(folder, name)), name)

    def test_archives_of_the_test_server_are_a_folder_for_envtest(self):
        for architecture in MACHINES:
            folder = os.path.join(self.work, architecture)
            with tarfile.open(self.one(f"capstan-test-server_*_linux_{architecture}.tar.gz")) as tar:
                tar.extractall(folder)
            self.assertNotIn("NEEDED", output("readelf", "--dynamic", os.path.join(folder, "capstan-test-server")))
            for name in ("kube-apiserver", "etcd"):
                self.assertEqual("capstan-test-server", os.readlink(os.path.join(folder, name)))
                self.assertIn("Usage:\n  " + name, output(*EMULATOR[architecture], *(
                    ["-0", os.path.join(folder, name)] if EMULATOR[architecture] else []),
                    os.path.join(folder, name), "--help"))

    def test_packages_are_of_their_architecture_and_have_dependencies(self):
        packages = glob.glob(os.path.join(RELEASE, "*.deb"))
        self.assertEqual(12, len(packages))
        for path in packages:
            name, version, architecture = os.path.basename(path)[:-len(".deb")].split("_")
            fields = output("dpkg-deb", "-f", path, "Package", "Version", "Architecture", "Depends")
            self.assertIn(f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n", fields)
            self.assertIn("libc6 (>=", fields)
            self.assertEqual("broker" in name, "libgrpc++" in fields, fields)
            root = os.path.join(self.work, "root")
            output("dpkg-deb", "-x", path, root)
            program = os.path.join(root, "usr/bin", name)
            self.assertIn(MACHINES[architecture], output("readelf", "--file-header", program))
            for line in output("dpkg-deb", "-c", path).splitlines():
                self.assertEqual("root/root", line.split()[1], line)

    def test_bills_of_materials_have_the_same_packages_for_both_architectures(self):
        for name in ("capstan-controller-manager_*_image", "capstan-node-agent_*_image",
                     "capstan-cri-event-broker_*_image", "capstan_*_linux",
                     "capstan-test-server_*_linux"):
            versions = []
            for architecture in MACHINES:
                with open(self.one(f"{name}_{architecture}.spdx.json"), encoding="utf-8") as file:
                    spdx = json.load(file)
                with open(self.one(f"{name}_{architecture}.cdx.json"), encoding="utf-8") as file:
                    components = json.load(file)["components"]
                found = {item["name"]: item["versionInfo"].partition("+b")[0] for item in spdx["packages"][1:]}
                self.assertEqual(set(found), {item["name"] for item in components})
                versions.append(found)
            # Debian's libunwind is only in the libraries of amd64.
            shared = set(versions[0]) & set(versions[1])
            self.assertGreaterEqual(len(shared), 10, name)
            self.assertEqual({key: versions[0][key] for key in shared}, {key: versions[1][key] for key in shared})

    def test_no_file_has_a_path_of_its_build(self):
        for path in glob.glob(os.path.join(RELEASE, "*.json")) + [self.one("capstan.krew.yaml")]:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for word in ("/.cache/", "sysroot-a", "/tmp/", os.path.dirname(os.path.dirname(HERE))):
                self.assertNotIn(word, text, path)


if __name__ == "__main__":
    RELEASE, HELM = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    result = unittest.TextTestRunner(verbosity=1).run(unittest.TestLoader().loadTestsFromTestCase(UseTest))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
