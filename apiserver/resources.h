// SPDX-License-Identifier: Apache-2.0
// The table of resources that this API server serves, and what differs between them. To serve one
// more kind, add a row. Constant data; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace apiserver {

struct Resource {
  std::string_view group = {};  // empty: the core group
  std::string_view version = {};
  std::string_view plural = {};
  std::string_view singular = {};
  std::string_view kind = {};
  std::string_view short_names = {};  // with ',' between them
  bool namespaced = false;
  bool status = false;                // has a status subresource
  bool generation = false;            // counts its changes outside metadata and status
  bool custom = false;                // served from a CustomResourceDefinition
  bool api_extension = false;         // of the category that extends the API itself
  bool create_on_update = false;      // a PUT creates what is absent
  bool update_needs_version = false;  // a PUT without resourceVersion is refused
  // What Go's encoder writes for an object without content: members that are there even when
  // nobody gave them, and that nobody owns until they change. JSON.
  std::string_view zero = "{}";

  std::string ApiVersion() const;
  // "secrets", "certificates.cert-manager.io": how errors name the resource.
  std::string Qualified() const;
};

std::span<const Resource> Resources();
const Resource* FindResource(std::string_view group, std::string_view version,
                             std::string_view plural);
const Resource* FindKind(std::string_view api_version, std::string_view kind);
// Its row in the table.
std::size_t IndexOf(const Resource& resource);

// The member that tells the items of a list apart ("name" for "webhooks"); empty for a list that is
// replaced as a whole. Mirrors the x-kubernetes-list-map-keys of the kinds in the table.
std::string_view ListKey(std::string_view field);
// An object that is replaced as a whole: a selector, a reference.
bool IsAtomicMap(std::string_view field);
// A list whose items are a set of strings: metadata.finalizers.
bool IsSetList(std::string_view field);

}  // namespace apiserver
