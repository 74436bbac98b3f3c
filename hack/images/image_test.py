#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the image of a program twice and runs the program as the image's user, in a chroot.

usage: hack/images/image_test.py PROGRAM     exit 77 (skipped) without dpkg or root.
"""
import hashlib
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import urllib.request

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
import rootfs  # pylint: disable=wrong-import-position

MANAGER_MAX = 30 * 2**20
# Each process has its own address: the port of a name server is always 53, and tests run side by side.
NAME_SERVER = f"127.{64 + (os.getpid() >> 16)}.{os.getpid() >> 8 & 255}.{os.getpid() & 255}"
DNS_NAME = "dns.image.test"
PROGRAM = ""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def is_static():
    return not rootfs.libraries(PROGRAM)


def answer_queries(server):
    """Answers DNS queries, those for the address of DNS_NAME with 127.0.0.1."""
    known = b"".join(bytes([len(label)]) + label.encode() for label in DNS_NAME.split(".")) + b"\0"
    while True:
        try:
            query, client = server.recvfrom(512)
        except OSError:
            return
        end = query.index(b"\0", 12) + 5
        question = query[12:end]
        found = question == known + b"\0\1\0\1"  # type A, class IN
        flags = b"\x81\x80" if question.startswith(known) else b"\x81\x83"  # no error, or no such name
        record = b"\xc0\x0c\0\1\0\1\0\0\0\5\0\4" + socket.inet_aton("127.0.0.1") if found else b""
        server.sendto(query[:2] + flags + struct.pack(">HHHH", 1, int(found), 0, 0) + question + record,
                      client)


class ImageTest(unittest.TestCase):
    """All tests use the same image."""

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="capstan-image-")
        # The image must not contain the path of the program's build.
        elsewhere = os.path.join(cls.work, "elsewhere", os.path.basename(PROGRAM))
        os.mkdir(os.path.dirname(elsewhere))
        cls.copy_with_other_debug_information(elsewhere)
        os.chmod(elsewhere, 0o700)
        cls.printed = [cls.build(PROGRAM, "one"), cls.build(elsewhere, "two")]
        cls.name = os.path.basename(PROGRAM)
        cls.layout = os.path.join(cls.work, "one", cls.name)
        cls.manifest = cls.blob(cls.json("index.json")["manifests"][0]["digest"])
        cls.config = cls.blob(cls.manifest["config"]["digest"])
        cls.root = os.path.join(cls.work, "root")
        digest = cls.manifest["layers"][0]["digest"]
        with tarfile.open(os.path.join(cls.layout, "blobs", *digest.split(":"))) as tar:
            cls.members = tar.getmembers()
            tar.extractall(cls.root)

    @classmethod
    def copy_with_other_debug_information(cls, path):
        """Returns a copy of the program with another build ID."""
        note = os.path.join(cls.work, "note")
        subprocess.run(["objcopy", "--dump-section", ".note.gnu.build-id=" + note, PROGRAM,
                        os.path.join(cls.work, "unused")], check=True)
        with open(note, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)[0]
            file.seek(-1, os.SEEK_END)
            file.write(bytes([last ^ 1]))
        subprocess.run(["objcopy", "--update-section", ".note.gnu.build-id=" + note, PROGRAM, path],
                       check=True)
        if os.path.exists(PROGRAM + ".d"):
            shutil.copy(PROGRAM + ".d", path + ".d")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    @classmethod
    def build(cls, program, out):
        folder = os.path.join(cls.work, out)
        os.mkdir(folder)
        return subprocess.run([sys.executable, "-B", os.path.join(HERE, "build.py"), "--out",
                               folder, program], capture_output=True, text=True, check=True).stdout

    @classmethod
    def json(cls, *path):
        return json.loads(read(os.path.join(cls.layout, *path)))

    @classmethod
    def blob(cls, digest):
        return cls.json("blobs", *digest.split(":"))

    def command(self, *arguments):
        """Returns the command that runs arguments in the image as its user."""
        user = self.config["config"]["User"]
        return ["/usr/sbin/chroot", f"--userspec={user}", "--groups=", self.root, *arguments]

    def environment(self):
        return dict(variable.split("=", 1) for variable in self.config["config"]["Env"])

    def in_image(self, *arguments):
        return subprocess.run(self.command(*arguments), check=False, capture_output=True,
                              text=True, timeout=60, env=self.environment())

    def program(self):
        return self.config["config"]["Entrypoint"][0]

    def test_built_twice_it_is_the_same(self):
        digests = {re.search(r"sha256:\w+", text).group() for text in self.printed}
        self.assertEqual(1, len(digests), digests)
        for suffix in (".tar", ".spdx.json"):
            files = [os.path.join(self.work, out, self.name + suffix) for out in ("one", "two")]
            self.assertEqual(read(files[0]), read(files[1]), suffix)

    def test_every_blob_is_what_its_name_says(self):
        folder = os.path.join(self.layout, "blobs", "sha256")
        for name in os.listdir(folder):
            self.assertEqual(name, hashlib.sha256(read(os.path.join(folder, name))).hexdigest())

    def test_its_threads_keep_no_freed_memory(self):
        self.assertEqual(self.environment()["GLIBC_TUNABLES"], "glibc.malloc.tcache_count=0")

    def test_the_dockerfile_sets_the_same_variables(self):
        variables = re.findall(rb"^ENV (.*)$", read(os.path.join(HERE, "Dockerfile")), re.M)
        self.assertEqual([variable.decode() for variable in variables], self.config["config"]["Env"])

    def test_it_is_small(self):
        self.assertLess(sum(member.size for member in self.members), MANAGER_MAX)

    def test_its_user_can_run_it_and_change_nothing(self):
        user = self.config["config"]["User"]
        self.assertEqual("0:0" if "broker" in self.name else "65532:65532", user)
        for member in self.members:
            self.assertEqual((0, 0, 0), (member.uid, member.gid, member.mtime), member.name)
            if not member.issym():
                self.assertFalse(member.mode & 0o7022, f"{member.name} {member.mode:o}")
        self.assertEqual(0, self.in_image(self.program(), "--version").returncode)
        with open(os.path.join(self.root, "etc/passwd"), encoding="utf-8") as file:
            self.assertIn(f":{user}:", file.read())

    def test_version_and_help_are_the_program_s(self):
        for flag in ("--version", "--help"):
            result = self.in_image(self.program(), flag)
            outside = subprocess.run([PROGRAM, flag], capture_output=True, text=True, check=True)
            self.assertEqual((0, outside.stdout, ""), (result.returncode, result.stdout, result.stderr))

    def test_no_library_is_missing_and_none_too_many(self):
        """Checks that the image contains exactly the libraries that the loader loads."""
        there = {os.path.basename(m.name) for m in self.members if re.search(r"\.so(\.|$)", m.name)}
        if is_static():
            self.assertEqual(set(), there)
            return
        loader = [m.name for m in self.members if os.path.basename(m.name).startswith("ld-linux")]
        result = self.in_image("/" + loader[0], "--list", self.program())
        self.assertEqual((0, ""), (result.returncode, result.stderr), result.stdout)
        self.assertNotIn("not found", result.stdout)
        loaded = {os.path.basename(path) for path in re.findall(r"(/\S+) \(0x", result.stdout)}
        self.assertEqual(there, loaded)
        self.assertIn("libc.so.6", there)

    def test_names_are_looked_up(self):
        """Checks that the image resolves names by /etc/hosts and by DNS."""
        if self.name in ("capstan-cri-event-broker", "capstan-test-server"):
            self.skipTest("it opens no connection when it starts")
        with open(os.path.join(self.root, "etc/hosts"), "w", encoding="utf-8") as file:
            file.write("127.0.0.1 api.image.test\n")
        with open(os.path.join(self.root, "etc/resolv.conf"), "w", encoding="utf-8") as file:
            file.write(f"nameserver {NAME_SERVER}\noptions timeout:30 attempts:1\n")
        config = os.path.join(self.root, "kubeconfig")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind((NAME_SERVER, 53))
            threading.Thread(target=answer_queries, args=(server,), daemon=True).start()
            for name, found in (("api.image.test", True), (DNS_NAME, True), ("other.image.test", False)):
                with open(config, "w", encoding="utf-8") as file:
                    json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                               "clusters": [{"name": "c", "cluster": {"server": f"https://{name}:1"}}],
                               "users": [{"name": "u", "user": {}}],
                               "contexts": [{"name": "c",
                                             "context": {"cluster": "c", "user": "u"}}]}, file)
                os.chmod(config, 0o644)
                result = self.first_error(name)
                self.assertEqual(found, "refused" in result, result)
        os.remove(config)

    def test_the_test_server_serves_and_writes_a_kubeconfig(self):
        if self.name != "capstan-test-server":
            self.skipTest("it is another program")
        folder = os.path.join(self.root, "out")  # as a volume
        os.mkdir(folder)
        os.chown(folder, rootfs.USER, rootfs.USER)
        with subprocess.Popen(self.command(self.program(), "--kubeconfig=/out/kubeconfig"), text=True,
                              env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                url = re.fullmatch(r"serving on (https://127.0.0.1:\d+)\n", process.stdout.readline())[1]
                self.assertIn(f'server: "{url}"', read(os.path.join(folder, "kubeconfig")).decode())
                context = ssl._create_unverified_context()  # pylint: disable=protected-access
                with urllib.request.urlopen(url + "/livez", context=context, timeout=60) as answer:
                    self.assertEqual(b"ok", answer.read())
            finally:
                process.terminate()
        shutil.rmtree(folder)

    def first_error(self, name):
        """Returns the program's first message about an unreachable server."""
        flags = ["--kubeconfig=/kubeconfig", "--metrics-listen-address=0"]
        if "node" in self.name:
            flags += ["--node-id=n", "--pod-readiness-gate=pod-label:a"]
        process = subprocess.Popen(self.command(self.program(), *flags), text=True, env=self.environment(),
                                   stderr=subprocess.PIPE)
        try:
            for line in process.stderr:
                if found := re.search(rf"{name}:1: (connect: .*|lookup .*)", line):
                    return found.group()
            return "it said nothing of " + name
        finally:
            process.kill()
            process.communicate()

    def test_the_sbom_tells_where_each_file_is_from(self):
        document = json.loads(read(os.path.join(self.work, "one", self.name + ".spdx.json")))
        packages = {item["SPDXID"]: item for item in document["packages"]}
        files = {item["SPDXID"]: item for item in document["files"]}
        self.assertEqual({"./" + m.name for m in self.members if m.isreg()},
                         {item["fileName"] for item in files.values()})
        owned = [r["relatedSpdxElement"] for r in document["relationships"]
                 if r["relatedSpdxElement"] in files and r["relationshipType"] == "CONTAINS"]
        self.assertEqual(sorted(files), sorted(owned))
        for item in files.values():
            path = os.path.join(self.root, item["fileName"])
            self.assertEqual(hashlib.sha256(read(path)).hexdigest(),
                             item["checksums"][1]["checksumValue"], path)
        by_name = {item["name"]: item for item in packages.values()}
        expected = ("libc6",)
        if is_static():
            gcc = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
            its_own = "libre2-dev" if self.name == "capstan-test-server" else "prometheus-cpp-dev"
            expected = ("libc6-dev", "libgoogle-glog-dev", "libnghttp2-dev", "libssl-dev",
                        f"libstdc++-{gcc}-dev", "libyaml-dev", its_own, "zlib1g-dev")
            in_program = {packages[r["relatedSpdxElement"]]["name"]
                          for r in document["relationships"] if r["relationshipType"] == "STATIC_LINK"}
            self.assertLessEqual(set(expected), in_program)
        for name in expected:
            version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name],
                                     capture_output=True, text=True, check=True).stdout
            self.assertEqual(version, by_name[name]["versionInfo"])
        texts = {item["licenseId"] for item in document["hasExtractedLicensingInfos"]}
        for item in packages.values():
            used = set(re.findall(r"LicenseRef-[\w.-]+", item["licenseDeclared"]))
            self.assertTrue(item["licenseDeclared"] and used <= texts, item["name"])

    def test_only_debian_s_authorities_are_trusted(self):
        """Checks that the image has no CAs that were added to the building machine."""
        path = os.path.join(self.root, "usr/lib/ssl/cert.pem")
        bundle = read(os.path.join(self.root, os.path.relpath(os.path.realpath(path), self.root)))
        count = len([name for name in os.listdir("/usr/share/ca-certificates/mozilla")
                     if name.endswith(".crt")])
        self.assertEqual(count, bundle.count(b"BEGIN CERTIFICATE"))

    def test_the_version_of_the_authorities_is_known(self):
        version = read(os.path.join(self.root, "etc/ssl/certs/ca-certificates.crt.version")).decode()
        record = read(os.path.join(self.root, "var/lib/dpkg/status.d/ca-certificates")).decode()
        self.assertIn(f"\nVersion: {version}", record)


class LibrariesTest(unittest.TestCase):
    def test_a_missing_library_is_a_failure_that_names_it(self):
        with self.assertRaisesRegex(rootfs.Failure, "libglog.so.1"):
            rootfs.libraries("\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibglog.so.1 => not found\n")

    def test_a_file_of_no_package_is_a_failure_that_names_it(self):
        with self.assertRaisesRegex(rootfs.Failure, "image_test.py"):
            rootfs.owners([os.path.realpath(__file__)])


if __name__ == "__main__":
    PROGRAM = os.path.realpath(sys.argv.pop(1))
    if os.getuid() != 0 or not shutil.which("dpkg-query"):
        print("SKIPPED: needs dpkg, and root for chroot")
        sys.exit(77)
    unittest.main()
