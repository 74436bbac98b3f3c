# SPDX-License-Identifier: Apache-2.0
"""Installs sample-controller and cronjob from their images, as their READMEs say."""
import json
import os
import re

import webhooks

EXAMPLES = {"sample-controller": "sample-controller", "cronjob": "cronjob-controller"}  # program
CRON_JOBS = "cronjobs.batch.tutorial.kubebuilder.io"
FOO, CRON_JOB = "example-foo", "cronjob-sample"
CERTIFICATE = "cronjob-webhook-tls"


def path(cluster, example, *rest):
    return os.path.join(cluster.root, "examples", example, *rest)


def load(cluster):
    """Creates the images and loads them into the nodes. cronjob reads time zones."""
    for example, program in EXAMPLES.items():
        built = os.path.join(cluster.root, "build/kind/examples", example, program)
        print(cluster.run("python3", "-B", os.path.join(cluster.root, "hack/images/build.py"), "--tag",
                          "latest", "--package", "tzdata", "--out", cluster.folder, built), end="")
        cluster.run("kind", "load", "image-archive", cluster.path(program + ".tar"), "--name",
                    cluster.name)
        cluster.kubectl("apply", "-f", "-", given=cluster.run(built, "--print-crds"))
        cluster.kubectl("apply", "-f", path(cluster, example, "deploy/rbac.yaml"))


def deployed(cluster, program):
    cluster.kubectl("rollout", "status", "-n", program, "deployment/" + program, "--timeout=120s")


def events(cluster, name):
    """Returns the reasons of an object's Events."""
    found = cluster.get("events", "--field-selector", "involvedObject.name=" + name)
    return {event["reason"] for event in found}


def sample_controller(cluster):
    """A Foo gets its Deployment; the number of replicas follows it; its status has what runs."""
    load(cluster)
    cluster.kubectl("apply", "-f", path(cluster, "sample-controller", "deploy/deployment.yaml"))
    deployed(cluster, "sample-controller")
    cluster.kubectl("apply", "-f", path(cluster, "sample-controller", "example-foo.yaml"))
    cluster.wait(lambda: cluster.get("deployment", FOO)["spec"]["replicas"] == 1,
                 "the Deployment is created")
    # nginx is not on the nodes. The controller leaves alone what it does not set, so its image stays.
    container = {"name": "nginx", "image": "sample-controller:latest", "imagePullPolicy": "Never"}
    cluster.kubectl("patch", "deployment", FOO, "-p",
                    json.dumps({"spec": {"template": {"spec": {"containers": [container]}}}}))
    cluster.kubectl("patch", "foo", FOO, "--type=merge", "-p", '{"spec":{"replicas":2}}')
    took = cluster.wait(lambda: cluster.get("foo", FOO)["status"]["availableReplicas"] == 2,
                        "the status of the Foo has both replicas")
    cluster.figure("seconds from 2 replicas in the Foo to 2 in its status", f"{took:.1f}")
    image = cluster.get("deployment", FOO)["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == container["image"], image
    assert "Synced" in events(cluster, FOO), events(cluster, FOO)
    cluster.kubectl("delete", "foo", FOO)
    cluster.wait(lambda: not cluster.get("deployments"), "the Deployment is deleted with its Foo")


def install_webhooks(cluster):
    """Runs the controller with a certificate, whose CA capstan-controller-manager injects."""
    namespace = EXAMPLES["cronjob"]
    texts = webhooks.authority(cluster, "cronjob", "cronjob-webhook.cronjob-controller.svc")
    cluster.apply(webhooks.secret(texts, namespace, CERTIFICATE))
    cluster.kubectl("apply", "-f", path(cluster, "cronjob", "deploy/deployment.yaml"))
    with open(path(cluster, "cronjob", "deploy/webhooks.yaml"), encoding="utf-8") as file:
        configurations, replaced = re.subn(
            "{cert-manager.io/inject-ca-from: .*}",
            f"{{cert-manager.io/inject-ca-from-secret: {namespace}/{CERTIFICATE}}}", file.read())
    assert replaced == 2, "deploy/webhooks.yaml has two configurations"
    cluster.kubectl("apply", "-f", "-", given=configurations)
    deployed(cluster, namespace)
    for kind in ("mutating", "validating"):
        cluster.wait(lambda of=kind: cluster.get(of + "webhookconfiguration", namespace)["webhooks"][0][
            "clientConfig"].get("caBundle") == webhooks.load.encoded(texts["ca.crt"]),
                     f"the CA is injected into the {kind} webhook")


def cron_job(cluster):
    """The API server calls both webhooks, and a Job starts at the next minute and completes."""
    install_webhooks(cluster)
    with open(path(cluster, "cronjob", "example-cronjob.yaml"), encoding="utf-8") as file:
        manifest = file.read()
    # busybox is not on the nodes.
    agent = next(one for pod in cluster.pods("node-agent") for one in pod["spec"]["containers"])
    manifest = manifest.replace("image: busybox", f"image: {agent['image']}\n              "
                                "imagePullPolicy: Never")
    manifest = re.sub("args: .*", "args: [--version]", manifest)
    bad = manifest.replace("*/1 * * * *", "61 * * * *")
    cluster.wait(lambda: "61" in cluster.kubectl("apply", "-f", "-", given=bad, check=False).stderr,
                 "a wrong schedule is rejected")
    cluster.figure("a wrong schedule", cluster.kubectl(
        "apply", "-f", "-", given=bad, check=False).stderr.strip())
    cluster.kubectl("apply", "-f", "-", given=manifest)
    spec = cluster.get(CRON_JOBS, CRON_JOB)["spec"]
    defaults = {"suspend": False, "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1}
    assert {key: spec.get(key) for key in defaults} == defaults, spec
    took = cluster.wait(lambda: cluster.get(CRON_JOBS, CRON_JOB)["status"]["lastSuccessfulTime"],
                        "a Job completes")
    cluster.figure("seconds until a Job was completed", f"{took:.1f}")
    assert "SuccessfulCreate" in events(cluster, CRON_JOB), events(cluster, CRON_JOB)
    cluster.kubectl("delete", CRON_JOBS, CRON_JOB)
    cluster.wait(lambda: not cluster.get("jobs"), "the Jobs are deleted with their CronJob")


def clean(cluster):
    cluster.kubectl("delete", "-f", path(cluster, "cronjob", "deploy/webhooks.yaml"))
    for example, program in EXAMPLES.items():
        built = os.path.join(cluster.root, "build/kind/examples", example, program)
        cluster.kubectl("delete", "-f", "-", given=cluster.run(built, "--print-crds"))
        cluster.kubectl("delete", "-f", path(cluster, example, "deploy/rbac.yaml"))
