// SPDX-License-Identifier: Apache-2.0
// The status of ResourceQuotas: what they limit, and what is used of it. Admission adds to it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "clientgo/testing/apiserver/admission/plugins.h"
#include "clientgo/testing/apiserver/registry/controller.h"

namespace capstan::testing::apiserver {

// Counts an object that is about to be stored in the quotas of its namespace, or returns which of
// them it would exceed. It stays counted if the storage then refuses it. Mirrors
// k8s.io/apiserver/pkg/admission/plugin/resourcequota.
std::optional<Status> ChargeQuotas(Registry& registry, const PluginRequest& request,
                                   const runtime::JsonDocument& next, bool dry_run);

// QuotaController sets the status from what is stored. Mirrors
// k8s.io/kubernetes/pkg/controller/resourcequota, but reacts to each change.
class QuotaController : public Controller {
 public:
  explicit QuotaController(const Server& server) : Controller(server) {}

  void Observe(const Resource& resource, const Event& event) override;

 private:
  void Process(const Item& item) override;

  std::map<std::string, std::size_t, std::less<>> quotas_;  // how many each namespace has
};

}  // namespace capstan::testing::apiserver
