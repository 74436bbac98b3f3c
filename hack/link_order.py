#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hack/cmake/link_order.ld, which puts the code that programs use side by side.

usage: hack/link_order.py [--build build/release]

The kernel maps a program's file in pieces of 64 KiB. In the order of the archives almost every piece
has some code that is used, so nearly the whole program is resident. This runs each program under
callgrind from its start until its caches are in sync. The linker places the functions and objects of
Debian's archives that were executed before all others (decision 17). Run it after an upgrade of Debian
or OpenSSL. It needs valgrind, and `cmake --build --preset release --target e2e_apiserver` with the
programs.
"""
import argparse
import bisect
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "bench")]
from lib.embedded import EmbeddedCluster  # pylint: disable=wrong-import-position
from process import Process  # pylint: disable=wrong-import-position

SCRIPT = os.path.join(HERE, "cmake", "link_order.ld")
LOOPBACK = "--metrics-listen-address=127.0.0.1:0"
PROGRAMS = {
    "capstan-controller-manager": [LOOPBACK, "--leader-election-namespace=default"],
    "capstan-node-agent": [LOOPBACK, "--node-id=node-a", "--pod-readiness-gate=pod-ip:any"],
    "bench_metadata_informer": [],
}
HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* Made by hack/link_order.py. The code of Debian's archives that a start executes. */
SECTIONS
{
  .text.first :
  {
"""
TAIL = """  }
}
INSERT BEFORE .text;
"""


def link(build, program, work):
    """Links the program with a map of its sections. Returns the paths of both."""
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "bin/" + program],
                              capture_output=True, text=True, check=True).stdout
    command = commands.strip().splitlines()[-1].removeprefix(": && ").removesuffix(" && :")
    out, sections = os.path.join(work, program), os.path.join(work, program + ".map")
    command = command.replace(f" -o bin/{program} ", f" -o {out} -Wl,-Map,{sections} ")
    # callgrind reports wrong addresses for code outside of .text.
    command = re.sub(r"-Wl,(--dependency-file=|-T,)\S+", "", command)
    subprocess.run(command, shell=True, cwd=build, check=True, stderr=subprocess.DEVNULL)
    return out, sections


def code(path):
    """Returns the (address, size, section, origin) of the map's code, sorted."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("Linker script and memory map"):]
    text = re.sub(r"^( \.\S+)\n +0x", r"\1 0x", text, flags=re.M)  # long names end their line
    found = re.findall(r"^ (\.text\S*) +(0x\w+) +(0x\w+) (\S.*)$", text, re.M)
    return sorted((int(address, 16), int(size, 16), section, origin)
                  for section, address, size, origin in found if int(size, 16))


def executed(program, arguments, cluster, work):
    """Returns the addresses of the instructions that the program executes until it is idle."""
    profile = os.path.join(work, "profile")
    command = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no",
               "--compress-strings=no", f"--callgrind-out-file={profile}", program,
               f"--kubeconfig={cluster.kubeconfig()}", *arguments]
    with Process(command, {}) as run:
        run.wait_until_idle()
        run.process.terminate()
        run.process.wait()
    with open(profile, encoding="utf-8") as file:
        return {int(line.split()[0], 16) for line in file if line.startswith("0x")}


def patterns(sections, addresses):
    """Yields the linker's patterns of the archives' sections that contain the addresses."""
    begins = [section[0] for section in sections]
    for address in addresses:
        index = bisect.bisect_right(begins, address) - 1
        if index < 0:
            continue
        begin, size, section, origin = sections[index]
        member = re.fullmatch(r"/.*/(lib[^/]+\.a)\((.+)\)", origin)  # those of the build are relative
        if address < begin + size and member:
            yield f"*{member.group(1)}:{member.group(2)}({section})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/release")
    options = parser.parse_args()
    build = os.path.realpath(options.build)
    found = set()
    cluster = EmbeddedCluster.create(os.path.join(build, "bin"))
    try:
        with tempfile.TemporaryDirectory() as work:
            for name, arguments in PROGRAMS.items():
                program, sections = link(build, name, work)
                used = set(patterns(code(sections), executed(program, arguments, cluster, work)))
                print(f"{name}: {len(used)} sections, {len(used - found)} of them new", flush=True)
                found |= used
    finally:
        cluster.destroy()
    with open(SCRIPT, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"    {pattern}\n" for pattern in sorted(found)) + TAIL)


if __name__ == "__main__":
    main()
