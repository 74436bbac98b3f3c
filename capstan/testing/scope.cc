// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/scope.h"

#include <utility>

namespace capstan::testing {

Scope::Scope(clientgo::rest::Client& client, std::string prefix,
             const std::vector<std::string>& definitions)
    : prefix_(std::move(prefix)),
      definitions_(
          client, Unstructured::TypeFor({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                                        "CustomResourceDefinition", false)),
      namespaces_(client, Unstructured::TypeFor({"", "v1", "namespaces"}, "Namespace", false)) {
  for (const std::string& text : definitions) {
    const Unstructured definition = Value(Unstructured::FromJson(text), "a definition");
    created_definitions_.push_back(Create(definitions_, definition).metadata.name);
  }
}

Scope::~Scope() {
  for (const std::string& name : created_namespaces_) {
    (void)namespaces_.Delete({}, {.namespace_ = "", .name = name});
  }
  for (const std::string& name : created_definitions_) {
    (void)definitions_.Delete({}, {.namespace_ = "", .name = name});
  }
}

std::string Scope::NewNamespace(const std::map<std::string, std::string>& labels) {
  Unstructured wanted("v1", "Namespace");
  wanted.metadata.generate_name = prefix_ + "-";
  wanted.metadata.labels = labels;
  auto created = Value(namespaces_.Create({}, wanted), "failed to create a Namespace");
  created_namespaces_.push_back(created->metadata.name);
  return created_namespaces_.back();
}

}  // namespace capstan::testing
