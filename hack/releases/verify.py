#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the folder of a release; hack/release --verify calls this.

usage: hack/releases/verify.py DIR [--key PUBLIC_KEY]

Without --key it checks the sums and what the files say about each other. With --key it also checks that
SHA256SUMS, the provenance and the images are signed with that key. It prints one line for each check.
"""
import argparse
import glob
import json
import os
import re
import sys
import tarfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "images")]
import provenance  # pylint: disable=wrong-import-position
import signing  # pylint: disable=wrong-import-position

UNSUMMED = re.compile(r"SHA256SUMS(\.sig)?$|capstan\.pub$|.*\.intoto\.jsonl$|.*\.sig\.tar$")


class Folder:
    """The folder of a release."""

    def __init__(self, path):
        self.path = path
        if not os.path.isfile(os.path.join(path, "SHA256SUMS")):
            raise signing.Failure(f"{path} is not the folder of a release: it has no SHA256SUMS")
        self.sums = dict(reversed(line.split("  ", 1)) for line in self.read("SHA256SUMS").decode().splitlines())

    def read(self, name):
        path = os.path.join(self.path, name)
        if not os.path.isfile(path):
            raise signing.Failure(f"{path} is missing")
        with open(path, "rb") as file:
            return file.read()

    def one(self, pattern):
        """Returns the name of the only file of a pattern."""
        found = glob.glob(os.path.join(self.path, pattern))
        if len(found) != 1:
            raise signing.Failure(f"{self.path} has {len(found)} files {pattern} instead of one")
        return os.path.basename(found[0])

    def check_sums(self):
        for name, digest in self.sums.items():
            if provenance.sha256(self.read(name)) != digest:
                raise signing.Failure(f"{self.path}/{name} is not the file that SHA256SUMS lists")
        for name in sorted(os.listdir(self.path)):
            if name not in self.sums and not UNSUMMED.match(name):
                raise signing.Failure(f"{self.path}/{name} is not listed in SHA256SUMS")
        return f"{len(self.sums)} files have the sums of SHA256SUMS"

    def images(self):
        """Returns {name: digest} of the images' indexes."""
        found = {}
        for path in sorted(glob.glob(os.path.join(self.path, "*_image.tar"))):
            with tarfile.open(path) as tar:
                descriptor = json.load(tar.extractfile("index.json"))["manifests"][0]
                index = tar.extractfile("blobs/" + descriptor["digest"].replace(":", "/")).read()
            if "sha256:" + provenance.sha256(index) != descriptor["digest"]:
                raise signing.Failure(f"{path}: its index is not the one that its name says")
            found[os.path.basename(path).partition("_")[0]] = descriptor["digest"]
        return found

    def check_statement(self):
        statement = json.loads(self.read(self.one("*.provenance.json")))
        named = {item["name"]: item["digest"]["sha256"] for item in statement["subject"]}
        expected = {name: digest for name, digest in self.sums.items() if not name.endswith(".provenance.json")}
        expected.update({name: digest.removeprefix("sha256:") for name, digest in self.images().items()})
        if named != expected:
            wrong = sorted(set(named.items()) ^ set(expected.items()))
            raise signing.Failure(f"the provenance and the files differ in {wrong[0][0]}")
        source = statement["predicate"]["buildDefinition"]["resolvedDependencies"][0]
        return f"the provenance names all of them and commit {source['digest']['gitCommit']}"

    def check_signatures(self, public):
        signature = self.read("SHA256SUMS.sig").decode().strip()
        if not signing.verifies(self.read("SHA256SUMS"), signature, public):
            raise signing.Failure("SHA256SUMS is not signed with this key")
        sealed = json.loads(self.read(self.one("*.provenance.intoto.jsonl")))
        if signing.opened(sealed, public) != self.read(self.one("*.provenance.json")):
            raise signing.Failure("the signed provenance is not the provenance of the release")
        images = self.images()
        for name, digest in images.items():
            self.check_image(name, digest, public)
        return f"SHA256SUMS, the provenance and {len(images)} images are signed with this key"

    def check_image(self, name, digest, public):
        with tarfile.open(os.path.join(self.path, self.one(name + "_*_image.sig.tar"))) as tar:
            def blob(item):
                return tar.extractfile("blobs/" + item["digest"].replace(":", "/")).read()
            top = json.load(tar.extractfile("index.json"))["manifests"][0]
            layer = json.loads(blob(top))["layers"][0]
            payload = blob(layer)
        if not signing.verifies(payload, layer["annotations"][signing.ANNOTATION], public):
            raise signing.Failure(f"the image {name} is not signed with this key")
        if json.loads(payload)["critical"]["image"]["docker-manifest-digest"] != digest:
            raise signing.Failure(f"the signature of the image {name} is of another image")


def checks(folder, key):
    """Yields one line for each check. Raises Failure at the first one that fails."""
    release = Folder(folder)
    yield release.check_sums()
    yield release.check_statement()
    if key:
        try:
            with open(key, "rb") as file:
                public = signing.checked(file.read(), key)
        except OSError as error:
            raise signing.Failure(f"--key {key}: {error.strerror}; use the public key of the project") from error
        yield release.check_signatures(public)
    else:
        yield "signatures were not checked; --key FILE checks them with a public key"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--key", default="")
    options = parser.parse_args()
    try:
        for line in checks(options.folder, options.key):
            print(line)
    except signing.Failure as why:
        sys.exit(f"hack/release --verify: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
