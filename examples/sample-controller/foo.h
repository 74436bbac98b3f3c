// SPDX-License-Identifier: Apache-2.0
// The kind that the controller adds to a cluster. Mirrors pkg/apis/samplecontroller/v1alpha1 of
// kubernetes/sample-controller and its artifacts/examples/crd-status-subresource.yaml.
#pragma once

#include <optional>
#include <string>

#include "capstan/kind.h"

struct Foo {
  capstan::ObjectMeta metadata;
  struct Spec {
    std::string deployment_name;
    std::optional<int> replicas;  // nullopt: others decide
  } spec;
  struct Status {
    int available_replicas = 0;
  } status;
};

template <>
inline constexpr auto capstan::kKind<Foo> =
    Kind("samplecontroller.k8s.io", "v1alpha1", "Foo", "foos")
        .Namespaced()
        .Spec(Field("deploymentName", &Foo::Spec::deployment_name),
              Field("replicas", &Foo::Spec::replicas).Minimum(1).Maximum(10))
        .Status(Field("availableReplicas", &Foo::Status::available_replicas));
