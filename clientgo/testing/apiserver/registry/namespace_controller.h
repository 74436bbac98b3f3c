// SPDX-License-Identifier: Apache-2.0
// NamespaceController deletes the contents of the namespaces that are being deleted, and then the
// namespaces. One with an object that has finalizers waits for that object.
//
// Mirrors k8s.io/kubernetes/pkg/controller/namespace of kube-controller-manager. Differs: it calls
// no webhook, its requests are not counted, and it sets no conditions.
#pragma once

#include <set>
#include <string>

#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/storage/object_queue.h"
#include "clientgo/testing/apiserver/storage/storage.h"

namespace capstan::testing::apiserver {

class NamespaceController {
 public:
  NamespaceController(const Storage& storage, Registry& registry, const CustomResources& resources,
                      ObjectQueue::Post post);

  void Observe(const Resource& resource, const Event& event);
  void Start() { queue_.Start(); }

 private:
  void Process(const ObjectQueue::Item& item);
  // Deletes the objects of a namespace. Returns whether some are left.
  bool DeleteContents(const std::string& ns);

  const Storage& storage_;
  Registry& registry_;
  const CustomResources& resources_;
  ObjectQueue queue_;
  std::set<std::string, std::less<>> terminating_;
};

}  // namespace capstan::testing::apiserver
