// SPDX-License-Identifier: Apache-2.0
// QuotaController sets the status of ResourceQuotas: what they limit, and what is used of it.
// Mirrors k8s.io/kubernetes/pkg/controller/resourcequota, but reacts to each change.
#pragma once

#include <map>
#include <string>

#include "clientgo/testing/apiserver/registry/controller.h"

namespace capstan::testing::apiserver {

class QuotaController : public Controller {
 public:
  explicit QuotaController(const Server& server) : Controller(server) {}

  void Observe(const Resource& resource, const Event& event) override;

 private:
  void Process(const Item& item) override;

  std::map<std::string, std::size_t, std::less<>> quotas_;  // how many each namespace has
};

}  // namespace capstan::testing::apiserver
