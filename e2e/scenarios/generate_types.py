# SPDX-License-Identifier: Apache-2.0
"""capstan generate types makes types of kinds in a cluster: with a definition, and from OpenAPI."""
import os
import subprocess

from lib import library, targets
from lib.scenario import check_equal

KINDS = ("real",)
SOURCES = {"apps/v1/deployment.cc": "Deployment", "coordination_k8s_io/v1/lease.cc": "Lease",
           "cert_manager_io/v1/certificate.cc": "Certificate"}


def run(scenario):
    prefix = library.installed()
    cluster = scenario.cluster()
    cluster.client().create(targets.certificate_definition())
    out = scenario.path("types")
    names = ("deployments.apps", "leases.coordination.k8s.io", "certificates.cert-manager.io")
    told = subprocess.run([os.path.join(scenario.bin_dir, "capstan"), "generate", "types", *names, "--out", out,
                           "--kubeconfig", cluster.kubeconfig("admin")], check=False, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    check_equal("the kinds", {line.split(": ")[1].split(",")[0] for line in told.stdout.splitlines()
                              if not line.startswith("  ")}, set(SOURCES.values()))
    for source in SOURCES:
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{prefix}/include",
                        f"-I{out}", os.path.join(out, source)], check=True)
    missing = subprocess.run([os.path.join(scenario.bin_dir, "capstan"), "generate", "types", "nothings.example.com",
                              "--out", out, "--kubeconfig", cluster.kubeconfig("admin")],
                             check=False, capture_output=True, text=True)
    check_equal("the exit code for a name that nobody serves", missing.returncode, 1)
    assert "does not serve nothings.example.com" in missing.stderr, missing.stderr
