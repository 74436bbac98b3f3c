# SPDX-License-Identifier: Apache-2.0
"""Collects the files of an image: the program, its libraries, and the files that they read.

The loader names the libraries; a program that is linked statically has none. No other library is
opened at run time: glibc 2.36 contains the "files" and "dns" name services, and OpenSSL its default
provider. All other files belong to Debian packages. Their copyright files and dpkg records are included
for scanners, and those of the archives in the program. All of them come from this machine, or from a folder
of hack/sysroot for a release.
"""
import dataclasses
import glob
import os
import re
import subprocess
import tempfile

USER = 65532  # the usual uid of "nonroot" in images without a distribution
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
# The broker opens the runtime's socket, which belongs to root (docs/cri-events.md).
USERS = {"capstan-cri-event-broker": 0, "e2e_csi_driver": 0}
PASSWD = (f"root:x:0:0:root:/:/sbin/nologin\n"
          f"nonroot:x:{USER}:{USER}:nonroot:/:/sbin/nologin\n")
GROUP = f"root:x:0:\nnonroot:x:{USER}:\n"


class Failure(Exception):
    """The reason why there is no image, in one line."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file, or a link if it has a target. The path has no leading slash."""
    path: str
    data: bytes = b""
    mode: int = 0o644
    target: str = ""
    package: str = ""  # Debian package; None: created here


@dataclasses.dataclass(frozen=True)
class System:
    """The Debian system that the files of an image come from."""
    folder: str = ""  # of hack/sysroot; empty: this machine

    def query(self, *arguments):
        """Returns the output of dpkg-query."""
        return run("dpkg-query", *self.database(), *arguments)

    def database(self):
        return [f"--admindir={self.folder}/var/lib/dpkg"] if self.folder else []

    def read(self, path):
        return read(self.folder + path)

    def real(self, path):
        return os.path.realpath(self.folder + path).removeprefix(os.path.realpath(self.folder or "/").rstrip("/"))

    @property
    def architecture(self):
        """Returns Debian's name of the architecture, which is also OCI's."""
        return self.query("-W", "-f", "${Architecture}", "libc6").strip()

    @property
    def triplet(self):
        return {"amd64": "x86_64", "arm64": "aarch64"}[self.architecture] + "-linux-gnu"

    def loader_output(self, program):
        """Returns the loader's list of libraries, in the format of ldd."""
        if not self.folder:
            return run("ldd", program)
        loader = {"amd64": "/lib64/ld-linux-x86-64.so.2", "arm64": "/lib/ld-linux-aarch64.so.1"}
        command = [self.folder + loader[self.architecture], "--library-path",
                   f"{self.folder}/usr/lib/{self.triplet}", "--list", program]
        if self.triplet != f"{os.uname().machine}-linux-gnu":
            command = ["qemu-" + self.triplet.partition("-")[0], "-L", self.folder, *command]
        return run(*command).replace(self.folder, "")


MACHINE = System()


def run(*command):
    """Returns the output of a command. Raises Failure when it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
    except FileNotFoundError as error:
        raise Failure(f"{command[0]} is not here; hack/setup test installs it") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"{' '.join(command)}: {error.stderr.strip() or error}") from error


def libraries(program, system=MACHINE):
    """Returns the paths of the program's libraries, including the loader."""
    if "(NEEDED)" not in run("readelf", "--dynamic", program):
        return []
    found = []
    for line in system.loader_output(program).splitlines():
        if match := re.match(r"\s+(\S+) => not found", line):
            raise Failure(f"{match.group(1)} is not installed; hack/setup build installs it")
        if match := re.match(r"\s+(?:\S+ => )?(/\S+) \(0x", line):
            found.append(match.group(1))
    if not found:
        raise Failure(f"the loader names no library of {program}")
    return sorted(set(found))


def linked(program, system=MACHINE):
    """Returns the packages whose archives are in a program that is linked statically, sorted.

    The linker wrote the archives' paths to PROGRAM.d. Those of the build are relative. An archive of
    hack/archives is built from the source of the package that its folder is named after.
    """
    if libraries(program, system):
        return []
    listed = program + ".d"
    if not os.path.exists(listed):
        raise Failure(f"{listed} is missing: the origin of the program's archives is unknown")
    words = read(listed).decode().replace("\\\n", " ").split()
    archives = {os.path.realpath(word).removeprefix(os.path.realpath(system.folder or "/").rstrip("/"))
                for word in words if word.startswith("/") and word.endswith((".a", ".o"))}
    ours = {path for path in archives if not path.startswith("/usr/")}
    names = {os.path.basename(os.path.dirname(path)) for path in ours}
    return sorted(names | set(owners(archives - ours, system).values()))


