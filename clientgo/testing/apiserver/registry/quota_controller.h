// SPDX-License-Identifier: Apache-2.0
// QuotaController sets the status of ResourceQuotas: what they limit, and what is used of it.
// Mirrors k8s.io/kubernetes/pkg/controller/resourcequota, but reacts to each change.
#pragma once

#include <map>
#include <string>

#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/storage/object_queue.h"
#include "clientgo/testing/apiserver/storage/storage.h"

namespace capstan::testing::apiserver {

class QuotaController {
 public:
  QuotaController(const Storage& storage, Registry& registry, ObjectQueue::Post post);

  // Called after every change.
  void Observe(const Resource& resource, const Event& event);
  // Continues with what was observed while the server's thread did not run.
  void Start() { queue_.Start(); }

 private:
  void Process(const ObjectQueue::Item& item);

  const Storage& storage_;
  Registry& registry_;
  std::map<std::string, std::size_t, std::less<>> quotas_;  // how many each namespace has
  ObjectQueue queue_;                                       // of namespaces
};

}  // namespace capstan::testing::apiserver
