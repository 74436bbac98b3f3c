// SPDX-License-Identifier: Apache-2.0
// GarbageCollector deletes the objects whose owners are all gone, and carries out the foreground
// and orphan deletion of owners. An owner is gone if no object has its kind, name and uid. Owners
// of namespaced objects are in the same namespace or have none.
//
// Mirrors k8s.io/kubernetes/pkg/controller/garbagecollector of kube-controller-manager. Differs: it
// calls no webhook, and its requests are not counted. An object with an owner of an unknown kind,
// or a cluster-scoped one with a namespaced owner, is kept without an event.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/registry/controller.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

class GarbageCollector : public Controller {
 public:
  GarbageCollector(const Server& server, const CustomResources& resources)
      : Controller(server), resources_(resources) {}

  void Observe(const Resource& resource, const Event& event) override;

 private:
  struct Owners {
    std::vector<std::string> solid = {};  // uids
    std::vector<std::string> dangling = {};
    std::vector<std::string> waiting = {};  // for the deletion of their dependents
  };

  void Process(const Item& item) override;
  // Continues the foreground or orphan deletion of an owner.
  void DeleteDependents(const Item& item, const runtime::JsonValue& metadata);
  void OrphanDependents(const Item& item, const runtime::JsonValue& metadata);
  // Deletes the object, or removes references to owners that are gone.
  void Collect(const Item& item, const runtime::JsonValue& metadata);
  // Returns false if an owner cannot be found out.
  bool Classify(const Item& item, const runtime::JsonValue& metadata, Owners& owners) const;
  void Delete(const Item& item, const runtime::JsonValue& metadata, std::string propagation);
  // Removes the references to these owners. With `unblock`, makes them non-blocking instead.
  void ChangeReferences(const Item& item, const runtime::JsonValue& metadata,
                        const std::vector<std::string>& uids, bool unblock);
  void RemoveFinalizerOf(const Item& item, std::string_view finalizer);
  void Patch(const Item& item, const Json& patch);
  // Returns the objects that refer to this owner.
  std::set<Item> DependentsOf(std::string_view uid) const;
  // Returns where the owner of a reference would be; a null resource: its kind is unknown, or it
  // cannot be an owner.
  Item Locate(const runtime::JsonValue& reference, std::string_view key) const;

  const CustomResources& resources_;
  std::map<std::string, std::set<Item>, std::less<>> dependents_;  // by the uid of the owner
  // The namespaces of deleted owners that have dependents, by uid. Their kinds may be gone, too.
  std::map<std::string, std::string, std::less<>> gone_;
};

}  // namespace capstan::testing::apiserver
