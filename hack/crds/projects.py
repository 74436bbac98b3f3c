# SPDX-License-Identifier: Apache-2.0
"""The projects whose custom resources hack/crds/run uses: Go modules, and where in them the definitions are."""
import dataclasses


@dataclasses.dataclass
class Project:
    name: str
    module: str         # with its version
    definitions: tuple  # glob patterns of files


PROJECTS = (
    Project("cert-manager", "github.com/cert-manager/cert-manager@v1.21.2", ("deploy/crds/*.yaml",)),
    Project("Gateway API", "sigs.k8s.io/gateway-api@v1.7.0", ("config/crd/experimental/*.yaml",)),
    Project("prometheus-operator", "github.com/prometheus-operator/prometheus-operator@v0.85.0",
            ("example/prometheus-operator-crd/*.yaml",)),
    Project("Cluster API", "sigs.k8s.io/cluster-api@v1.14.2",
            ("config/crd/bases/*.yaml", "bootstrap/kubeadm/config/crd/bases/*.yaml",
             "controlplane/kubeadm/config/crd/bases/*.yaml")),
    Project("Kyverno", "github.com/kyverno/kyverno@v1.19.1", ("config/crds/**/*.yaml",)),
    Project("Istio", "istio.io/api@v1.32.0", ("kubernetes/customresourcedefinitions.gen.yaml",)),
    Project("external-secrets", "github.com/external-secrets/external-secrets@v1.3.2", ("config/crds/bases/*.yaml",)),
    Project("Argo Rollouts", "github.com/argoproj/argo-rollouts@v1.10.2", ("manifests/crds/*-crd.yaml",)),
    Project("Kueue", "sigs.k8s.io/kueue@v0.17.0", ("config/components/crd/bases/*.yaml",)),
    Project("KEDA", "github.com/kedacore/keda/v2@v2.21.0", ("config/crd/bases/*.yaml",)),
    Project("Flux source-controller", "github.com/fluxcd/source-controller@v1.10.1", ("config/crd/bases/*.yaml",)),
    Project("Knative Serving", "knative.dev/serving@v0.51.0", ("config/core/300-resources/*.yaml",)),
)
