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
#include "clientgo/testing/apiserver/registry/controller.h"

namespace capstan::testing::apiserver {

class NamespaceController : public Controller {
 public:
  NamespaceController(const Server& server, const CustomResources& resources)
      : Controller(server), resources_(resources) {}

  void Observe(const Resource& resource, const Event& event) override;

 private:
  void Process(const Item& item) override;
  // Deletes the objects of a namespace. Returns whether some are left.
  bool DeleteContents(const std::string& ns);

  const CustomResources& resources_;
  std::set<std::string, std::less<>> terminating_;
};

}  // namespace capstan::testing::apiserver
