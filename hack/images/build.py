#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates the images of built programs; hack/image builds the programs and calls this.

usage: hack/images/build.py [--prefix P] [--tag T] [--created TIME] [--package DEB] --out DIR PROGRAM...
       hack/images/build.py --rootfs DIR PROGRAM...     write only the files, into DIR/NAME

--package adds the files of an installed Debian package that the programs read, such as tzdata.
"""
import argparse
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
LICENCE = os.path.join(HERE, "../../LICENSE")
sys.path.insert(0, HERE)
import oci  # pylint: disable=wrong-import-position
import rootfs  # pylint: disable=wrong-import-position
import sbom  # pylint: disable=wrong-import-position


def version_of(program):
    """Returns (version, commit) from the program's --version. Programs of other projects may leave out the commit."""
    text = rootfs.run(program, "--version")
    match = re.search(r"(\d+\.\d+\.\d+\S*)(?: \((\w+)\))?", text)
    if not match:
        raise rootfs.Failure(f"{program} --version has no version: {text.strip()}")
    return match[1], match[2] or "unknown"


def build(program, options):
    name = os.path.basename(program)
    # A test's program has no version and takes the tag.
    version, commit = (options.tag, "unknown") if name.startswith("e2e_") else version_of(program)
    entries = rootfs.collect(program, LICENCE, options.package)
    labels = oci.labels(name, version, commit)
    image = oci.Image(entries, name, rootfs.MACHINE.architecture, rootfs.USERS.get(name, rootfs.USER), labels)
    folder = os.path.join(options.out, name)
    shutil.rmtree(folder, ignore_errors=True)
    reference = f"{options.prefix}{name}:{options.tag or version}"
    oci.write([image], reference, folder)
    document = sbom.document(sbom.Subject(name, version, image.manifest), options.created, entries,
                             rootfs.linked(program))
    with open(folder + ".spdx.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")
    packed = sum(map(len, image.blobs.values()))
    print(f"{reference} {image.manifest} {image.size / 2**20:.1f} MiB unpacked, "
          f"{packed / 2**20:.1f} MiB packed: {folder}.tar")


def unpack(program, folder, packages):
    entries = rootfs.collect(program, LICENCE, packages)
    for path in rootfs.folders(entries):
        os.makedirs(os.path.join(folder, path), mode=0o755, exist_ok=True)
    for entry in entries:
        path = os.path.join(folder, entry.path)
        if entry.target:
            os.symlink(entry.target, path)
            continue
        with open(path, "wb") as file:
            file.write(entry.data)
        os.chmod(path, entry.mode)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--tag", default="")
    parser.add_argument("--created", default="1970-01-01T00:00:00Z")
    parser.add_argument("--package", action="append", default=[])
    parser.add_argument("--out", default="")
    parser.add_argument("--rootfs", default="")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    try:
        for program in options.programs:
            if options.rootfs:
                unpack(program, os.path.join(options.rootfs, os.path.basename(program)), options.package)
            else:
                build(program, options)
    except rootfs.Failure as why:
        sys.exit(f"hack/image: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
