# SPDX-License-Identifier: Apache-2.0
"""The test suites of other projects that hack/suites runs on a real and on the embedded API server."""
import dataclasses

NEWEST = "newest"  # release on the module proxy


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    module: str
    version: str
    # Folders of packages. Those below them are included when their tests contain `uses`.
    folders: tuple = (".",)
    uses: str = "envtest"
    # Folders that are left out, each with its reason.
    without: dict = dataclasses.field(default_factory=dict)
    # {folder: module} of dependencies whose files the tests read. A module has no folder vendor.
    files: dict = dataclasses.field(default_factory=dict)
    prepare: str = ""     # a shell command that the project's Makefile runs before its tests
    # Folders of CustomResourceDefinitions. The suite runs on a server with them, which $KUBECONFIG names.
    crds: tuple = ()
    port: int = 0         # a fixed one on which its tests listen: one package at a time (ports.py)
    minutes: int = 15     # the limit of one package


SUITES = (
    # Two tests of pkg/client/apiutil need GitHub on every server: they download kube-apiserver 1.28.
    Suite("controller-runtime", "sigs.k8s.io/controller-runtime", "v0.22.4", port=8080),
    Suite("controller-runtime-newest", "sigs.k8s.io/controller-runtime", NEWEST, port=8080),
    Suite("kuberay", "github.com/ray-project/kuberay/ray-operator", "v1.5.0", minutes=30),
    Suite("machine-api-operator", "github.com/openshift/machine-api-operator",
          "v0.2.1-0.20260226113419-88465550a74b",
          files={"vendor/github.com/openshift/api": "github.com/openshift/api"},
          # The module proxy does not have OpenShift's fork of k8s.io/apiserver. The tests need the original.
          prepare="go mod edit -dropreplace=k8s.io/apiserver && "
                  "GOFLAGS=-mod=mod go list -deps ./pkg/util/testing >/dev/null"),
    Suite("fluxcd-ssa", "github.com/fluxcd/pkg/ssa", NEWEST),
    Suite("fluxcd-runtime", "github.com/fluxcd/pkg/runtime", "v0.122.0", uses="testenv",
          # The replacements are other folders of the project's repository. The module has none of them.
          prepare="for name in acl event kustomize meta; do "
                  "go mod edit -dropreplace=github.com/fluxcd/pkg/apis/$name || exit 1; done && "
                  "GOFLAGS=-mod=mod go list -deps -test ./... >/dev/null"),
    Suite("gateway-api", "sigs.k8s.io/gateway-api", "v1.4.1", folders=("pkg/test/cel",),
          crds=("config/crd/standard",)),
    Suite("cluster-api", "sigs.k8s.io/cluster-api", "v1.13.6", minutes=30),
    Suite("external-secrets", "github.com/external-secrets/external-secrets", "v0.16.2", minutes=30),
    Suite("karpenter", "sigs.k8s.io/karpenter", "v1.9.0", uses="test.NewEnvironment", minutes=40),
    Suite("gatekeeper", "github.com/open-policy-agent/gatekeeper/v3", "v3.23.1", minutes=20),
    Suite("kueue", "sigs.k8s.io/kueue", "v0.17.0", minutes=40, uses="framework.Framework",
          folders=tuple("test/integration/singlecluster/" + name for name in (
              "controller/core", "conversion", "scheduler", "webhook/core")),
          prepare="mkdir -p config/components/crd/_output && "
                  "kubectl kustomize config/components/crd >config/components/crd/_output/crds-with-webhooks.yaml"),
)