def owners(paths, system=MACHINE):
    """Returns {path: Debian package}. dpkg has the names from before the merge of /usr."""
    if not paths:
        return {}
    names = {path: {path, system.real(path), system.real(path).removeprefix("/usr")} for path in paths}
    lines = subprocess.run(["dpkg-query", *system.database(), "-S", *sorted(set().union(*names.values()))],
                           check=False, capture_output=True, text=True).stdout.splitlines()
    known = {}
    for line in lines:
        package, _, name = line.partition(": ")
        if package.startswith("diversion by "):  # Debian 13 has one for the loader
            continue
        known[name] = re.split("[:,]", package)[0]
    found = {path: next((known[name] for name in sorted(names[path]) if name in known), "")
             for path in paths}
    for path, package in found.items():
        if not package:
            raise Failure(f"{path} belongs to no Debian package: its origin is unknown")
    return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def stripped(program, system=MACHINE):
    """Returns the program without symbols, which are three quarters of it and unused.

    The build ID is removed too, because it depends on them and on the compiler's command.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "program")
        run(system.triplet + "-strip", "--strip-all", "--remove-section=.note.gnu.build-id", "-o", out, program)
        return read(out)


def authorities(system):
    """Returns Mozilla's CAs as Debian ships them, without local additions."""
    files = sorted(glob.glob(system.folder + "/usr/share/ca-certificates/mozilla/*.crt"))
    if not files:
        raise Failure("no CA certificates; apt-get install ca-certificates")
    return b"".join(read(path) for path in files)


def records(packages, system):
    """Returns each package's licence, and its dpkg record at the place that scanners read."""
    for record in system.query("-s", *packages).strip().split("\n\n"):
        package = re.match(r"Package: (\S+)\n", record).group(1)
        yield Entry(f"usr/share/doc/{package}/copyright",
                    system.read(f"/usr/share/doc/{package}/copyright"), package=package)
        yield Entry(f"var/lib/dpkg/status.d/{package}", (record + "\n").encode(), package=package)


def files_of(package):
    """Returns the files and links of a Debian package, without its documents."""
    for path in run("dpkg-query", "-L", package).splitlines():
        if path.startswith("/usr/share/doc/") or (os.path.isdir(path) and not os.path.islink(path)):
            continue
        if os.path.islink(path):
            yield Entry(path.lstrip("/"), target=os.readlink(path), mode=0o777, package=package)
        else:
            yield Entry(path.lstrip("/"), read(path), package=package)


def collect(program, licence, packages=(), system=MACHINE):
    """Returns every file of the program's image with those of more packages, sorted by path."""
    name = os.path.basename(program)
    entries = [
        Entry(f"usr/bin/{name}", stripped(program, system), 0o755),
        Entry("usr/share/doc/capstan/copyright", read(licence)),
        Entry("etc/passwd", PASSWD.encode()),
        Entry("etc/group", GROUP.encode()),
        Entry("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n"),
        Entry("etc/os-release", system.read(system.real("/etc/os-release")), package="base-files"),
        Entry(CERTIFICATES, authorities(system), package="ca-certificates"),
        # /statusz of the manager has the version.
        Entry(CERTIFICATES + ".version",
              (system.query("-W", "-f", "${Version}", "ca-certificates") + "\n").encode()),
        # OpenSSL's default path.
        Entry("usr/lib/ssl/cert.pem", target=f"../../../{CERTIFICATES}", mode=0o777),
    ]
    for path, package in owners(libraries(program, system), system).items():
        # The program contains the loader's path. Libraries are found in usr/lib by their names.
        is_loader = os.path.basename(path).startswith("ld-")
        where = path if is_loader else "/usr/lib" + path.removeprefix("/usr").removeprefix("/lib")
        entries.append(Entry(where.lstrip("/"), system.read(path), 0o755, package=package))
    for package in packages:
        entries.extend(files_of(package))
    origins = {entry.package for entry in entries} | set(linked(program, system))
    entries.extend(records(sorted(origins - {""}), system))
    return sorted(entries, key=lambda entry: entry.path)


def folders(entries):
    """Returns every folder that the entries need, parents first."""
    found = set()
    for entry in entries:
        folder = os.path.dirname(entry.path)
        while folder:
            found.add(folder)
            folder = os.path.dirname(folder)
    return sorted(found)
