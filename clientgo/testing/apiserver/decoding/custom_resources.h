// SPDX-License-Identifier: Apache-2.0
// CustomResources are the resources that CustomResourceDefinitions add to the built-in table, one
// for each version. A definition of a built-in custom resource (such as cert-manager's) replaces it
// as long as the definition exists. One of another built-in resource changes nothing.
// Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
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
  // Reports whether a resource that was found is still served.
  bool IsServed(const Resource& resource) const;
  // Returns the served resources; those of a group follow each other, and those of its preferred
  // version are first.
  std::vector<const Resource*> All() const;

 private:
  struct Version;
  struct Definition;

  // Reports whether a definition replaces this built-in resource.
  bool IsReplaced(const Resource& built_in) const;

  std::map<std::string, std::unique_ptr<Definition>, std::less<>> definitions_;  // by name
};

// Adds the storage version of a definition to its stored versions.
void AddStoredVersion(runtime::JsonDocument& definition);
void TrackStoredVersion(const runtime::JsonValue& live, runtime::JsonDocument& definition);

}  // namespace capstan::testing::apiserver
