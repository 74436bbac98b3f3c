// SPDX-License-Identifier: Apache-2.0
// ClusterRoleAggregator fills the rules of the ClusterRoles that have an aggregationRule with those
// of the ClusterRoles that it selects. Mirrors k8s.io/kubernetes/pkg/controller/
// clusterroleaggregation of kube-controller-manager. Differs: it calls no webhook, and its requests
// are not counted.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "clientgo/testing/apiserver/registry/controller.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

class ClusterRoleAggregator : public Controller {
 public:
  explicit ClusterRoleAggregator(const Server& server) : Controller(server) {}

  void Observe(const Resource& resource, const Event& event) override;
  // Fills all ClusterRoles now, also those that aggregate others that aggregate.
  void Run();

 private:
  void Process(const Item&) override { Pass(); }
  // Fills each ClusterRole once. Returns whether one has changed.
  bool Pass();
  // Returns whether the rules of the role have changed.
  bool Fill(const std::string& name, const runtime::JsonDocument& role);

  std::map<std::string, std::shared_ptr<const runtime::JsonDocument>> roles_;  // by name
};

}  // namespace capstan::testing::apiserver
