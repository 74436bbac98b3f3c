# SPDX-License-Identifier: Apache-2.0
"""Collects the files of an image: the program, its libraries, and the files that they read.

The loader (ldd) names the libraries; a program that is linked statically has none. No other library is
opened at run time: glibc 2.36 contains the "files" and "dns" name services, and OpenSSL its default
provider. All other files belong to Debian packages. Their copyright files and dpkg records are included
for scanners, and those of the archives in the program.
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


def run(*command):
    """Returns the output of a command. Raises Failure when it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
    except FileNotFoundError as error:
        raise Failure(f"{command[0]} is not here; hack/setup test installs it") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"{' '.join(command)}: {error.stderr.strip() or error}") from error


def libraries(ldd_output):
    """Returns the paths in ldd's output, including the loader."""
    if "statically linked" in ldd_output:
        return []
    found = []
    for line in ldd_output.splitlines():
        if match := re.match(r"\s+(\S+) => not found", line):
            raise Failure(f"{match.group(1)} is not installed; hack/setup build installs it")
        if match := re.match(r"\s+(?:\S+ => )?(/\S+) \(0x", line):
            found.append(match.group(1))
    if not found:
        raise Failure("ldd names no library")
    return sorted(set(found))


def linked(program):
    """Returns the packages whose archives are in a program that is linked statically, sorted.

    The linker wrote the archives' paths to PROGRAM.d. Those of the build are relative. An archive of
    hack/archives is built from the source of the package that its folder is named after.
    """
    if libraries(run("ldd", program)):
        return []
    listed = program + ".d"
    if not os.path.exists(listed):
        raise Failure(f"{listed} is missing: the origin of the program's archives is unknown")
    words = read(listed).decode().replace("\\\n", " ").split()
    archives = {os.path.realpath(word) for word in words
                if word.startswith("/") and word.endswith((".a", ".o"))}
    ours = {path for path in archives if not path.startswith("/usr/")}
    names = {os.path.basename(os.path.dirname(path)) for path in ours}
    return sorted(names | set(owners(archives - ours).values()))


def owners(paths):
    """Returns {path: Debian package}. dpkg has the names from before the merge of /usr."""
    if not paths:
        return {}
    names = {path: {path, os.path.realpath(path), os.path.realpath(path).removeprefix("/usr")}
             for path in paths}
    lines = subprocess.run(["dpkg-query", "-S", *sorted(set().union(*names.values()))], check=False,
                           capture_output=True, text=True).stdout.splitlines()
    known = {}
    for line in lines:
        package, _, name = line.partition(": ")
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


def stripped(program):
    """Returns the program without symbols, which are three quarters of it and unused.

    The build ID is removed too, because it depends on them and on the compiler's command.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "program")
        run("strip", "--strip-all", "--remove-section=.note.gnu.build-id", "-o", out, program)
        return read(out)


def authorities():
    """Returns Mozilla's CAs as Debian ships them, without local additions."""
    files = sorted(glob.glob("/usr/share/ca-certificates/mozilla/*.crt"))
    if not files:
        raise Failure("no CA certificates; apt-get install ca-certificates")
    return b"".join(read(path) for path in files)


def records(packages):
    """Returns each package's licence, and its dpkg record at the place that scanners read."""
    for record in run("dpkg-query", "-s", *packages).strip().split("\n\n"):
        package = re.match(r"Package: (\S+)\n", record).group(1)
        yield Entry(f"usr/share/doc/{package}/copyright",
                    read(f"/usr/share/doc/{package}/copyright"), package=package)
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


def collect(program, licence, packages=()):
    """Returns every file of the program's image with those of more packages, sorted by path."""
    name = os.path.basename(program)
    entries = [
        Entry(f"usr/bin/{name}", stripped(program), 0o755),
        Entry("usr/share/doc/capstan/copyright", read(licence)),
        Entry("etc/passwd", PASSWD.encode()),
        Entry("etc/group", GROUP.encode()),
        Entry("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n"),
        Entry("etc/os-release", read("/etc/os-release"), package="base-files"),
        Entry(CERTIFICATES, authorities(), package="ca-certificates"),
        # OpenSSL's default path.
        Entry("usr/lib/ssl/cert.pem", target=f"../../../{CERTIFICATES}", mode=0o777),
    ]
    for path, package in owners(libraries(run("ldd", program))).items():
        # The program contains the loader's path. Libraries are found in usr/lib by their names.
        is_loader = os.path.basename(path).startswith("ld-")
        where = path if is_loader else "/usr/lib" + path.removeprefix("/usr").removeprefix("/lib")
        entries.append(Entry(where.lstrip("/"), read(path), 0o755, package=package))
    for package in packages:
        entries.extend(files_of(package))
    origins = {entry.package for entry in entries} | set(linked(program))
    entries.extend(records(sorted(origins - {""})))
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
