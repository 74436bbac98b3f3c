# SPDX-License-Identifier: Apache-2.0
"""capstan new writes a project that builds with the installed library, whose tests pass, and whose chart Helm reads."""
import os
import shutil
import subprocess

from lib import library
from lib.scenario import check_equal

KINDS = ("embedded",)
WARNINGS = "-DCMAKE_CXX_FLAGS=-Werror"


def told(*command):
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def run(scenario):
    prefix = library.installed()
    capstan = os.path.join(scenario.bin_dir, "capstan")
    told(capstan, "new", "backup-operator", "--kind", "BackupPolicy", "--group", "backups.acme.io", "--out",
         scenario.path("."))
    project = scenario.path("backup-operator")
    build = os.path.join(project, "build")
    told("cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", WARNINGS)
    told("cmake", "--build", build, "--parallel")
    told("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
    if helm := shutil.which("helm"):
        kinds = [line for line in told(helm, "template", "--include-crds", os.path.join(project, "chart")).splitlines()
                 if line.startswith("kind: ")]
        check_equal("the Deployments of the chart", kinds.count("kind: Deployment"), 1)
