# SPDX-License-Identifier: Apache-2.0
"""A kind cluster with our images, used through kubectl and helm."""
import json
import os
import subprocess
import tempfile

from lib.kubectl import Kubectl

RELEASE = "capstan"  # of helm, and its namespace
PROGRAMS = ["capstan-controller-manager", "capstan-node-agent", "capstan-cri-event-broker"]
TEST_PROGRAMS = ["e2e_webhook", "e2e_csi_driver"]
IMAGE = "kindest/node:v1.34.0"
SERVICES, NO_SERVICE = "10.96.0.0/16", "10.96.255.254"
CONFIG = f"""
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
networking:
  serviceSubnet: {SERVICES}
nodes:
- role: control-plane
- role: worker
"""


def engine_fault():
    """Returns one line why there is no container engine, or ""."""
    try:
        result = subprocess.run(["docker", "info", "--format", "{{.ServerVersion}}"], check=False,
                                capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        return "kind needs a container engine, but docker is missing: apt-get install docker.io"
    except subprocess.TimeoutExpired:
        return "kind needs a container engine: docker info does not answer within 60 s"
    if result.returncode != 0 or not result.stdout.strip():
        why = " ".join((result.stderr or result.stdout).split())
        return f"kind needs a container engine: {why} Start dockerd, or set DOCKER_HOST"
    return ""


def node_image():
    """Returns the local node image to use, or ""."""
    if os.environ.get("KIND_NODE_IMAGE"):
        return os.environ["KIND_NODE_IMAGE"]
    images = subprocess.run(["docker", "images", "--format", "{{.Repository}}:{{.Tag}}",
                             "kindest/node"], check=True, capture_output=True, text=True).stdout
    return next((image for image in images.split() if not image.endswith(":<none>")), "")


def image_fault():
    """Returns one line why there is no node image, or "". May pull the image."""
    if node_image():
        return ""
    try:
        result = subprocess.run(["docker", "pull", "--quiet", IMAGE], check=False, text=True,
                                capture_output=True, timeout=900)
    except subprocess.TimeoutExpired:
        why = "timeout after 900 s."
    else:
        if result.returncode == 0:
            return ""
        why = " ".join((result.stderr or result.stdout).split())
    return (f"the node image is missing, and docker pull {IMAGE} failed: {why} Load one (docker "
            "load), or set KIND_NODE_IMAGE to an image that can be pulled")


class KindCluster(Kubectl):
    def __init__(self, name, root):
        self.name, self.root = name, root
        self.bin = os.path.join(root, "build/release/bin")
        super().__init__(tempfile.mkdtemp(prefix="capstan-kind-"), f"{self.bin}:{os.environ['PATH']}")
        self.nodes = []
        self.before = set()  # the objects before helm install
        self.values = {}  # values of the chart

    def create(self):
        self.run("kind", "delete", "cluster", "--name", self.name)
        config = self.path("kind.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG)
        self.run("kind", "create", "cluster", "--name", self.name, "--config", config, "--wait",
                 "300s", "--image", node_image(), seconds=900)
        self.nodes = [node["metadata"]["name"] for node in self.get("nodes")]
        self.kubectl("wait", "--for=condition=Ready", "node", "--all", "--timeout=300s")
        for node in self.nodes:
            self.keep_services_inside(node)
        self.load_images()

    def keep_services_inside(self, node):
        """Refuses connections to the address of a Service that kube-proxy does not know yet.

        Otherwise they leave the cluster. Where a proxy accepts them, the API server keeps its connection to
        that proxy for the later requests to the Service.
        """
        for chain in ("OUTPUT", "FORWARD"):  # both come after kube-proxy has replaced the address
            self.run("docker", "exec", node, "iptables", "-A", chain, "-d", SERVICES, "-j", "REJECT")
        result = self.on_node(node, "curl", "-sk", "--max-time", "5", f"https://{NO_SERVICE}/")
        assert result.returncode == 7, f"{node}: curl {NO_SERVICE}: {result.returncode}, not refused"

    def load_images(self):
        build = [os.path.join(self.root, "hack/images/build.py"), "--out", self.folder]
        print(self.run("python3", "-B", *build,
                       *[os.path.join(self.bin, name) for name in PROGRAMS]), end="")
        print(self.run("python3", "-B", *build, "--tag", "e2e",
                       *[os.path.join(self.bin, name) for name in TEST_PROGRAMS]), end="")
        for name in PROGRAMS + TEST_PROGRAMS:
            self.run("kind", "load", "image-archive", self.path(name + ".tar"), "--name", self.name)

    def delete(self):
        self.run("kind", "delete", "cluster", "--name", self.name)
        self.run("rm", "-rf", self.folder)

    def helm(self, verb, **values):
        """Installs or upgrades, with these values added to the previous ones. Waits until ready."""
        self.values.update(values)
        chart_values = self.path("values.json")
        with open(chart_values, "w", encoding="utf-8") as file:
            json.dump(self.values, file)
        self.run("helm", verb, RELEASE, os.path.join(self.root, "charts/capstan"), "-n", RELEASE,
                 "--create-namespace", "-f", chart_values, "--wait", "--timeout", "5m", seconds=360)

    def pods(self, component):
        return self.get("pods", "-n", RELEASE, "-l", "app.kubernetes.io/component=" + component)

    def on_node(self, node, *command, given=None):
        return self.run("docker", "exec", "-i", node, *command, given=given, check=False)

    def objects(self):
        """Returns (kind, namespace, name) of all objects except volatile ones."""
        kinds = self.kubectl("api-resources", "--verbs=list", "-o", "name").split()
        passing = {"events", "events.events.k8s.io", "pods", "endpoints", "replicasets.apps",
                   "endpointslices.discovery.k8s.io", "leases.coordination.k8s.io",
                   "controllerrevisions.apps", "componentstatuses"}
        out = self.kubectl("get", ",".join(sorted(set(kinds) - passing)), "-A", "-o",
                           "custom-columns=K:.kind,NS:.metadata.namespace,N:.metadata.name",
                           "--no-headers", "--ignore-not-found")
        return {tuple(line.split()) for line in out.splitlines()}

    def describe(self):
        """Returns what helps to explain a failure."""
        conditions = "jsonpath={range .items[*]}{.metadata.name}: {.status.conditions}{'\\n'}{end}"
        for words in (["get", "pods", "-A", "-o", "wide"],
                      ["get", "apiservices", "-l", "kube-aggregator.kubernetes.io/automanaged!=true,"
                       "kube-aggregator.kubernetes.io/automanaged!=onstart", "-o", conditions],
                      ["get", "events", "-A", "--sort-by=.lastTimestamp"],
                      ["logs", "-n", RELEASE, "--all-containers", "--prefix", "--tail=40",
                       "-l", "app.kubernetes.io/instance=" + RELEASE]):
            result = self.kubectl(*words, check=False)
            print("\n".join(result.stdout.splitlines()[-60:]))
