#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the parts of hack/release that need no build: indexes, manifests, signatures, refusals.

usage: hack/releases/release_test.py
"""
import base64
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "hack/images")]
import archive  # pylint: disable=wrong-import-position
import assemble  # pylint: disable=wrong-import-position
import cyclonedx  # pylint: disable=wrong-import-position
import krew  # pylint: disable=wrong-import-position
import oci  # pylint: disable=wrong-import-position
import provenance  # pylint: disable=wrong-import-position
import rootfs  # pylint: disable=wrong-import-position
import signing  # pylint: disable=wrong-import-position
import verify  # pylint: disable=wrong-import-position

VERSION = "1.2.3"


def image(architecture):
    entries = [rootfs.Entry("usr/bin/p", architecture.encode(), 0o755)]
    return oci.Image(entries, "p", architecture, 65532, oci.labels("p", VERSION, "0123abc"))


def new_key(folder, name="key", curve="P-256", options=()):
    path = os.path.join(folder, name)
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:" + curve,
                    "-out", path, *options], check=True, capture_output=True)
    return path


def rewrite(path, change):
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(change(data))


class FilesTest(unittest.TestCase):
    def test_index_has_a_platform_for_each_architecture(self):
        files = oci.layout([image("amd64"), image("arm64")], "p:" + VERSION)
        top = json.loads(files["index.json"])["manifests"][0]
        self.assertEqual(oci.INDEX, top["mediaType"])
        self.assertEqual("docker.io/library/p:" + VERSION, top["annotations"]["io.containerd.image.name"])
        index = json.loads(files["blobs/" + top["digest"].replace(":", "/")])
        self.assertEqual(["amd64", "arm64"], [one["platform"]["architecture"] for one in index["manifests"]])
        for one in index["manifests"]:
            manifest = json.loads(files["blobs/" + one["digest"].replace(":", "/")])
            config = json.loads(files["blobs/" + manifest["config"]["digest"].replace(":", "/")])
            self.assertEqual(one["platform"]["architecture"], config["architecture"])
        for path, data in files.items():
            if path.startswith("blobs/"):
                self.assertEqual(path, "blobs/sha256/" + provenance.sha256(data))
        self.assertEqual([f"p:{VERSION}-amd64", f"p:{VERSION}-arm64"],
                         [one["RepoTags"][0] for one in json.loads(files["manifest.json"])])

    def test_single_image_has_no_index_and_its_own_tag(self):
        files = oci.layout([image("amd64")], "p:" + VERSION)
        self.assertEqual(oci.MANIFEST, json.loads(files["index.json"])["manifests"][0]["mediaType"])
        self.assertEqual(["p:" + VERSION], json.loads(files["manifest.json"])[0]["RepoTags"])

    def test_archive_has_no_time_or_order_of_its_build(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as tar:
            for name, mtime in (("c/values.yaml", 7), ("c/Chart.yaml", 8)):
                info = tarfile.TarInfo(name)
                info.size, info.mtime, info.uid, info.uname = 1, mtime, 1000, "somebody"
                tar.addfile(info, io.BytesIO(b"x"))
        one = archive.repacked(out.getvalue(), 99)
        self.assertEqual(one, archive.tar_gz({"c/Chart.yaml": (b"x", 0o644), "c/values.yaml": (b"x", 0o644)}, 99))
        with tarfile.open(fileobj=io.BytesIO(one)) as tar:
            self.assertEqual([("c/Chart.yaml", 99, 0, "root"), ("c/values.yaml", 99, 0, "root")],
                             [(member.name, member.mtime, member.uid, member.uname) for member in tar])

    def test_archive_has_links(self):
        data = archive.tar_gz({"p": (b"x", 0o755), "q": (b"p", None)}, 99)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            link = tar.getmember("q")
        self.assertEqual((True, "p", 99, "root"), (link.issym(), link.linkname, link.mtime, link.uname))

    def test_krew_manifest_has_the_sum_of_each_archive(self):
        manifest = json.loads(krew.manifest(VERSION, [("amd64", "https://h/a.tar.gz", "aa"),
                                                      ("arm64", "https://h/b.tar.gz", "bb")]))
        self.assertEqual(("capstan", "v" + VERSION), (manifest["metadata"]["name"], manifest["spec"]["version"]))
        self.assertEqual([("amd64", "https://h/a.tar.gz", "aa"), ("arm64", "https://h/b.tar.gz", "bb")],
                         [(one["selector"]["matchLabels"]["arch"], one["uri"], one["sha256"])
                          for one in manifest["spec"]["platforms"]])

    def test_provenance_names_files_commit_and_packages(self):
        statement = provenance.statement(
            {"version": VERSION, "commit": "c0ffee", "source": "https://h/capstan", "architectures": ["amd64"]},
            {"b": "22", "a": "11"}, ["libc6_2.36-9+deb12u14_amd64.deb 33", "libz_1%3a1.2_amd64.deb 44"],
            ["pkg:deb/debian/g++-12@12"])
        self.assertEqual("https://slsa.dev/provenance/v1", statement["predicateType"])
        self.assertEqual(["a", "b"], [one["name"] for one in statement["subject"]])
        source, libc, libz, tool = statement["predicate"]["buildDefinition"]["resolvedDependencies"]
        self.assertEqual({"gitCommit": "c0ffee"}, source["digest"])
        self.assertEqual(("pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64", {"sha256": "33"}),
                         (libc["uri"], libc["digest"]))
        self.assertEqual("pkg:deb/debian/libz@1%3A1.2?arch=amd64", libz["uri"])
        self.assertEqual({"uri": "pkg:deb/debian/g++-12@12"}, tool)

    def test_cyclonedx_has_the_packages_and_files_of_spdx(self):
        spdx = {
            "documentNamespace": "https://h/x", "creationInfo": {"created": "2026-01-02T03:04:05Z"},
            "packages": [
                {"SPDXID": "ours", "name": "p", "versionInfo": VERSION, "licenseDeclared": "Apache-2.0",
                 "supplier": "Organization: capstan", "primaryPackagePurpose": "CONTAINER",
                 "checksums": [{"algorithm": "SHA256", "checksumValue": "aa"}]},
                {"SPDXID": "libz", "name": "zlib1g", "versionInfo": "1.2", "licenseDeclared": "Zlib",
                 "supplier": "Organization: Debian",
                 "externalRefs": [{"referenceType": "purl", "referenceLocator": "pkg:deb/debian/zlib1g@1.2"}]}],
            "files": [{"SPDXID": "f", "fileName": "./lib/libz.so",
                       "checksums": [{"algorithm": "SHA1", "checksumValue": "bb"}]}],
            "relationships": [{"spdxElementId": "libz", "relationshipType": "CONTAINS", "relatedSpdxElement": "f"}]}
        document = cyclonedx.document(spdx)
        self.assertEqual(("p", "container"), (document["metadata"]["component"]["name"],
                                              document["metadata"]["component"]["type"]))
        library, = document["components"]
        self.assertEqual(("pkg:deb/debian/zlib1g@1.2", [{"expression": "Zlib"}]),
                         (library["purl"], library["licenses"]))
        self.assertEqual(["lib/libz.so"], [file["name"] for file in library["components"]])
        self.assertEqual(document, cyclonedx.document(spdx))


class SignatureTest(unittest.TestCase):
    """Makes a small signed release, and verifies it after each kind of change."""

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="capstan-release-")
        self.addCleanup(shutil.rmtree, self.work)
        self.key = new_key(self.work)
        self.folder = os.path.join(self.work, "release")
        os.mkdir(self.folder)
        options = types.SimpleNamespace(version=VERSION, commit="c0ffee", epoch=0, key=self.key, build=[],
                                        repository="https://h/capstan", out=self.folder)
        release = assemble.Release(options)
        images = [image("amd64"), image("arm64")]
        oci.archive(oci.layout(images, "p:" + VERSION), self.path(f"p_{VERSION}_image.tar"))
        release.digests["p"] = oci.digest(oci.image_index(images))
        release.write("capstan.tar.gz", b"archive")
        release.write(f"capstan_{VERSION}.provenance.json", oci.as_json(provenance.statement(
            {"version": VERSION, "commit": "c0ffee", "source": "https://h/capstan", "architectures": []},
            {**{name: release.sum_of(name) for name in release.names()},
             "p": release.digests["p"].removeprefix("sha256:")}, [], [])))
        with open(self.path(f"capstan_{VERSION}.provenance.json"), "rb") as file:
            release.sign(file.read(), release.add_sums())

    def path(self, name):
        return os.path.join(self.folder, name)

    def verify(self, key="release/capstan.pub"):
        return list(verify.checks(self.folder, key and os.path.join(self.work, key)))

    def test_verifies(self):
        self.assertEqual(["3 files have the sums of SHA256SUMS",
                          "the provenance names all of them and commit c0ffee",
                          "SHA256SUMS, the provenance and 1 images are signed with this key"], self.verify())
        self.assertIn("signatures were not checked; --key", self.verify(key="")[2])

    def test_openssl_alone_verifies_sums(self):
        with open(self.path("SHA256SUMS.sig"), encoding="ascii") as file:
            raw = base64.b64decode(file.read())
        with open(self.path("raw"), "wb") as file:
            file.write(raw)
        subprocess.run(["openssl", "dgst", "-sha256", "-verify", self.path("capstan.pub"), "-signature",
                        self.path("raw"), self.path("SHA256SUMS")], check=True, capture_output=True)

    def test_rejects_changed_files(self):
        sums = "is not the file that SHA256SUMS lists"
        for name, change, reason in (
                ("capstan.tar.gz", lambda data: data + b"x", sums),
                (f"p_{VERSION}_image.tar", lambda data: data.replace(b"amd64", b"amd65"), sums),
                # The same sums in another order.
                ("SHA256SUMS", lambda data: b"".join(data.splitlines(True)[::-1]),
                 "SHA256SUMS is not signed with this key"),
                ("SHA256SUMS.sig", lambda data: data.replace(b"M", b"N", 1), "SHA256SUMS is not signed with this key"),
                (f"capstan_{VERSION}.provenance.intoto.jsonl", lambda data: data.replace(b'"sig":"M', b'"sig":"N'),
                 "no signature of the provenance is of this key"),
                (f"p_{VERSION}_image.sig.tar", lambda data: data.replace(b'-digest":"sha256:', b'-digest":"sha257:'),
                 "the image p is not signed with this key")):
            with self.subTest(name):
                with open(self.path(name), "rb") as file:
                    kept = file.read()
                rewrite(self.path(name), change)
                with self.assertRaises(signing.Failure) as caught:
                    self.verify()
                self.assertIn(reason, str(caught.exception))
                rewrite(self.path(name), lambda _, kept=kept: kept)
        self.verify()

    def test_rejects_missing_and_additional_files(self):
        change_to = self.path("more")
        with open(change_to, "wb"):
            pass
        with self.assertRaisesRegex(signing.Failure, "more is not listed in SHA256SUMS"):
            self.verify()
        os.remove(change_to)
        os.remove(self.path("capstan.tar.gz"))
        with self.assertRaisesRegex(signing.Failure, "capstan.tar.gz is missing"):
            self.verify()

    def test_rejects_another_key(self):
        with open(os.path.join(self.work, "other.pub"), "wb") as file:
            file.write(signing.public_key(new_key(self.work, "other")))
        with self.assertRaisesRegex(signing.Failure, "SHA256SUMS is not signed with this key"):
            self.verify("other.pub")

    def test_key_must_be_a_file_of_the_right_curve(self):
        with self.assertRaisesRegex(signing.Failure, "there is no such file; make one with"):
            signing.public_key(os.path.join(self.work, "missing"))
        with self.assertRaisesRegex(signing.Failure, "not of the curve P-256"):
            signing.public_key(new_key(self.work, "other", "P-384"))
        with open(os.path.join(self.work, "text"), "w", encoding="ascii") as file:
            file.write("no key")
        with self.assertRaisesRegex(signing.Failure, "openssl cannot read this private key"):
            signing.public_key(file.name)

    def test_encrypted_key_needs_its_password(self):
        key = new_key(self.work, "encrypted", options=("-aes-256-cbc", "-pass", "pass:secret"))
        with self.assertRaisesRegex(signing.Failure, "set CAPSTAN_KEY_PASSWORD if it is encrypted"):
            signing.public_key(key)
        os.environ[signing.PASSWORD] = "secret"
        self.addCleanup(os.environ.pop, signing.PASSWORD)
        self.assertTrue(signing.verifies(b"x", signing.sign(b"x", key), signing.public_key(key)))

    def test_no_file_has_the_private_key(self):
        with open(self.key, encoding="ascii") as file:
            secret = file.read().splitlines()[1]
        for name in os.listdir(self.folder):
            with open(self.path(name), "rb") as file:
                self.assertNotIn(secret.encode(), file.read(), name)


class RefusalTest(unittest.TestCase):
    """hack/release refuses wrong input with one line, before it builds anything."""

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="capstan-release-")
        self.addCleanup(shutil.rmtree, self.work)
        for name in ("hack/release", "hack/lib.sh", "charts/capstan/Chart.yaml", "CMakeLists.txt"):
            os.makedirs(os.path.dirname(os.path.join(self.work, name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.work, name))
        for name in ("hack/releases", "hack/images"):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(self.work, name))
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            self.version = file.read().partition("project(capstan VERSION ")[2].split()[0]
        with open(os.path.join(self.work, "CHANGELOG.md"), "w", encoding="utf-8") as file:
            file.write(f"## [{self.version}] - today\n")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-q", "-m", "all")

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.work, *arguments], check=True, capture_output=True)

    def assert_refused(self, reason, *arguments):
        result = subprocess.run([os.path.join(self.work, "hack/release"), *arguments], capture_output=True,
                                text=True, check=False)
        self.assertEqual((1, ""), (result.returncode, result.stdout))
        self.assertEqual(1, result.stderr.count("\n"), result.stderr)
        self.assertIn(reason, result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.work, "dist")))

    def test_refuses_wrong_versions(self):
        self.assert_refused("no version; use the one of CMakeLists.txt")
        for version in ("v" + self.version, "1.2", "01.2.3", "1.2.3-rc1", "../x"):
            self.assert_refused(f'version "{version}" is not of the form', version)
        self.assert_refused(f"version 9.9.9 is not that of the sources, {self.version}; change it in", "9.9.9")

    def test_refuses_a_checkout_with_changes(self):
        with open(os.path.join(self.work, "new.txt"), "w", encoding="utf-8"):
            pass
        self.assert_refused('has uncommitted changes, the first is "?? new.txt"; commit or stash them', self.version)

    def test_refuses_a_missing_changelog_section(self):
        with open(os.path.join(self.work, "CHANGELOG.md"), "w", encoding="utf-8") as file:
            file.write("## [Unreleased]\n")
        self.assert_refused(f"CHANGELOG.md has no section [{self.version}]", self.version)

    def test_refuses_a_missing_key(self):
        self.assert_refused("--key /nonexistent: there is no such file", self.version, "--key", "/nonexistent")

    def test_refuses_to_replace_a_release(self):
        self.assert_refused(f"{HERE} exists; remove it, or set --out", self.version, "--out", HERE)

    def test_refuses_to_verify_another_folder(self):
        self.assert_refused("is not the folder of a release: it has no SHA256SUMS", "--verify", self.work)


class WorkflowTest(unittest.TestCase):
    """The workflows run only our commands, with pinned actions and the right to read."""

    def test_actions_are_pinned_and_rights_are_least(self):
        paths = sorted(glob.glob(os.path.join(ROOT, ".github/workflows/*.yml")))
        self.assertEqual(["nightly.yml", "pull-request.yml", "release.yml"], list(map(os.path.basename, paths)))
        for path in paths:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertIn("\npermissions:\n  contents: read\n", text, path)
            self.assertEqual(1, text.count("permissions:"), path)
            for action in re.findall(r"uses: (.*)", text):
                self.assertRegex(action, r"^actions/(checkout|upload-artifact)@[0-9a-f]{40} # v[\d.]+$", path)
            for image in re.findall(r"container: (.*)", text):
                self.assertRegex(image, r"^debian:bookworm@sha256:[0-9a-f]{64} ", path)
            commands = re.findall(r"^ +(?:- run: )?((?:\.ci|hack)/\S+)", text, re.M)
            self.assertEqual(["hack/release" if "release.yml" in path else ".ci/run"], commands, path)


if __name__ == "__main__":
    if not shutil.which("openssl") or not shutil.which("git"):
        print("SKIPPED: needs openssl and git")
        sys.exit(77)
    unittest.main()
