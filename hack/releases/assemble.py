#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of a release from built programs; hack/release builds them and calls this.

usage: hack/releases/assemble.py --version V --commit SHA --epoch SECONDS --repository URL [--key FILE]
         --build ARCH=BUILD_DIR=SYSROOT... --packages DIR --chart FILE --out DIR

--packages has the .deb files, --chart is helm's package of the chart.
"""
import argparse
import dataclasses
import glob
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LICENCE = os.path.join(ROOT, "LICENSE")
sys.path[:0] = [HERE, os.path.join(ROOT, "hack/images")]
import archive  # pylint: disable=wrong-import-position
import cyclonedx  # pylint: disable=wrong-import-position
import krew  # pylint: disable=wrong-import-position
import oci  # pylint: disable=wrong-import-position
import provenance  # pylint: disable=wrong-import-position
import rootfs  # pylint: disable=wrong-import-position
import sbom  # pylint: disable=wrong-import-position
import signing  # pylint: disable=wrong-import-position

IMAGES = ["capstan-controller-manager", "capstan-node-agent", "capstan-cri-event-broker", "capstan-test-server"]
GCC = subprocess.run(["g++", "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
# The packages of the machine that make the programs' bytes.
TOOLS = ["binutils", "cmake", f"g++-{GCC}", f"g++-{GCC}-aarch64-linux-gnu", "protobuf-compiler-grpc"]
SUMS = "SHA256SUMS"


@dataclasses.dataclass(frozen=True)
class Build:
    """The programs of one architecture."""
    architecture: str
    folder: str
    system: rootfs.System

    def program(self, name):
        return os.path.join(self.folder, "bin", name)

    def read(self, path):
        return rootfs.read(os.path.join(self.folder, path))


class Release:
    """The folder of a release while it is filled."""

    def __init__(self, options):
        self.options, self.out = options, options.out
        self.builds = [Build(arch, folder, rootfs.System(sysroot))
                       for arch, folder, sysroot in (text.split("=") for text in options.build)]
        self.created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(options.epoch))
        self.digests = {}  # of each image's index

    def file(self, name):
        """Returns the first part of a file's name."""
        return f"{name}_{self.options.version}"

    def write(self, name, data):
        with open(os.path.join(self.out, name), "wb") as file:
            file.write(data)
        return provenance.sha256(data)

    def write_json(self, name, value):
        self.write(name, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())

    def write_contents(self, stem, subject, entries, program, build):
        """Writes both bills of materials."""
        spdx = sbom.document(subject, self.created, entries, rootfs.linked(program, build.system), build.system)
        self.write_json(stem + ".spdx.json", spdx)
        self.write_json(stem + ".cdx.json", cyclonedx.document(spdx))

    def add_image(self, name):
        images = []
        for build in self.builds:
            program = build.program(name)
            entries = rootfs.collect(program, LICENCE, system=build.system)
            labels = oci.labels(name, self.options.version, self.options.commit[:12])
            image = oci.Image(entries, name, build.architecture, rootfs.USERS.get(name, rootfs.USER), labels)
            images.append(image)
            self.write_contents(f"{self.file(name)}_image_{build.architecture}",
                                sbom.Subject(name, self.options.version, image.manifest), entries, program, build)
        files = oci.layout(images, f"{name}:{self.options.version}")
        oci.archive(files, os.path.join(self.out, self.file(name) + "_image.tar"))
        self.digests[name] = oci.digest(oci.image_index(images))

    def add_archive(self, build, name, more):
        """Writes the archive of a static program with more files. Returns its name and SHA-256."""
        program = build.program(name)
        if rootfs.libraries(program, build.system):
            raise rootfs.Failure(f"{program} is not static; hack/archives {build.architecture} makes the archives")
        files = {name: (rootfs.stripped(program, build.system), 0o755),
                 "LICENSE": (rootfs.read(LICENCE), 0o644),
                 f"{name}.1": (build.read(f"man/{name}.1"), 0o644), **more}
        stem = f"{self.file(name)}_linux_{build.architecture}"
        data = archive.tar_gz(files, self.options.epoch)
        digest = self.write(stem + ".tar.gz", data)
        entries = [rootfs.Entry(path, content, mode) for path, (content, mode) in sorted(files.items())
                   if mode is not None]
        self.write_contents(stem, sbom.Subject(name, self.options.version, "sha256:" + digest, "APPLICATION"),
                            entries, program, build)
        return stem + ".tar.gz", digest

    def add_cli(self, build):
        completion = {}
        for name in ("capstan", "_capstan", "capstan.fish"):
            shell = {"capstan": "bash", "_capstan": "zsh", "capstan.fish": "fish"}[name]
            completion[f"completion/{shell}/{name}"] = (build.read("completion/" + name), 0o644)
        return self.add_archive(build, "capstan", completion)

    def add_test_server(self, build):
        """Writes an archive whose folder can be $KUBEBUILDER_ASSETS."""
        link = (b"capstan-test-server", None)
        return self.add_archive(build, "capstan-test-server", {"kube-apiserver": link, "etcd": link})

    def add_packages(self):
        for path in sorted(glob.glob(os.path.join(self.options.packages, "*.deb"))):
            shutil.copyfile(path, os.path.join(self.out, os.path.basename(path)))

    def add_krew(self, archives):
        base = f"{self.options.repository}/releases/download/v{self.options.version}/"
        platforms = [(build.architecture, base + name, digest)
                     for build, (name, digest) in zip(self.builds, archives)]
        self.write("capstan.krew.yaml", krew.manifest(self.options.version, platforms).encode())

    def names(self):
        return sorted(os.listdir(self.out))

    def sum_of(self, name):
        return provenance.sha256(rootfs.read(os.path.join(self.out, name)))

    def add_provenance(self):
        """Returns the statement's bytes."""
        subjects = {name: self.sum_of(name) for name in self.names()}
        subjects.update({name: digest.removeprefix("sha256:") for name, digest in self.digests.items()})
        packages = [line for build in self.builds
                    for line in build.system.read("/packages.txt").decode().splitlines()]
        lines = rootfs.MACHINE.query("-W", "-f", "${Package} ${Version} ${Architecture}\n", *TOOLS).splitlines()
        release = {"version": self.options.version, "commit": self.options.commit,
                   "source": self.options.repository,
                   "architectures": [build.architecture for build in self.builds]}
        statement = oci.as_json(provenance.statement(
            release, subjects, packages, [sbom.purl(*line.split()) for line in lines]))
        self.write(self.file("capstan") + ".provenance.json", statement)
        return statement

    def add_sums(self):
        text = "".join(f"{self.sum_of(name)}  {name}\n" for name in self.names())
        self.write(SUMS, text.encode())
        return text.encode()

    def sign(self, statement, sums):
        """Writes the signatures, which are not in SHA256SUMS."""
        key = self.options.key
        self.write("capstan.pub", signing.public_key(key))
        self.write(SUMS + ".sig", (signing.sign(sums, key) + "\n").encode())
        self.write(self.file("capstan") + ".provenance.intoto.jsonl",
                   oci.as_json(signing.envelope(statement, key)) + b"\n")
        for name, digest in self.digests.items():
            payload = signing.image_payload(name, digest)
            blobs, manifest = oci.artifact([(signing.SIMPLE_SIGNING, payload,
                                             {signing.ANNOTATION: signing.sign(payload, key)})])
            tag = digest.replace(":", "-") + ".sig"
            oci.archive(oci.artifact_layout(blobs, manifest, tag),
                        os.path.join(self.out, self.file(name) + "_image.sig.tar"))

    def make(self):
        for name in IMAGES:
            self.add_image(name)
        self.add_krew([self.add_cli(build) for build in self.builds])
        for build in self.builds:
            self.add_test_server(build)
        self.add_packages()
        with open(self.options.chart, "rb") as file:
            self.write(os.path.basename(self.options.chart), archive.repacked(file.read(), self.options.epoch))
        statement = self.add_provenance()
        sums = self.add_sums()
        if self.options.key:
            self.sign(statement, sums)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("version", "commit", "repository", "packages", "chart", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--build", action="append", required=True)
    parser.add_argument("--key", default="")
    try:
        Release(parser.parse_args()).make()
    except (rootfs.Failure, signing.Failure) as why:
        sys.exit(f"hack/release: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
