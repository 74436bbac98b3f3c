// SPDX-License-Identifier: Apache-2.0
// CustomResources are the resources that CustomResourceDefinitions add to the built-in table.
// Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go. Differs: only the
// storage version is served, and a definition of a built-in resource changes nothing.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

class CustomResources {
 public:
  CustomResources();
  ~CustomResources();

  // Serves what this CustomResourceDefinition defines from now on.
  void Update(const runtime::JsonValue& definition);
  // Stops serving the resource of a definition. Returns the resource, whose objects are to be
  // removed, or null if there is none.
  const Resource* Remove(const runtime::JsonValue& definition);

  // These search the built-in resources, too. A Resource is valid as long as this object.
  const Resource* Find(std::string_view group, std::string_view version,
                       std::string_view plural) const;
  const Resource* FindKind(std::string_view api_version, std::string_view kind) const;
  // Returns the served resources; those of a group follow each other.
  std::vector<const Resource*> All() const;

 private:
  struct Definition;
  std::map<std::string, std::unique_ptr<Definition>, std::less<>> definitions_;
};

// Sets the conditions that the API server sets some time after the creation: NamesAccepted and
// Established. Does nothing for a definition without a served version.
void Establish(runtime::JsonDocument& definition);

}  // namespace capstan::testing::apiserver
