// SPDX-License-Identifier: Apache-2.0
// The fields of a Deployment that the examples use. Kubernetes defines the kind, so the declaration
// is partial: only these fields are kept in memory, and only these are applied.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/kind.h"

struct Deployment {
  using Labels = std::map<std::string, std::string>;
  struct Selector {
    Labels match_labels;
  };
  struct Container {
    std::string name, image;
    friend bool operator==(const Container&, const Container&) = default;
  };
  struct PodSpec {
    std::vector<Container> containers;
  };
  struct PodTemplate {
    capstan::ObjectMeta metadata;
    PodSpec spec;
  };

  capstan::ObjectMeta metadata;
  struct Spec {
    std::optional<int> replicas;
    Selector selector;
    PodTemplate pod_template;
  } spec;
  struct Status {
    std::optional<int> available_replicas;
  } status;
};

template <>
inline constexpr auto capstan::kKind<Deployment> =
    Kind("apps", "v1", "Deployment", "deployments")
        .Namespaced()
        .Partial()
        .Spec(Field("replicas", &Deployment::Spec::replicas),
              Field("selector", &Deployment::Spec::selector,
                    Field("matchLabels", &Deployment::Selector::match_labels)),
              Field("template", &Deployment::Spec::pod_template,
                    Field("metadata", &Deployment::PodTemplate::metadata),
                    Field("spec", &Deployment::PodTemplate::spec,
                          Field("containers", &Deployment::PodSpec::containers,
                                Field("name", &Deployment::Container::name),
                                Field("image", &Deployment::Container::image)))))
        .Status(Field("availableReplicas", &Deployment::Status::available_replicas));

// Returns a Deployment of nginx beside the object with this metadata.
inline Deployment NewDeployment(const capstan::ObjectMeta& beside, const std::string& name) {
  Deployment wanted;
  wanted.metadata.name = name;
  wanted.metadata.namespace_ = beside.namespace_;
  wanted.spec.selector.match_labels = {{"controller", beside.name}};
  wanted.spec.pod_template.metadata.labels = wanted.spec.selector.match_labels;
  wanted.spec.pod_template.spec.containers = {{.name = "nginx", .image = "nginx:latest"}};
  return wanted;
}
