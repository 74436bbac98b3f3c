# SPDX-License-Identifier: Apache-2.0
"""Installs the example controllers with the manifests in their deploy/.

The READMEs build the images with examples/Dockerfile, which needs a registry. Here hack/images/build.py
makes them of programs that are already built.
"""
import json
import os
import re

import webhooks

EXAMPLES = {"sample-controller": "sample-controller", "cronjob": "cronjob-controller",
            "pod-labeler": "pod-labeler", "secret-mirror": "secret-mirror"}  # program
WITH_CRDS = ("sample-controller", "cronjob")
CRON_JOBS = "cronjobs.batch.tutorial.kubebuilder.io"
FOO, CRON_JOB = "example-foo", "cronjob-sample"
CERTIFICATE = "cronjob-webhook-tls"
MIRRORED = ("mirror-one", "mirror-two")  # namespaces


def path(cluster, example, *rest):
    return os.path.join(cluster.root, "examples", example, *rest)


def built_program(cluster, example):
    return os.path.join(cluster.root, "build/kind/examples", example, EXAMPLES[example])


def load(cluster):
    """Creates the images and loads them into the nodes. cronjob reads time zones."""
    for example, program in EXAMPLES.items():
        built = built_program(cluster, example)
        print(cluster.run("python3", "-B", os.path.join(cluster.root, "hack/images/build.py"), "--tag",
                          "latest", "--package", "tzdata", "--out", cluster.folder, built), end="")
        cluster.run("kind", "load", "image-archive", cluster.path(program + ".tar"), "--name",
                    cluster.name)
        if example in WITH_CRDS:
            cluster.kubectl("apply", "-f", "-", given=cluster.run(built, "--print-crds"))
        cluster.kubectl("apply", "-f", path(cluster, example, "deploy/rbac.yaml"))


def deployed(cluster, program):
    cluster.kubectl("rollout", "status", "-n", program, "deployment/" + program, "--timeout=120s")


def deploy(cluster, example):
    cluster.kubectl("apply", "-f", path(cluster, example, "deploy/deployment.yaml"))
    deployed(cluster, EXAMPLES[example])


def events(cluster, name):
    """Returns the reasons of an object's Events."""
    found = cluster.get("events", "--field-selector", "involvedObject.name=" + name)
    return {event["reason"] for event in found}


def sample_controller(cluster):
    """A Foo gets its Deployment; the number of replicas follows it; its status has what runs."""
    load(cluster)
    deploy(cluster, "sample-controller")
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

    def answer():
        return cluster.kubectl("apply", "-f", "-", given=bad, check=False).stderr.strip()
    # The Service of the webhooks may have no endpoint yet.
    cluster.wait(lambda: "spec.schedule: " in answer(), "a wrong schedule is rejected")
    cluster.figure("a wrong schedule", answer())
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


def pod_labeler(cluster):
    """The operator's own Pod gets the label with its name."""
    deploy(cluster, "pod-labeler")
    selected = ("-n", "pod-labeler", "-l", "app=pod-labeler")
    cluster.kubectl("annotate", "pod", *selected, "example.com/add-pod-name-label=true")

    def labelled():
        pod, = cluster.get("pods", *selected)
        return pod["metadata"]["labels"].get("example.com/pod-name") == pod["metadata"]["name"]
    took = cluster.wait(labelled, "the Pod has the label")
    cluster.figure("seconds from the annotation to the label", f"{took:.1f}")


def secret_mirror(cluster):
    """A Secret is copied into the namespaces of its group, follows its source, and is deleted with it."""
    deploy(cluster, "secret-mirror")
    cluster.kubectl("create", "secret", "generic", "registry", "--from-literal=password=x")
    cluster.kubectl("label", "secret", "registry", "example.com/mirror-group=team-a")
    for namespace in MIRRORED:
        cluster.kubectl("create", "namespace", namespace)
    cluster.kubectl("label", "namespace", *MIRRORED, "example.com/mirror-group=team-a")

    def copies():
        return [cluster.get("secret", "registry", "-n", name)["data"] for name in MIRRORED]
    took = cluster.wait(lambda: copies() == 2 * [{"password": webhooks.load.encoded("x")}],
                        "both namespaces have a copy")
    cluster.figure("seconds from the labels to both copies", f"{took:.1f}")
    cluster.kubectl("patch", "secret", "registry", "-p", '{"stringData":{"password":"y"}}')
    cluster.wait(lambda: copies() == 2 * [{"password": webhooks.load.encoded("y")}],
                 "the copies follow their source")
    cluster.kubectl("delete", "secret", "registry")
    cluster.wait(lambda: not [secret for name in MIRRORED for secret in cluster.get(
        "secrets", "-n", name)], "the copies are deleted with their source")


def clean(cluster):
    cluster.kubectl("delete", "-f", path(cluster, "cronjob", "deploy/webhooks.yaml"))
    cluster.kubectl("delete", "namespace", *MIRRORED, "--wait=false")
    for example in EXAMPLES:
        if example in WITH_CRDS:
            cluster.kubectl("delete", "-f", "-", given=cluster.run(
                built_program(cluster, example), "--print-crds"))
        cluster.kubectl("delete", "--wait=false", "-f", path(cluster, example, "deploy/rbac.yaml"))
