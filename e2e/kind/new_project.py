# SPDX-License-Identifier: Apache-2.0
"""Writes a project with `capstan new`, builds and tests it, and installs its chart."""
import json
import os
import time

NAME, KIND = "backup-operator", "Backup"
CRD = "backups.example.com"
BACKUP = {"apiVersion": "example.com/v1alpha1", "kind": KIND, "metadata": {"name": "web"},
          "spec": {"image": "nginx:latest", "replicas": 2}}


def built(cluster, project):
    """Returns the program of the project, whose tests have passed."""
    build = os.path.join(project, "build")
    cluster.run("cmake", "-S", project, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCAPSTAN_USE_STATIC_LIBS=ON",
                f"-DCMAKE_PREFIX_PATH={os.path.join(cluster.root, 'build/kind/prefix')}")
    cluster.run("cmake", "--build", build, "--parallel")
    cluster.run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
    return os.path.join(build, NAME)


def installed(cluster):
    """A Backup of the new project gets its Deployment, and shows that no Pod of it is ready."""
    started = time.monotonic()
    cluster.run(os.path.join(cluster.root, "build/release/bin/capstan"), "new", NAME, "--kind", KIND, "--out",
                cluster.path("projects"))
    project = cluster.path(os.path.join("projects", NAME))
    print(cluster.run("python3", "-B", os.path.join(cluster.root, "hack/images/build.py"), "--tag", "0.1.0", "--out",
                      cluster.folder, built(cluster, project)), end="")
    cluster.run("kind", "load", "image-archive", cluster.path(NAME + ".tar"), "--name", cluster.name)
    cluster.run("helm", "install", NAME, os.path.join(project, "chart"), "--kubeconfig", cluster.path("kubeconfig"))
    cluster.kubectl("rollout", "status", "-n", NAME, f"deployment/{NAME}", "--timeout=120s")
    cluster.kubectl("apply", "-f", "-", given=json.dumps(BACKUP))
    cluster.wait(lambda: cluster.get("deployment", "web")["spec"]["replicas"] == 2, "the Backup has its Deployment")
    cluster.wait(lambda: any(condition["reason"] == "PodsAreNotReady"  # nginx is not on the nodes
                             for condition in cluster.get("backup", "web")["status"]["conditions"]),
                 "the Backup shows that its Pods are not ready")
    cluster.figure("seconds from `capstan new` to a Backup with its Deployment", f"{time.monotonic() - started:.0f}")
    cluster.kubectl("delete", "backup", "web")
    cluster.wait(lambda: not cluster.get("deployments"), "the Deployment is deleted with its Backup")
    cluster.run("helm", "uninstall", NAME, "--kubeconfig", cluster.path("kubeconfig"))
    cluster.kubectl("delete", "crd", CRD)
