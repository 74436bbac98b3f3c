// SPDX-License-Identifier: Apache-2.0
// The names of CustomResourceDefinitions. Two definitions of a group cannot have the same name of
// a resource or of a kind: the second one does not get it, and is not established. Mirrors
// k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go. Unlike there, names
// are accepted in the write of the definition. Only names that become free are noticed later.
#pragma once

#include <set>
#include <string>

#include "clientgo/testing/apiserver/registry/controller.h"

namespace capstan::testing::apiserver {

// Sets the accepted names and the conditions of a definition. `live` is the stored one; null: it is
// new.
void AcceptNames(const Storage& storage, const runtime::JsonValue* live,
                 runtime::JsonDocument& definition);

// When names become free, DefinitionNames accepts them for the definitions that wait for them.
class DefinitionNames : public Controller {
 public:
  explicit DefinitionNames(const Server& server) : Controller(server) {}

  void Observe(const Resource& resource, const Event& event) override;

 private:
  void Process(const Item& item) override;

  std::set<std::string, std::less<>> waiting_;  // definitions that lack a name
};

}  // namespace capstan::testing::apiserver
